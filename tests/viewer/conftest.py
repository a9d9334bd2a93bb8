"""A browser for a worker, a server with a demo's memory, and a page that tolerates no error in its console."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page

from scripts import viewer_demo
from tests.viewer.browser import PATIENCE_MS, BrowserThread, find_chromium
from tests.viewer.site import Site
from tests.viewer.visit import Visit


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything beside this file needs the browser."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool:
    """Run a test in the thread of the browser."""
    arguments = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    thread = pyfuncitem.funcargs["browser_thread"]
    assert isinstance(thread, BrowserThread)
    thread.run(lambda: pyfuncitem.obj(**arguments))
    return True


@pytest.fixture(scope="session")
def browser_thread() -> Iterator[BrowserThread]:
    """Where the browser lives."""
    find_chromium()
    thread = BrowserThread()
    yield thread
    thread.close()


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server on the demo's memory, for all tests of a worker: each brings what it changes."""
    find_chromium()
    root = tmp_path_factory.mktemp("viewer")
    with pytest.MonkeyPatch.context() as patch:
        env = own_env(root)
        for name, value in env.items():
            patch.setenv(name, value)
        shop = root / "shop"
        shop.mkdir()
        viewer_demo.make_project(shop)
        viewer_demo.fill(shop)
        served = Site(shop, env)
    yield served
    served.stop()


@pytest.fixture(scope="session")
def signed_in_page(browser_thread: BrowserThread, site: Site) -> Page:
    """A page that every test begins anew: the browser starts a process for each one opened."""
    return browser_thread.run(lambda: new_context(browser_thread, site).new_page())


@pytest.fixture
def visit(browser_thread: BrowserThread, site: Site, signed_in_page: Page) -> Iterator[Visit]:
    """Somebody at the viewer, signed in."""
    visiting = browser_thread.run(lambda: Visit(signed_in_page, site))
    yield visiting
    browser_thread.run(visiting.leave)
    assert visiting.complaints == []


def new_context(thread: BrowserThread, site: Site | None) -> BrowserContext:
    """A browser without a past; with a site, signed in there."""
    context = thread.browser.new_context(reduced_motion="reduce")
    context.set_default_timeout(PATIENCE_MS)
    if site:
        context.add_init_script(site.signing_in())
    return context


@pytest.fixture
def stranger(browser_thread: BrowserThread) -> Iterator[Page]:
    """Somebody who is not signed in."""
    context = browser_thread.run(lambda: new_context(browser_thread, None))
    yield browser_thread.run(context.new_page)
    browser_thread.run(context.close)


def own_env(root: Path) -> dict[str, str]:
    """A home of its own, as every test has one; words are embedded without the model."""
    return {
        "HOLDFAST_DATA_HOME": str(root / "data"),
        "HOLDFAST_CONFIG_HOME": str(root / "config"),
        "HOLDFAST_EMBEDDING_MODEL": "hashing",
        "HOLDFAST_EMBEDDING_BACKGROUND": "false",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
    }
