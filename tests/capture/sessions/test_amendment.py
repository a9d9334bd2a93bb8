"""What a person says anew changes a rule; a complaint in the same words changes nothing."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.capture.sessions.amendment import complains
from holdfast.model.finding import Evidence, Finding
from holdfast.model.ids import fingerprint, new_id
from holdfast.model.memory import Memory
from holdfast.model.requests import Draft, Message
from holdfast.model.search import Filters
from holdfast.storage.open import open_service
from tests.table import table

PDF = "The invoice PDF is rendered with Helvetica."
DOUBTFUL = "The invoice PDF is now rendered with Times instead of Helvetica."


@pytest.fixture
def memory(project: Path) -> Iterator[Holdfast]:
    with Holdfast.open(project) as opened:
        yield opened


def heard(memory: Holdfast, *said: str) -> dict[str, Memory]:
    """Let a person say something in a session; return what holds after it."""
    session = memory.start_session(agent="codex")
    for text in said:
        session.record("user", text)
    session.end()
    return {one.content: one for one in memory.list()}


@pytest.mark.parametrize(
    ("rule", "complaint"),
    [
        (
            "Log messages of the importer are written in English.",
            "The importer log messages now show garbage instead of English text, fix it.",
        ),
        ("The search results page shows 20 results.", "search results page now shows 0 results, why is it broken"),
        (PDF, "invoice PDF is now rendered with Times instead of Helvetica, fix that bug"),
        (PDF, "The invoice PDF is now rendered with Times instead of Helvetica. Please fix."),
        (PDF, "why is the invoice PDF rendered with Times instead of Helvetica now"),
        (
            "Exports of orders are sorted by date.",
            "exports of orders are now sorted by name instead of date, undo it",
        ),
    ],
)
def test_a_complaint_takes_the_place_of_no_rule(memory: Holdfast, rule: str, complaint: str) -> None:
    memory.add(rule, trust="user", kind="decision")
    assert list(heard(memory, complaint)) == [rule]


def test_what_may_be_a_change_stands_beside_a_rule_that_was_written_down(memory: Holdfast) -> None:
    memory.add(PDF, trust="user", kind="decision")
    found = heard(memory, DOUBTFUL)
    assert {text: (one.trust, one.status) for text, one in found.items()} == {
        PDF: ("user", "confirmed"),
        DOUBTFUL: ("agent", "candidate"),
    }
    [conflict] = memory.conflicts()
    assert (conflict.first, conflict.second) == (found[PDF].id, found[DOUBTFUL].id)


def test_what_a_person_lays_down_anew_takes_the_place_of_what_was_written_down(memory: Holdfast) -> None:
    memory.add(PDF, trust="user", kind="decision")
    anew = "From now on the invoice PDF is rendered with Times instead of Helvetica."
    found = heard(memory, anew)
    assert {text: (one.trust, one.status) for text, one in found.items()} == {anew: ("user", "confirmed")}


def test_what_a_tool_said_takes_the_place_of_nothing(project: Path) -> None:
    anew = "From now on the invoice PDF is rendered with Times instead of Helvetica."
    with closing(open_service(project, actor="cli")) as service:
        rule = service.add(Draft(content=PDF, kind="decision", trust="user")).id
        session = service.start_session("codex")
        turn = service.record(session.id, Message(role="tool", text=anew, tool="cat"))
        said = Evidence(turn=turn.id, start=0, end=len(anew))
        finding = Finding(
            id=new_id(turn.at),
            session=session.id,
            kind="decision",
            content=anew,
            fingerprint=fingerprint(anew),
            evidence=(said,),
            importance=0.7,
            confidence=0.9,
            signals=("asked", "amendment"),
            created_at=turn.at,
        )
        store = service._scopes.project
        with store.writing():
            store.findings.put([finding])
        service.end_session(session.id)
        found = {one.content: one for one in service.list(Filters(), 10)}
    assert found[PDF].id == rule
    assert (found[anew].trust, found[anew].status) == ("tool", "candidate")


@table(
    "text",
    [
        "raise the timeout of the importer to 60 s",
        "fix the gate at 85",
        "we switch from npm to pnpm, never use npm again, it is too slow",
        "Fridays are ok from now on",
        "order ids are UUIDs now",
        "no longer use moment, use date-fns instead",
    ],
)
def test_a_change_is_no_complaint(text: str) -> None:
    assert not complains(text)


@table(
    ("text", "following"),
    [
        ("The header is blue now", "Please fix it."),
        ("The header is blue now instead of green, fix please", ""),
        ("The export is now empty", ""),
        ("the build no longer passes, look into it", ""),
    ],
)
def test_a_complaint_is_told_by_its_shape(text: str, following: str) -> None:
    assert complains(text, following)
