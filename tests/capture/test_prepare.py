"""A draft becomes a memory: its kind, and what an update leaves of it."""

import pytest

from holdfast.capture.prepare import WriteContext, apply_changes, prepare
from holdfast.errors import InvalidInput
from holdfast.model.memory import Memory, Origin
from holdfast.model.requests import Changes, Draft
from tests.contract.builders import NOW, PROJECT
from tests.secrets import GITHUB

DESK = WriteContext(origin=Origin(project=PROJECT, tenant="local", user="ada"), now=NOW)


def prepared(content: str, **fields: object) -> Memory:
    """Prepare a draft."""
    memory = prepare(Draft(content=content, **fields), DESK)  # type: ignore[arg-type]  # a test's own names
    assert memory
    return memory


def test_without_a_kind_it_is_told_from_the_text_with_how_sure_that_is() -> None:
    """A caller's own kind wins, and is no guess."""
    guessed = prepared("Fixed authentication bug causing login failures")
    assert guessed.kind == "bugfix"
    assert guessed.kind_confidence
    assert 0 < guessed.kind_confidence <= 1
    given = prepared("Fixed authentication bug causing login failures", kind="fact")
    assert (given.kind, given.kind_confidence) == ("fact", None)
    assert given.confidence == guessed.confidence == 1.0
    plain = prepared("Lunch was good")
    assert (plain.kind, plain.kind_confidence) == ("observation", 0.0)


def test_a_guessed_kind_and_title_follow_the_content_and_given_ones_do_not() -> None:
    guessed, given = prepared("Fixed the login"), prepared("Fixed the login", kind="fact", title="Login")
    changes = Changes(content="Decided to keep SQLite")
    after = apply_changes(guessed, changes, DESK)
    assert (after.kind, after.title) == ("decision", "Decided to keep SQLite")
    kept = apply_changes(given, changes, DESK)
    assert (kept.kind, kept.kind_confidence, kept.title) == ("fact", None, "Login")
    named = apply_changes(guessed, Changes(kind="warning"), DESK)
    assert (named.kind, named.kind_confidence) == ("warning", None)


def test_an_update_is_cleaned_like_a_draft() -> None:
    memory = prepared("Something", kind="fact")
    changes = Changes(
        content=f"key {GITHUB}", context=GITHUB, tags=(GITHUB,), files=(GITHUB,), metadata={GITHUB: GITHUB}
    )
    assert GITHUB not in str(apply_changes(memory, changes, DESK))
    with pytest.raises(InvalidInput, match=r"^content: is private as a whole"):
        apply_changes(memory, Changes(content="<private>all</private>"), DESK)


def test_a_title_that_is_private_falls_back_to_the_content() -> None:
    assert prepared("What it says", title="<private>x</private>").title == "What it says"
    memory = prepared("What it says", title="Own")
    assert apply_changes(memory, Changes(title="<private>x</private>"), DESK).title == "What it says"


def test_a_draft_that_is_private_as_a_whole_becomes_nothing() -> None:
    assert prepare(Draft(content="<private>all</private>"), DESK) is None
    with pytest.raises(InvalidInput, match=r"^content: is empty"):
        prepare(Draft(content="\u200b"), DESK)
