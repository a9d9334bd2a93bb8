"""Progress bars: for people only."""

import io

import pytest

from holdfast.interfaces.cli.output import progress
from holdfast.interfaces.cli.progress_bar import ProgressBar, duration


class Terminal(io.StringIO):
    """A text file that says it is a terminal."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


class Watch:
    """A clock that is set by hand."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.mark.parametrize(("stream", "shown"), [(Terminal, True), (io.StringIO, False)])
def test_a_bar_is_shown_at_a_terminal_only(
    monkeypatch: pytest.MonkeyPatch, stream: type[io.StringIO], shown: bool
) -> None:
    screen = stream()
    monkeypatch.setattr("sys.stderr", screen)
    with progress("Indexing", 10) as step:
        step(4)
        step(6)
    assert ("0 of 10" in screen.getvalue() and "Indexing: 10 in 0 s" in screen.getvalue()) is shown
    assert bool(screen.getvalue()) is shown


def test_nothing_to_do_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    with progress("Vectors", 0) as step:
        step(0)
    assert screen.getvalue() == ""


def test_a_bar_says_how_many_how_fast_and_how_long(watch: Watch) -> None:
    bar = ProgressBar(Terminal(), "Vectors", 9_000, "search by words works meanwhile", watch)
    assert bar.text() == f"Vectors {'░' * 20} 0 of 9,000; search by words works meanwhile"
    watch.now += 10
    bar.update(3_000)
    what_is_known = "3,000 of 9,000, 300 a second, 20 s left"
    assert bar.text() == f"Vectors {'█' * 6}{'░' * 14} {what_is_known}; search by words works meanwhile"


def test_the_rate_is_that_of_the_last_seconds(watch: Watch) -> None:
    """Long texts after short ones: what is left takes as long as they do."""
    bar = ProgressBar(Terminal(), "Vectors", 2_000, clock=watch)
    watch.now += 10
    bar.update(1_000)
    for _ in range(20):
        watch.now += 1
        bar.update(5)
    assert bar.text().endswith("1,100 of 2,000, 5.0 a second, 3 min left")


def test_more_than_was_expected_is_no_error(watch: Watch) -> None:
    """Another process may have added something meanwhile."""
    bar = ProgressBar(Terminal(), "Vectors", 10, clock=watch)
    watch.now += 1
    bar.update(12)
    assert bar.text() == f"Vectors {'█' * 20} 12 of 12, 12 a second"


def test_a_shorter_line_covers_the_longer_one_before_it(watch: Watch) -> None:
    screen = Terminal()
    bar = ProgressBar(screen, "Vectors", 10, "an aside", watch)
    before = len(screen.getvalue()) - 1
    bar.close()
    last = screen.getvalue().rsplit("\r", 1)[1]
    assert last == "Vectors: 0 in 0 s".ljust(before) + "\n"


def test_a_terminal_that_knows_no_blocks_gets_question_marks(watch: Watch) -> None:
    class Ascii(Terminal):
        encoding = "ascii"

    screen = Ascii()
    ProgressBar(screen, "Vectors", 10, clock=watch)
    assert screen.getvalue() == f"\rVectors {'?' * 20} 0 of 10"


def test_lengths_of_time_are_told_roughly(subtests: pytest.Subtests) -> None:
    for seconds, text in [(0.2, "0 s"), (89, "89 s"), (600, "10 min"), (7_200, "2.0 h"), (-1, "0 s")]:
        with subtests.test(seconds=seconds, text=text):
            assert duration(seconds) == text
