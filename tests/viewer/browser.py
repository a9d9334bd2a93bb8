"""Chromium, one a worker, in a thread of its own: Playwright's loop would count as running in the tests' own."""

import os
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import pytest
from playwright.sync_api import Browser, Playwright, expect, sync_playwright

T = TypeVar("T")

PATIENCE_MS = 60_000
"""How long anything is waited for: a busy machine must not fail a test."""

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


def chromium() -> str | None:
    """Return the browser's program, where there is one."""
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def find_chromium() -> str:
    """Return the browser's program; without one the tests are left out at a desk and fail in CI."""
    if program := chromium():
        return program
    if os.environ.get("CI"):
        pytest.fail("chromium is not here, and what was not tried does not land: apt-get install chromium")
    pytest.skip("chromium is not here: the viewer was NOT tried (apt-get install chromium)")


class BrowserThread:
    """The one thread that the browser is driven from."""

    def __init__(self) -> None:
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="browser")
        self._driver: Playwright | None = None
        self._browser: Browser | None = None

    def run(self, act: Callable[[], T]) -> T:
        """Do something there; return what it returns, raise what it raises."""
        return self._executor.submit(act).result()

    @property
    def browser(self) -> Browser:
        """The browser, started when it is first needed. To be asked for in its thread."""
        if self._browser is None:
            program = find_chromium()
            self._driver = sync_playwright().start()
            expect.set_options(timeout=PATIENCE_MS)
            self._browser = self._driver.chromium.launch(executable_path=program, args=list(FLAGS))
        return self._browser

    def close(self) -> None:
        """End the browser and the thread."""
        self.run(self._end)
        self._executor.shutdown()

    def _end(self) -> None:
        if self._browser:
            self._browser.close()
        if self._driver:
            self._driver.stop()
