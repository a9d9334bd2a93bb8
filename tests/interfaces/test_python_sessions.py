"""Sessions and turns through the Python API."""

from typing import Any

import pytest
from msgspec.structs import replace

from holdfast import Holdfast, InvalidInput, Session, Turn, UnknownId
from holdfast.errors import AmbiguousId
from tests.conftest import FakeClock
from tests.contract.builders import a_session
from tests.embedded import service_behind


def test_a_session_begins_records_and_ends(memory: Holdfast, clock: FakeClock) -> None:
    """It ends with its last turn."""
    session = memory.start_session(agent="codex", at="1h", ref="run-1")
    begun = session.session
    assert begun == Session(
        id=session.id, project=begun.project, tenant="local", user=begun.user, agent="codex", status="active",
        ref="run-1", started_at=clock.now() - 3_600_000, heard_at=clock.now(),
    )  # fmt: skip
    turn = session.record("user", "Please look at the queue", at="30m", ref="m1", files=["src/queue.py"])
    assert turn == Turn(
        id=turn.id, session=session.id, role="user", text="Please look at the queue", at=clock.now() - 1_800_000,
        ref="m1", files=("src/queue.py",),
    )  # fmt: skip
    last = session.record("assistant", "ls", tool="bash", at="20m")
    ended = session.end()
    assert ended == replace(
        begun,
        status="completed",
        ended_at=clock.now() - 1_200_000,
        last_turn_at=clock.now() - 1_200_000,
        turns=2,
        tool_calls=1,
        read_to=last.id,
        turns_read=2,
        summary="Goal: Please look at the queue",
    )
    clock.advance(5)
    assert session.end() == ended
    assert memory.sessions() == [ended]


def test_a_session_without_turns_ends_now(memory: Holdfast, clock: FakeClock) -> None:
    """And as a context manager by itself."""
    with memory.start_session() as session:
        clock.advance(7)
    assert (session.session.status, session.session.ended_at) == ("completed", clock.now())


def test_a_ref_makes_starting_and_recording_idempotent(memory: Holdfast) -> None:
    """The same key is the same session, the same turn; without one they are new each time."""
    session = memory.start_session(ref="run-1")
    turn = session.record("user", "hello", ref="m1")
    session.end()
    again = memory.start_session(ref="run-1", agent="other")
    assert (again.id, again.session.status, again.session.ended_at) == (session.id, "active", None)
    assert again.record("user", "hello, once more", ref="m1") == turn
    again.record("user", "hello")
    again.record("user", "hello")
    assert [one.text for one in again.turns()] == ["hello"] * 3
    assert again.session.turns == 3
    assert memory.start_session().id != memory.start_session().id


def test_turns_of_two_sessions_may_share_a_ref(memory: Holdfast) -> None:
    """It is the caller's key within the session."""
    one, two = memory.start_session(), memory.start_session()
    assert one.record("user", "one", ref="m1").id != two.record("user", "two", ref="m1").id


def test_turns_and_sessions_are_searched(memory: Holdfast) -> None:
    """With the caller's refs on the hits."""
    session = memory.start_session(agent="codex", ref="run-1")
    other = memory.start_session(agent="gemini")
    session.record("user", "Where does the walrus sleep?", ref="m1")
    session.record("assistant", "In walrusDen, says the log")
    session.record("tool", "walrusDen: 1 walrus", tool="bash")
    other.record("user", "The ocelot hunts")
    turns = memory.search("walrus", within="turns")
    assert [(hit.ref, hit.session, hit.kind) for hit in turns] == [
        ("m1", session.id, "turn"),
        (None, session.id, "turn"),
    ]
    assert {hit.source: hit.trust for hit in turns} == {"user": "user", "assistant": "agent"}
    assert [hit.trust for hit in memory.search("walrus", within="tool")] == ["tool"]
    [found] = memory.search("walrus", within="sessions")
    assert (found.id, found.ref, found.source, found.kind) == (session.id, "run-1", "codex", "session")
    memory.add("A walrus is an animal")
    assert {hit.kind for hit in memory.search("walrus", within="all")} == {"turn", "session", "observation"}


def test_a_long_turn_is_cut_with_a_mark(memory: Holdfast) -> None:
    """Rather than refused: the agent cannot shorten what it saw."""
    turn = memory.start_session().record("tool", "é" * 40_000)
    assert turn.text.endswith("\n… [cut: 80,000 bytes in all]")
    assert len(turn.text.encode()) <= 65_536


def test_a_bad_session_is_named_and_not_begun(memory: Holdfast, subtests: pytest.Subtests) -> None:
    """Before anything is written."""
    for options, field in [
        ({"agent": ""}, "agent"),
        ({"agent": None}, "agent"),
        ({"ref": ""}, "ref"),
        ({"ref": 5}, "ref"),
        ({"at": "soon"}, "at"),
    ]:
        with subtests.test(options=options, field=field):
            with pytest.raises(InvalidInput) as caught:
                memory.start_session(**options)  # type: ignore[arg-type]  # callers' mistakes
            assert caught.value.field == field
            assert memory.sessions() == []


def test_a_bad_turn_is_named_and_not_recorded(memory: Holdfast, subtests: pytest.Subtests) -> None:
    """Nor counted."""
    mistakes: list[tuple[dict[str, Any], str]] = [
        ({"role": ""}, "role"),
        ({"text": " "}, "text"),
        ({"text": None}, "text"),
        ({"files": "a.py"}, "files"),
        ({"ref": ""}, "ref"),
        ({"tool": ""}, "tool"),
        ({"at": "soon"}, "at"),
    ]
    for options, field in mistakes:
        with subtests.test(options=options, field=field):
            session = memory.start_session()
            values = {"role": "user", "text": "hello", **options}
            with pytest.raises(InvalidInput) as caught:
                session.record(**values)
            assert caught.value.field == field
            assert (session.turns(), session.session.turns) == ([], 0)


def test_a_session_is_known_by_its_short_id_and_strangers_are_unknown(memory: Holdfast) -> None:
    """Two that end alike are told apart by more digits."""
    service = service_behind(memory)
    one, other = (a_session(id=f"01a31600-0000-7000-8000-00{tail}12345678") for tail in ("aa", "bb"))
    with service._scopes.project.writing():
        for session in (one, other):
            service._scopes.project.sessions.insert(session)
    assert service.session("aa12345678") == one
    with pytest.raises(AmbiguousId, match="fits more than one entry"):
        service.session("12345678")
    with pytest.raises(UnknownId, match="No session has the id 'deadbeef'"):
        service.session("deadbeef")


def test_a_memory_of_a_session_carries_its_whole_id(memory: Holdfast) -> None:
    """The short one will do to say which."""
    session = memory.start_session()
    memory.add("learnt here", session=session.id.replace("-", "")[-12:])
    assert memory.list()[0].session == session.id
