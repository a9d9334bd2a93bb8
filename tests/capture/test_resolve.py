"""A person settles a conflict, and takes a supersession back."""

from pathlib import Path

import pytest

from holdfast import Holdfast, InvalidInput, UnknownId
from holdfast.errors import PinLimitReached, SameContent

STRICT, LOOSE = (f"{word} enable strict mode in tsconfig.json" for word in ("Always", "Never"))
REDIS = "We use Redis for the job queue"
POSTGRES = "Amendment: we no longer use Redis for the job queue, switched to Postgres LISTEN/NOTIFY"


def contents(memory: Holdfast) -> set[str]:
    """Return what holds."""
    return {one.content for one in memory.list()}


def test_a_conflict_is_listed_with_its_marker(project: Path) -> None:
    with Holdfast.open(project) as memory:
        first, second = memory.add(STRICT), memory.add(LOOSE)
        [conflict] = memory.conflicts()
        assert (conflict.id,) == second.conflicts
        assert (conflict.first, conflict.second, conflict.kind) == (first.id, second.id, "contradictory")
        assert conflict.marker == (
            f'[⚠ CONFLICT] Entry #{conflict.first[-8:]} says "{STRICT}" but '
            f'Entry #{conflict.second[-8:]} says "{LOOSE}". Verify which is current.'
        )
        assert memory.stats().counts.conflicts == 1


@pytest.mark.parametrize("kept", [0, 1])
def test_the_side_that_is_not_kept_becomes_history(project: Path, kept: int) -> None:
    with Holdfast.open(project) as memory:
        sides = [memory.add(STRICT), memory.add(LOOSE)]
        settled = memory.resolve(memory.conflicts()[0], keep=str(sides[kept].id)[-8:])
        assert (settled.kept, memory.conflicts()) == (sides[kept].id, [])
        assert contents(memory) == {(STRICT, LOOSE)[kept]}
        assert memory.get(str(sides[1 - kept].id))[0].superseded_by == sides[kept].id
        assert memory.stats().counts.conflicts == 0


def test_both_may_be_kept(project: Path) -> None:
    with Holdfast.open(project) as memory:
        memory.add(STRICT)
        [conflict] = memory.add(LOOSE).conflicts
        assert memory.resolve(conflict[-8:], keep="both").kept == "both"
        assert (contents(memory), memory.conflicts()) == ({STRICT, LOOSE}, [])
        with pytest.raises(InvalidInput, match="is resolved already"):
            memory.resolve(conflict, keep="both")


def test_only_a_side_of_it_can_be_kept(project: Path) -> None:
    with Holdfast.open(project) as memory:
        other = memory.add("Something else")
        memory.add(STRICT)
        [conflict] = memory.add(LOOSE).conflicts
        with pytest.raises(InvalidInput, match=r"^keep: must be the id of one of its two memories, or 'both'"):
            memory.resolve(conflict, keep=str(other.id))
        with pytest.raises(UnknownId, match="No memory has the id 'feedbeef'"):
            memory.resolve(conflict, keep="feedbeef")
        with pytest.raises(UnknownId, match="No conflict has the id 'feedbeef'"):
            memory.resolve("feedbeef", keep="both")
        assert len(memory.conflicts()) == 1


def test_a_supersession_can_be_undone(project: Path) -> None:
    """Both hold then: whoever undoes it says that the two are compatible."""
    with Holdfast.open(project) as memory:
        old = memory.add(REDIS)
        memory.add(POSTGRES)
        assert contents(memory) == {POSTGRES}
        again = memory.reinstate(str(old.id))
        assert (again.superseded, again.superseded_by) == (False, None)
        assert (contents(memory), memory.conflicts()) == ({REDIS, POSTGRES}, [])
        with pytest.raises(InvalidInput, match="holds; nothing took its place"):
            memory.reinstate(str(old.id))


def test_what_was_said_anew_is_not_reinstated_a_second_time(project: Path) -> None:
    with Holdfast.open(project) as memory:
        old = memory.add(REDIS)
        memory.add(POSTGRES)
        memory.add(REDIS)
        with pytest.raises(SameContent):
            memory.reinstate(str(old.id))


def test_a_reinstated_pin_counts_among_the_pins(project: Path) -> None:
    with Holdfast.open(project) as memory:
        ids = [
            str(memory.add(f"Rule about {name}").id)
            for name in ("tabs", "tests", "tags", "tea", "time", "tar", "x")
        ]
        for memory_id in ids[:5]:
            memory.pin(memory_id)
        memory.supersede(ids[0], ids[6])
        memory.pin(ids[5])
        with pytest.raises(PinLimitReached):
            memory.reinstate(ids[0])
        memory.unpin(ids[5])
        assert memory.reinstate(ids[0]).status == "pinned"


def test_the_worked_example_of_the_job_queue(project: Path) -> None:
    with Holdfast.open(project) as memory:
        first, second = memory.add(REDIS), memory.add(POSTGRES)
        assert [hit.id for hit in memory.search("job queue")] == [second.id]
        assert [one.id for one in memory.history(str(first.id))] == [first.id, second.id]
        third = memory.add(REDIS)
        assert third.created
        assert [hit.id for hit in memory.search("job queue")] == [third.id]
