"""The same said again, and what takes another's place."""

import pytest
from msgspec.structs import replace

from holdfast.capture.precedence import merge, retire
from holdfast.errors import InvalidInput
from tests.contract.builders import NOW, a_memory


def test_said_again_a_memory_is_more_important_and_better_sourced() -> None:
    """Tags, files and sources are united in order; the rest is the kept one's."""
    kept = a_memory(
        content="Use tabs",
        tags=("a", "b"),
        files=("x",),
        file_hashes={"x": "1"},
        sources=("cli",),
        expires=NOW + 9,
    )
    incoming = a_memory(
        content="use TABS",
        title="other",
        tags=("b", "c"),
        files=("x", "y"),
        file_hashes={"x": "2", "y": "3"},
        sources=("git", "cli"),
        trust="user",
        status="confirmed",
        expires=NOW + 5,
        importance=0.1,
        kind="decision",
    )
    assert merge(kept, incoming, NOW + 7) == replace(
        kept,
        importance=0.6,
        trust="user",
        status="confirmed",
        tags=("a", "b", "c"),
        files=("x", "y"),
        file_hashes={"x": "2", "y": "3"},
        sources=("cli", "git"),
        expires=NOW + 9,
        updated_at=NOW + 7,
        renewed_at=NOW + 7,
    )


def test_importance_grows_by_a_tenth_and_never_past_one() -> None:
    """Without the dust of floating point."""
    memory = a_memory(importance=0.7)
    grown = []
    for _ in range(5):
        memory = merge(memory, memory, NOW)
        grown.append(memory.importance)
    assert grown == [0.8, 0.9, 1.0, 1.0, 1.0]


def test_what_was_to_expire_stays_when_it_is_said_without_an_end() -> None:
    """And what stays is given no end by saying it again."""
    for kept, incoming in ((None, 5), (5, None), (None, None)):
        assert merge(a_memory(expires=kept), a_memory(expires=incoming), NOW).expires is None


def test_a_retired_memory_is_history_from_when_the_new_one_holds() -> None:
    """Never before it began itself."""
    old, new = a_memory(valid_from=NOW), a_memory(valid_from=NOW + 5)
    assert retire(old, new) == replace(old, valid_until=NOW + 5, superseded_by=new.id)
    early = a_memory(valid_from=NOW - 5)
    assert retire(old, early) == replace(old, valid_until=NOW, superseded_by=early.id)


def test_a_memory_takes_neither_its_own_place_nor_that_of_history_nor_as_history() -> None:
    """Each is named for what it is."""
    memory = a_memory()
    with pytest.raises(InvalidInput, match=r"^supersedes: a memory cannot take its own place"):
        retire(memory, memory)
    with pytest.raises(InvalidInput, match=rf"^supersedes: memory {memory.id} is history already"):
        retire(replace(memory, valid_until=NOW), a_memory())
    with pytest.raises(InvalidInput, match=r"^new: memory .* is history itself"):
        retire(memory, a_memory(valid_until=NOW))
