"""Forgetting what came from a source, from a session, or holds a text."""

from pathlib import Path

import pytest

from holdfast import Forgotten, Holdfast, InvalidInput, UnknownId
from tests.faults.processes import raw_bytes

pytestmark = pytest.mark.usefixtures("keyword_judge")

WORD = "Zanzibarquokka"


def holds(project: Path, word: str = WORD) -> bool:
    """Say whether a word is anywhere in the store's files."""
    return word.lower().encode() in raw_bytes(project).lower()


def test_a_source_is_taken_back_whole_and_what_others_said_only_loses_it(project: Path) -> None:
    with Holdfast.open(project) as memory:
        only = [memory.add(f"{WORD} fact {place} of the web", source="web").id for place in ("one", "two")]
        shared = memory.add("Prices are in cents", source="web").id
        memory.add("prices are in CENTS", source="cli")
        other = memory.add("Rounded half to even", source="cli").id
        gone = memory.forget_where(source="web")
        assert (set(gone.ids), gone.kept, gone.pending) == (set(only), (shared,), False)
        assert {one.id: one.sources for one in memory.list()} == {shared: ("cli",), other: ("cli",)}
        assert memory.add(f"{WORD} fact one of the web", source="web").rejected == "forgotten"
        assert memory.forget_where(source="web") == Forgotten(ids=())
    assert not holds(project)


def test_a_source_is_found_under_the_name_it_was_stored_by(project: Path) -> None:
    with Holdfast.open(project) as memory:
        memory.add("Something", source="  web\nclip ")
        assert len(memory.forget_where(source="web\nclip").ids) == 1


def test_a_source_is_taken_back_from_both_scopes_and_from_history(project: Path) -> None:
    with Holdfast.open(project) as memory:
        old = memory.add("The queue is Redis", source="web")
        memory.add("The queue is Postgres", source="cli", supersedes=old.id)
        memory.add("Prefer small commits", source="web", scope="user")
        assert len(memory.forget_where(source="web").ids) == 2
        assert [one.content for one in memory.list()] == ["The queue is Postgres"]


def test_a_session_goes_with_its_memories_and_what_was_said_in_it(project: Path) -> None:
    """The turns stay as empty places, so that a transcript read again does not bring them back."""
    with Holdfast.open(project) as memory:
        with memory.start_session(ref="s") as session:
            session.record("user", f"I saw that {WORD} sleeps", ref="m1", files=[f"{WORD}.py"])
            memory.add(f"It sleeps: {WORD}", session=session.id)
        with memory.start_session(ref="other") as other:
            other.record("user", "Nothing special", ref="m1")
        memory.search(WORD)
        gone = memory.forget_where(session=session.id[-8:])
        assert (len(gone.ids), gone.masked_turns) == (1, 1)
        memory.start_session(ref="s").record("user", f"I saw that {WORD} sleeps", ref="m1")
        assert [turn.text for turn in session.turns()] == ["[forgotten]"]
        assert [turn.text for turn in other.turns()] == ["Nothing special"]
    assert not holds(project)


def test_a_text_takes_every_memory_that_holds_it(project: Path) -> None:
    """In any case, in title or content, history included."""
    with Holdfast.open(project) as memory:
        old = memory.add(f"Feed the {WORD} at noon")
        memory.add("Feed it at night", title=WORD.upper(), supersedes=old.id)
        memory.add("Something else")
        assert len(memory.forget_where(matching=WORD.lower()).ids) == 2
        assert [one.content for one in memory.list()] == ["Something else"]
    assert not holds(project)


def test_conflicts_go_with_what_is_forgotten(project: Path) -> None:
    with Holdfast.open(project) as memory:
        memory.add("Always enable strict mode in tsconfig.json")
        never = memory.add("Never enable strict mode in tsconfig.json")
        assert len(memory.conflicts()) == 1
        memory.forget(str(never.id))
        assert memory.conflicts() == []


def test_nothing_is_forgotten_by_accident(project: Path) -> None:
    """Without a word to go by, or by an unknown session."""
    with Holdfast.open(project) as memory:
        memory.add("Something")
        with pytest.raises(InvalidInput, match=r"^forget: needs a source, a session or a text"):
            memory.forget_where()
        with pytest.raises(InvalidInput):
            memory.forget_where(matching="")
        with pytest.raises(UnknownId):
            memory.forget_where(session="feedbeef")
        assert memory.forget_where(matching="nowhere") == Forgotten(ids=())
        assert len(memory.list()) == 1


NOTHING = [" ", "\t", "\0", "\u200b\u2060", "\x1b[0m", "<private>x</private>"]


@pytest.mark.parametrize("nothing", ["", *NOTHING])
def test_a_word_that_nothing_is_left_of_forgets_nothing(project: Path, nothing: str) -> None:
    """Cleaned to nothing it would be no filter at all, and everything would fit."""
    with Holdfast.open(project) as memory:
        memory.add("Something here")
        with pytest.raises(InvalidInput, match=r"^source: "):
            memory.forget_where(source=nothing)
        with pytest.raises(InvalidInput, match=r"^source: "):
            memory.forget_where(source=nothing, matching="Something")
        if "private" not in nothing:
            with pytest.raises(InvalidInput, match=r"^matching: "):
                memory.forget_where(matching=nothing)
            with pytest.raises(InvalidInput, match=r"^source: "):
                memory.prune(source=nothing, days=0, mine=True)
        with pytest.raises((InvalidInput, UnknownId)):
            memory.forget_where(session=nothing)
        assert len(memory.list()) == 1


@pytest.mark.parametrize("nothing", NOTHING[:-1])
@pytest.mark.parametrize("name", ["tags", "file", "contains"])
def test_a_search_does_not_drop_a_filter_that_nothing_is_left_of(project: Path, name: str, nothing: str) -> None:
    with Holdfast.open(project) as memory:
        memory.add("Something here")
        with pytest.raises(InvalidInput, match=f"^{name}: "):
            memory.search("something", **{name: [nothing] if name == "tags" else nothing})  # type: ignore[arg-type]  # by name


def test_more_than_one_slice_is_forgotten(project: Path) -> None:
    with Holdfast.open(project) as memory:
        memory.add_many(
            [{"content": f"Imported entry {number} on {number}", "source": "dump"} for number in range(250)]
        )
        assert len(memory.forget_where(source="dump").ids) == 250
        assert memory.list() == []
