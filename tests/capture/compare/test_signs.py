"""What is passed over at first sight could not have been found by reading."""

import json
from itertools import islice, product
from pathlib import Path

from holdfast.capture.compare.amendments import announces, signs_of, worth_comparing
from holdfast.capture.compare.conflict import detect_conflict
from holdfast.capture.compare.revision import detect_revision
from holdfast.capture.compare.same import is_near_duplicate
from holdfast.capture.compare.statement import Statement, state
from tests.table import table

DATA = Path(__file__).resolve().parents[2] / "data"


def rows(name: str) -> list[dict[str, str]]:
    """Read a labelled set."""
    return [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def found(later: Statement, earlier: Statement) -> bool:
    """Say whether reading finds anything."""
    return bool(detect_revision(later, earlier) or detect_conflict(later, earlier)) or is_near_duplicate(
        later, earlier
    )


def worth(later: str, earlier: str) -> bool:
    """Say whether two texts are read at all."""
    mine, theirs = signs_of(later), signs_of(earlier)
    return (mine.revises and announces(later)) or worth_comparing(mine, theirs)


@table("name", ["revisions", "compatible"])
def test_a_pair_that_reading_finds_is_never_passed_over(name: str) -> None:
    for row in rows(name):
        old, new = row["old"], row["new"]
        for later, earlier in ((new, old), (old, new)):
            assert worth(later, earlier) or not found(state(later, "fact"), state(earlier, "fact")), row


def test_texts_that_were_not_meant_as_a_pair_are_not_passed_over_either() -> None:
    """A slice of all pairs of rules: every third against every seventh."""
    texts = [row[side] for row in rows("revisions") for side in ("old", "new")]
    read = {text: state(text, "fact") for text in texts}
    pairs = product(islice(texts, 0, None, 3), islice(texts, 0, None, 7))
    missed = [
        (later, earlier)
        for later, earlier in pairs
        if later != earlier and found(read[later], read[earlier]) and not worth(later, earlier)
    ]
    assert missed == []


def test_texts_without_a_sign_are_passed_over() -> None:
    """Or nothing would be gained."""
    assert not worth("The parser reads YAML", "The parser writes CSV to disk")
    assert worth("The parser never reads YAML", "The parser reads YAML")
    assert worth("The parser reads YAML", "The parser reads YAML files")


@table(
    "text",
    [
        "Don't use the old client",
        "Turn off the cache",
        "Leave out the header",
        "Get rid of the cache",
        "Avoidance of the cache",
        "Opt out of tracking",
    ],
)
def test_every_way_to_turn_a_rule_round_is_a_sign(text: str) -> None:
    assert signs_of(text).opposes
