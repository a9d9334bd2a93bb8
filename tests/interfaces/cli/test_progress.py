"""Progress bars: for people only."""

import io

import pytest

from holdfast.interfaces.cli.progress import progress


class Terminal(io.StringIO):
    """A text file that says it is a terminal."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("stream", "shown"), [(Terminal, True), (io.StringIO, False)])
def test_a_bar_is_shown_at_a_terminal_only(
    monkeypatch: pytest.MonkeyPatch, stream: type[io.StringIO], shown: bool
) -> None:
    screen = stream()
    monkeypatch.setattr("sys.stderr", screen)
    with progress("Indexing", 10) as step:
        step(4)
        step(6)
    assert ("0/10" in screen.getvalue() and "10/10" in screen.getvalue()) is shown
    assert bool(screen.getvalue()) is shown


def test_nothing_to_do_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    with progress("Vectors", 0) as step:
        step(0)
    assert screen.getvalue() == ""


def test_more_than_was_expected_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process may have added something meanwhile."""
    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    with progress("Vectors", 10, "search by words works meanwhile") as step:
        step(12)
    assert screen.getvalue().count("search by words works meanwhile") == 2
