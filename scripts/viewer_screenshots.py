"""Make the pictures of the viewer in docs/images: `python -m scripts.viewer_screenshots`, then look at them.

A demo's memory, the real server, Debian's Chromium: what is on the pictures is what a person sees.
"""

import contextlib
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Browser, Page, sync_playwright

from scripts import viewer_demo
from tests.viewer.browser import FLAGS, PATIENCE_MS, chromium
from tests.viewer.site import Site

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"
WIDE = (1280, 860)
PHONE = (390, 844)


class Picture(NamedTuple):
    """A picture: its name, which page it shows, how, and what is done before it is taken."""

    name: str
    route: str
    size: tuple[int, int] = WIDE
    dark: bool = False
    prepare: Callable[[Page], object] = lambda page: None


def _open_why(page: Page) -> None:
    page.locator("details.why").first.evaluate("details => { details.open = true }")


def _pictures(site: Site) -> list[Picture]:
    [queue, *_] = site.ask("GET", "/api/search?q=job+queue+postgres&within=memories")
    session = next(one for one in site.ask("GET", "/api/sessions") if one["turns"] > 4)
    return [
        Picture("today-light", "today"),
        Picture("today-dark", "today", dark=True),
        Picture("today-phone", "today", PHONE),
        Picture("timeline-light", "timeline"),
        Picture("timeline-phone-dark", "timeline", PHONE, dark=True),
        Picture("search-light", "search?q=how+does+the+job+queue+work", prepare=_open_why),
        Picture("memory-light", f"memory/{queue['id']}"),
        Picture("session-light", f"session/{session['id']}"),
        Picture("brief-light", "brief?prompt=why+do+jobs+stall+under+load%3F"),
        Picture("health-dark", "health", dark=True),
    ]


@contextlib.contextmanager
def _demo() -> Iterator[Site]:
    """Serve the demo's memory from a place that is thrown away."""
    with tempfile.TemporaryDirectory(prefix="holdfast-viewer-") as place:
        root = Path(place)
        homes = {name: str(root / name.lower()) for name in ("HOLDFAST_DATA_HOME", "HOLDFAST_CONFIG_HOME")}
        os.environ.update(
            homes, HOLDFAST_EMBEDDING_BACKGROUND="false", GIT_CONFIG_GLOBAL=os.devnull, LOGNAME="ada"
        )
        shop = root / "acme" / "shop"
        shop.mkdir(parents=True)
        viewer_demo.make_project(shop)
        viewer_demo.fill(shop)
        site = Site(shop, homes)
        try:
            yield site
        finally:
            site.stop()


def _propose(site: Site) -> None:
    """Let an agent ask for a change of what a person said."""
    [money, *_] = site.ask("GET", "/api/search?q=money+cents+floats&within=memories")
    wish = {"content": "Money is an integer in cents everywhere; tax rates are decimals with four places."}
    site.ask("PATCH", f"/api/memories/{money['id']}", wish, token=site.token("codex", "write"))


def _take(browser: Browser, site: Site, picture: Picture) -> None:
    width, height = picture.size
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if picture.dark else "light",
        reduced_motion="reduce",
        locale="en-GB",
        has_touch=picture.size == PHONE,
        is_mobile=picture.size == PHONE,
    )
    context.set_default_timeout(PATIENCE_MS)
    context.add_init_script(site.signing_in())
    page = context.new_page()
    page.goto(f"{site.url}/#/{picture.route}")
    page.locator(".connection[data-live=true]").wait_for(state="attached")
    page.locator("main :is(.line, .card, .chart, .turn, .text-box)").first.wait_for()
    picture.prepare(page)
    path = IMAGES / f"{picture.name}.png"
    page.screenshot(path=path, animations="disabled", caret="hide")
    context.close()
    print(f"{path.name}: {path.stat().st_size // 1000} KB")


def main() -> None:
    """Take every picture."""
    program = chromium()
    if not program:
        sys.exit("chromium is not here: apt-get install chromium")
    IMAGES.mkdir(parents=True, exist_ok=True)
    with _demo() as site, sync_playwright() as driver:
        _propose(site)
        browser = driver.chromium.launch(executable_path=program, args=list(FLAGS))
        for picture in _pictures(site):
            _take(browser, site, picture)
        browser.close()


if __name__ == "__main__":
    main()
