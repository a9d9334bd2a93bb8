"""Progress bars: for people only."""

import io

import pytest

from holdfast.interfaces.cli.output import progress


class Terminal(io.StringIO):
    """A text file that says it is a terminal."""

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
    assert ("Indexing" in screen.getvalue() and "100%" in screen.getvalue()) is shown
    assert bool(screen.getvalue()) is shown
