"""Somebody who looks at the viewer: opens pages, reads them, presses keys."""

from playwright.sync_api import ConsoleMessage, Error, Locator, Page, Request, expect

from tests.viewer.site import Site

RESET = """() => {
  localStorage.clear();
  document.documentElement.dataset.theme = "system";
  for (const element of document.querySelectorAll("dialog, .toast")) element.remove();
  document.activeElement?.blur();
}"""


class Visit:
    """A page of the viewer, and everything that went wrong on it."""

    def __init__(self, page: Page, site: Site) -> None:
        self.page = page
        self.site = site
        self.complaints: list[str] = []
        """Errors of the console, refusals of the content policy, and requests to anybody else."""
        page.set_viewport_size({"width": 1280, "height": 900})
        page.emulate_media(color_scheme="light", reduced_motion="reduce")
        self._listeners = {"console": self._heard, "pageerror": self._failed, "request": self._asked}
        for event, listener in self._listeners.items():
            page.on(event, listener)  # type: ignore[call-overload]  # each takes what its event brings

    def open(self, route: str) -> Locator:
        """Open a page of the viewer; return its main part once its heading is there."""
        address = f"{self.site.url}/#/{route}"
        if self.page.url == address:
            self.page.reload()
        else:
            self.page.goto(address)
        expect(self.page.locator(f"main[data-route='#/{route}'] h1")).to_be_visible()
        return self.page.locator("main")

    def leave(self) -> None:
        """Leave nothing behind for whoever comes next: the page stays loaded, without what was chosen on it."""
        for event, listener in self._listeners.items():
            self.page.remove_listener(event, listener)
        self.page.evaluate(RESET)

    def press(self, *keys: str) -> None:
        """Press keys, one after another."""
        for key in keys:
            self.page.keyboard.press(key)

    def card(self, text: str) -> Locator:
        """The card of the inbox that says something."""
        return self.page.locator(".card", has_text=text)

    @property
    def toast(self) -> Locator:
        """What was said last at the edge of the page."""
        return self.page.locator(".toast").last

    def unfold(self) -> None:
        """Open everything that is folded."""
        self.page.evaluate("for (const details of document.querySelectorAll('details')) details.open = true")

    def has_no_sideways_scroll(self) -> bool:
        """Say whether the page is no wider than the window."""
        return bool(self.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"))

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def _failed(self, error: Error) -> None:
        self.complaints.append(str(error))

    def _asked(self, request: Request) -> None:
        if not request.url.startswith((self.site.url, "data:", "about:")):
            self.complaints.append(f"asked {request.url}")
