"""`holdfast view` as a person runs it: a browser with its code gets in, once, for as long as the command runs."""

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.clients.installed import PROGRAM
from tests.hooking import HUNG_S
from tests.viewer.browser import BrowserThread
from tests.viewer.conftest import new_context, own_env


@pytest.fixture
def viewing(tmp_path: Path, project: Path) -> Iterator[subprocess.Popen[str]]:
    """The command, in a project without a memory."""
    process = subprocess.Popen(
        [PROGRAM, "view", "--no-open"],
        cwd=project,
        env={**os.environ, **own_env(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    yield process
    process.kill()
    process.wait(HUNG_S)
    assert process.stdout
    process.stdout.close()


def test_the_code_of_the_address_counts_once_and_an_empty_memory_says_what_to_do(
    viewing: subprocess.Popen[str], stranger: Page, browser_thread: BrowserThread
) -> None:
    assert viewing.stdout
    match = re.search(r"http://\S+#code=\S+", viewing.stdout.readline())
    assert match
    stranger.goto(match[0])
    expect(stranger.locator("main h1")).to_have_text("Today")
    assert "code" not in stranger.url
    expect(stranger.get_by_text("Nothing waits.")).to_be_visible()
    expect(stranger.get_by_text("holdfast install")).to_be_visible()
    for page in ("Timeline", "Search", "Brief", "Health"):
        stranger.get_by_role("link", name=page).click()
        expect(stranger.locator("main h1")).to_contain_text(page)
    stranger.reload()
    expect(stranger.locator("main h1")).to_have_text("Health")
    second = new_context(browser_thread, None)
    late = second.new_page()
    late.goto(match[0])
    expect(late.get_by_role("alert")).to_contain_text("used already")
    expect(late.get_by_text("holdfast view")).to_be_visible()
    second.close()


def test_the_page_says_when_the_command_has_ended(viewing: subprocess.Popen[str], stranger: Page) -> None:
    assert viewing.stdout
    stranger.goto(viewing.stdout.readline().strip())
    expect(stranger.locator(".connection")).to_have_text("live")
    viewing.send_signal(signal.SIGINT)
    viewing.wait(HUNG_S)
    expect(stranger.locator(".connection")).to_have_text("not connected")
    stranger.keyboard.press("g")
    stranger.keyboard.press("h")
    expect(stranger.get_by_role("alert")).to_contain_text("does not answer")
