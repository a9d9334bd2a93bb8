"""The part of a text that shows why it was found."""

from holdfast.recall.hits import CHARS, snippet
from holdfast.text.words import terms_of
from tests.table import table


def show(text: str, query: str) -> str:
    """Return the snippet of a text for a question."""
    return snippet(text, terms_of(query))


@table(
    ("text", "query", "expected"),
    [
        ("The retry cap is five.", "retry caps", "The **retry** **cap** is five."),
        ("call getRetryCap() now", "retry", "call **getRetryCap**() now"),
        ("two\nlines  of text", "walrus", "two lines of text"),
        ("a **bold** walrus", "walrus", "a bold **walrus**"),
        ("src/**/*.py, f(**walrus), g(**x), 2**10", "walrus", "src/**/*.py, f(****walrus**), g(**x), 2**10"),
        ("the retriever barks", "retry", "the retriever barks"),
        ("", "walrus", ""),
    ],
)
def test_the_words_of_the_question_are_marked(text: str, query: str, expected: str) -> None:
    assert show(text, query) == expected


def test_of_a_long_text_the_part_is_shown_that_holds_most_of_the_words() -> None:
    text = f"{'retry log line. ' * 50}The retry cap is five. {'Nothing more to say. ' * 50}"
    shown = show(text, "retry cap")
    assert "**retry** **cap** is five" in shown
    assert shown.startswith("…")
    assert shown.endswith("…")
    assert len(shown.replace("**", "")) <= CHARS + 2


def test_a_pasted_megabyte_is_not_read_to_its_end() -> None:
    assert show("pad " * 300_000 + "walrus", "walrus").endswith("pad…")
