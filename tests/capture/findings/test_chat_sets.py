"""Whole chats: rules are found and promoted where something was settled, and nothing where nothing was.

`chats.jsonl` was written before the rules, or later before its result was seen; `dev` chats were tuned on, `test`
chats never were.
"""

import pytest

from benchmarks.findings import labelled, read_lines


@pytest.mark.parametrize("split", ["dev", "test"])
def test_rules_are_found_and_promoted_and_chatter_is_not(split: str) -> None:
    found, promoted, wrong = labelled(split, show=False).values()
    assert found >= 0.95
    assert promoted >= 0.8
    assert wrong == 0


def test_no_chat_stands_in_both_halves() -> None:
    names = [row["name"] for row in read_lines()]
    assert len(names) == len(set(names))
