"""What single sentences do: doubt, bind, recap."""

import json
from pathlib import Path

from holdfast.capture.sessions.findings.reading import SentenceReading, topic
from holdfast.text.sentences import Sentence
from tests.table import table

DATA = Path(__file__).parents[3] / "data" / "firmness.jsonl"


def reading(text: str) -> SentenceReading:
    return SentenceReading(Sentence(text, 0, len(text)))


def rows(split: str) -> list[dict[str, object]]:
    lines = DATA.read_text(encoding="utf-8").splitlines()
    return [row for row in map(json.loads, lines) if row["split"] == split]


@table("split", ["dev", "test"])
def test_thinking_aloud_is_told_from_what_is_said_in_earnest(split: str) -> None:
    wrong = [row["text"] for row in rows(split) if reading(str(row["text"])).firm != row["firm"]]
    assert wrong == []


@table(
    "text",
    [
        "Final: two replicas in each region.",
        "Recap of the export format: semicolons, UTF-8, no header.",
        "OK, so the rule is: branches carry the ticket number.",
        "To sum up: five deliveries at most.",
        "Decision - we keep the old parser.",
        "Amended rule, replacing the first one: 30 seconds.",
    ],
)
def test_a_recap_is_known_by_its_opening(text: str) -> None:
    assert reading(text).label


@table(
    "text",
    [
        "Final question: does it scale?",
        "Specifically for tables, we looked at three formats.",
        "The decision tree has nine leaves.",
        "Settled dust covers everything.",
    ],
)
def test_what_only_looks_like_the_opening_of_a_recap_is_none(text: str) -> None:
    assert not (reading(text).label and reading(text).firm)


def test_code_is_not_read_as_words_but_its_numbers_count() -> None:
    assert not reading("The flag is called `never_always_must`.").strong
    assert reading("`LIMIT` is `7`").value


def test_numbers_are_the_same_spelt_out_or_not() -> None:
    assert topic("seven attempts") == topic("7 attempts")


def test_a_sentence_without_end_is_read_in_time() -> None:
    assert reading("must " * 20_000).strong
