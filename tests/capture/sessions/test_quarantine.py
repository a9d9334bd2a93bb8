"""Quarantine: a promoted memory waits a day, then is confirmed if it was read, or loses a fifth, once."""

from msgspec.structs import replace

from holdfast.capture.sessions.promote import after_quarantine
from holdfast.model.kinds import READ_BY_PERSON
from holdfast.model.limits import QUARANTINE_MS
from holdfast.model.memory import Memory
from tests.contract.builders import a_memory, an_id
from tests.table import table

BORN = 1_700_000_000_000
LATER = BORN + QUARANTINE_MS


def promoted(**fields: object) -> Memory:
    made = a_memory(id=an_id(7), sources=("promoted",), renewed_at=BORN, importance=0.8)
    return replace(made, **fields)


def test_before_24_hours_nothing_changes() -> None:
    assert after_quarantine(promoted(reads=1), LATER - 1) == promoted(reads=1)


def test_after_24_hours_what_a_person_read_is_confirmed() -> None:
    read = promoted(reads=1, metadata={READ_BY_PERSON: True})
    assert after_quarantine(read, LATER) == replace(read, status="confirmed", updated_at=LATER)


def test_after_24_hours_what_only_agents_read_counts_as_unread() -> None:
    assert after_quarantine(promoted(reads=3), LATER).status == "candidate"


def test_after_24_hours_what_was_not_read_loses_a_fifth_once() -> None:
    once = after_quarantine(promoted(), LATER)
    assert (once.status, once.importance) == ("candidate", 0.64)
    assert after_quarantine(once, LATER + QUARANTINE_MS) == once


@table(
    "fields",
    [{"sources": ("manual",)}, {"status": "confirmed"}, {"status": "pinned"}, {"sources": ("git", "promoted")}],
)
def test_only_what_was_promoted_by_itself_is_in_quarantine(fields: dict[str, object]) -> None:
    assert after_quarantine(promoted(**fields), LATER) == promoted(**fields)
