"""Whether a question is about anything that is kept."""

from holdfast.recall.bm25 import KeywordScore
from holdfast.recall.ranking import Topic
from tests.table import table


def held(coverage: float = 0.3, rare: float = 0.0) -> KeywordScore:
    """A row that holds so much of a question."""
    return KeywordScore(0, "row", 0.2, coverage, 1.0, rare)


@table(
    ("row", "covered"),
    [
        ((held(), 0.4), False),  # a chance word, and another meaning
        ((held(), 0.7), True),
        ((held(rare=1.5), 0.4), True),  # rare words that it shares make up for a distant meaning
        ((None, 0.55), False),
        ((held(coverage=1.0), 0.1), True),  # who types a name wants the entry that holds it
        ((held(), None), True),  # waits for its vector: words alone cannot tell
    ],
)
def test_one_row_decides_whether_a_question_is_about_what_is_kept(
    row: tuple[KeywordScore | None, float | None], covered: bool
) -> None:
    assert Topic().covers([(None, 0.1), row], 5_000) is covered


def test_where_nothing_is_found_no_question_is_about_it() -> None:
    assert not Topic().covers([], 5_000)


def test_in_a_small_store_less_is_asked() -> None:
    """Of a few rows none comes near to anything by chance."""
    assert Topic().covers([(None, 0.42)], 10)
    assert not Topic().covers([(None, 0.42)], 1_000)
