"""Whole chats: rules are found and promoted where something was settled, and nothing where nothing was.

`chats.jsonl` was written before the rules, or later before its result was seen; `chats_fresh.jsonl` after a review
of them. `dev` chats were tuned on, `test` chats never were.

Many of their rules are terse answers ("15 minutes, hard.") that only the agent puts into words. As long as no
person settles those words they are nobody's rule: a good part of these chats is noted, and not promoted.
"""

from benchmarks.findings import FRESH, OWN, labelled, read_lines
from tests.table import table


@table(("name", "split"), [(OWN, "dev"), (OWN, "test"), (FRESH, "dev")])
def test_rules_are_found_and_promoted_and_chatter_is_not(name: str, split: str) -> None:
    found, promoted, wrong = labelled(split, show=False, name=name).values()
    assert found >= 0.85
    assert promoted >= 0.5
    assert wrong == 0


def test_no_chat_stands_in_both_halves() -> None:
    names = [row["name"] for row in (*read_lines(OWN), *read_lines(FRESH))]
    assert len(names) == len(set(names))
