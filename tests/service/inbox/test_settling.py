"""What a person says about something that waits, and taking it back: of every sort, whole or not at all."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from holdfast.errors import InvalidInput, PersonNeeded, Proposed, SameContent
from holdfast.model.actor import Actor
from holdfast.model.memory import Memory
from holdfast.model.requests import Changes, Draft, SearchRequest
from holdfast.model.search import Filters
from holdfast.service.service import Service
from holdfast.storage.open import open_service
from tests.conftest import FakeClock

NOTE = "Integration tests need the emulator"


@pytest.fixture
def person(project: Path, clock: FakeClock) -> Iterator[Service]:
    with closing(open_service(project, actor="cli", clock=clock)) as opened:
        yield opened


@pytest.fixture
def agent(person: Service) -> Service:
    """The same memory in the hands of an agent."""
    return person.acting_as(Actor("mcp", person=False, agent="codex"))


@pytest.fixture
def note(agent: Service) -> str:
    """Something that an agent noted and nobody confirmed."""
    return agent.add(Draft(content=NOTE)).id or ""


@pytest.fixture
def conflict(person: Service, clock: FakeClock) -> str:
    """Two rules of a person that cannot both hold."""
    for content in ("Always use Redis for the job queue", "Never use Redis for the job queue"):
        clock.advance(1)
        person.add(Draft(content=content, kind="decision", trust="user"))
    [one] = person.review.inbox(sorts=("conflict",)).items
    return one.id


def memory_of(service: Service, memory_id: str) -> Memory:
    """Return a memory as it is kept."""
    [memory] = service._scopes.project.memories.get([memory_id])
    return memory


def stood(memory: Memory) -> dict[str, object]:
    """Return what undoing brings back of a memory: all but the times and counts of what happened to it."""
    passing = ("updated_at", "accessed_at", "reads", "fades")
    return {name: getattr(memory, name) for name in memory.__struct_fields__ if name not in passing}


def everything(service: Service) -> list[dict[str, object]]:
    """Return how every memory stands."""
    return [stood(memory) for memory in service._scopes.project.memories.walk(None, 100)]


def test_an_accepted_candidate_is_confirmed_and_waits_no_more(person: Service, note: str) -> None:
    done = person.review.accept(note[-8:])
    assert (done.id, done.sort, done.outcome, done.title) == (note, "candidate", "accepted", NOTE)
    assert memory_of(person, note).status == "confirmed"
    assert memory_of(person, note).trust == "agent", "a person stands behind it; the words are the agent's"
    assert not person.review.inbox().items


def test_an_edited_candidate_says_the_persons_words(person: Service, note: str) -> None:
    person.review.edit(note, "Integration tests need the emulator on port 9099")
    memory = memory_of(person, note)
    assert memory.content == memory.title == "Integration tests need the emulator on port 9099"
    assert (memory.trust, memory.status) == ("user", "confirmed")


def test_a_dropped_candidate_is_history_and_only_a_person_says_it_again(
    person: Service, agent: Service, note: str
) -> None:
    person.review.drop(note)
    assert not person.list(Filters())
    assert not person.search(SearchRequest(query=NOTE))
    again = agent.add(Draft(content=NOTE))
    assert (again.id, again.rejected) == (None, "forgotten")
    assert person.add(Draft(content=NOTE, trust="user")).created


@pytest.mark.parametrize(
    ("which", "stays"), [("newer", ["Never"]), ("older", ["Always"]), ("both", ["Always", "Never"])]
)
def test_a_side_that_is_kept_holds_and_the_other_is_history(
    person: Service, conflict: str, which: str, stays: list[str]
) -> None:
    done = person.review.keep(conflict, which)
    assert done.outcome == "kept"
    assert sorted(one.content.split()[0] for one in person.list(Filters())) == stays
    assert not person.review.inbox().items


def test_keeping_a_side_by_its_id_confirms_it(person: Service, agent: Service) -> None:
    for content in ("Always squash commits before merging", "Never squash commits before merging"):
        agent.add(Draft(content=content, kind="decision"))
    [waits] = person.review.inbox().items
    kept = waits.sides[0].id
    person.review.keep(waits.id, kept[-8:])
    [memory] = person.list(Filters())
    assert (memory.id, memory.status, memory.trust) == (kept, "confirmed", "agent")


def test_a_conflict_is_not_accepted_and_a_candidate_not_kept(person: Service, conflict: str, note: str) -> None:
    with pytest.raises(InvalidInput, match="which side holds"):
        person.review.accept(conflict)
    with pytest.raises(InvalidInput, match="no conflict"):
        person.review.keep(note, "newer")
    with pytest.raises(InvalidInput, match="keep"):
        person.review.keep(conflict, note)
    assert person.review.waits().total == 2


def test_other_words_for_a_conflict_take_the_place_of_both(person: Service, conflict: str) -> None:
    person.review.edit(conflict, "Redis is for caches, never for the job queue")
    assert [one.content for one in person.list(Filters())] == ["Redis is for caches, never for the job queue"]


def test_a_dropped_conflict_leaves_neither_side(person: Service, conflict: str) -> None:
    person.review.drop(conflict)
    assert not person.list(Filters())


def test_a_proposed_change_is_made_in_the_persons_words(person: Service, agent: Service) -> None:
    rule = person.add(Draft(content="Never push to main", trust="user")).id or ""
    with pytest.raises(Proposed) as waits:
        agent.update(rule, Changes(content="Push to main", tags=("git",)))
    done = person.review.edit(str(waits.value.facts["proposal_id"]), "Push to main on Fridays only")
    assert done.outcome == "edited"
    assert done.proposal is not None
    assert done.proposal.outcome == "accepted"
    assert memory_of(person, rule).content == "Push to main on Fridays only"
    assert memory_of(person, rule).tags == ("git",)


def test_only_a_change_of_words_can_be_edited(person: Service, agent: Service, note: str) -> None:
    with pytest.raises(Proposed) as waits:
        agent.pin(note)
    with pytest.raises(InvalidInput, match="asks to pin"):
        person.review.edit(str(waits.value.facts["proposal_id"]), "x")


def test_an_agent_looks_and_settles_nothing(person: Service, agent: Service, conflict: str, note: str) -> None:
    before = everything(person)
    assert len(agent.review.inbox().items) == 2
    person.review.accept(note)
    person.review.undo()
    acts: list[Callable[[], object]] = [
        lambda: agent.review.accept(note),
        lambda: agent.review.edit(note, "x"),
        lambda: agent.review.drop(note),
        lambda: agent.review.keep(conflict, "both"),
        agent.review.undo,
    ]
    for act in acts:
        with pytest.raises(PersonNeeded):
            act()
    assert everything(person) == before


SETTLE: dict[str, Callable[[Service, str, str], object]] = {
    "accept": lambda person, note, conflict: person.review.accept(note),
    "edit": lambda person, note, conflict: person.review.edit(note, "Other words altogether"),
    "drop": lambda person, note, conflict: person.review.drop(note),
    "keep newer": lambda person, note, conflict: person.review.keep(conflict, "newer"),
    "keep both": lambda person, note, conflict: person.review.keep(conflict, "both"),
    "reword": lambda person, note, conflict: person.review.edit(conflict, "Other words altogether"),
    "drop both": lambda person, note, conflict: person.review.drop(conflict),
}


@pytest.mark.parametrize("name", SETTLE)
def test_what_was_settled_last_is_taken_back_whole(
    person: Service, agent: Service, clock: FakeClock, note: str, conflict: str, name: str
) -> None:
    before, inbox = everything(person), person.review.inbox()
    clock.advance(60_000)
    SETTLE[name](person, note, conflict)
    assert everything(person) != before or name == "keep both"
    assert person.review.inbox().total < inbox.total
    clock.advance(60_000)
    done = person.review.undo()
    assert (done.outcome, done.undoable) == ("undone", False)
    assert everything(person) == before
    assert [one.id for one in person.review.inbox().items] == [one.id for one in inbox.items]
    if name == "drop":
        assert agent.add(Draft(content=NOTE)).duplicate, "nothing keeps it out any more"


PROPOSE: dict[str, Callable[[Service, str, str], object]] = {
    "update": lambda agent, rule, note: agent.update(
        rule, Changes(content="Other words", tags=("x",), metadata={"a": 1})
    ),
    "pin": lambda agent, rule, note: agent.pin(note),
    "confirm": lambda agent, rule, note: agent.confirm(note),
    "supersede": lambda agent, rule, note: agent.supersede(rule, note),
}


@pytest.mark.parametrize("name", PROPOSE)
@pytest.mark.parametrize("verb", ["accept", "drop"])
def test_a_decided_proposal_waits_again_once_it_is_taken_back(
    person: Service, agent: Service, clock: FakeClock, note: str, name: str, verb: str
) -> None:
    rule = person.add(Draft(content="Never push to main", trust="user")).id or ""
    with pytest.raises(Proposed) as waits:
        PROPOSE[name](agent, rule, note)
    proposal = str(waits.value.facts["proposal_id"])
    before = everything(person)
    clock.advance(60_000)
    getattr(person.review, verb)(proposal)
    assert proposal not in [one.id for one in person.review.waiting()]
    person.review.undo(proposal[-8:])
    assert everything(person) == before
    assert [one.id for one in person.review.waiting()] == [proposal]
    assert getattr(person.review, verb)(proposal).verb == name


def test_a_conflict_that_a_proposal_settled_is_open_again(person: Service, agent: Service, conflict: str) -> None:
    [waits] = person.review.inbox().items
    with pytest.raises(Proposed) as proposed:
        agent.resolve(conflict, waits.sides[0].id)
    person.review.accept(str(proposed.value.facts["proposal_id"]))
    assert not person.conflicts()
    person.review.undo()
    assert [one.id for one in person.conflicts()] == [conflict]
    assert len(person.list(Filters())) == 2


def test_settlements_are_taken_back_one_by_one_the_latest_first(
    person: Service, agent: Service, clock: FakeClock
) -> None:
    notes = [agent.add(Draft(content=f"Fact {number} of the matter")).id or "" for number in range(3)]
    for one in notes:
        person.review.accept(one)
    assert [person.review.undo().id for _ in notes] == notes[::-1]
    with pytest.raises(InvalidInput, match="nothing was settled"):
        person.review.undo()


def test_forgetting_for_good_cannot_be_taken_back(person: Service, agent: Service, note: str) -> None:
    rule = person.add(Draft(content="Never push to main", trust="user")).id or ""
    with pytest.raises(Proposed) as waits:
        agent.forget(rule)
    assert person.review.accept(str(waits.value.facts["proposal_id"])).undoable is False
    with pytest.raises(InvalidInput, match="not possible"):
        person.review.undo()


def test_what_was_changed_since_is_not_taken_back(person: Service, note: str) -> None:
    person.review.accept(note)
    person.pin(note)
    with pytest.raises(InvalidInput, match="changed since"):
        person.review.undo()
    assert memory_of(person, note).status == "pinned"


def test_what_was_forgotten_since_is_not_taken_back(person: Service, note: str) -> None:
    person.review.accept(note)
    person.forget(note)
    with pytest.raises(InvalidInput, match="forgotten since"):
        person.review.undo()


def test_what_says_the_same_by_now_is_not_brought_back(person: Service, note: str) -> None:
    person.review.drop(note)
    person.add(Draft(content=NOTE, trust="user"))
    with pytest.raises(SameContent):
        person.review.undo()


def test_a_reinstated_memory_that_was_dropped_may_be_said_by_anybody(
    person: Service, agent: Service, note: str
) -> None:
    person.review.drop(note)
    person.reinstate(note)
    assert agent.add(Draft(content=NOTE)).duplicate


def test_the_words_before_an_edit_go_with_the_memory(person: Service, agent: Service, tmp_path: Path) -> None:
    walrus = agent.add(Draft(content="The walrus sings at midnight in the harbour")).id or ""
    person.review.edit(walrus, "Nothing sings in the harbour")
    person.forget(walrus)
    person.close()
    held = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"walrus" not in held


def test_settling_says_who_did_what_in_the_log(person: Service, note: str) -> None:
    from holdfast.model.records import EventFilters

    person.review.drop(note)
    person.review.undo()
    undone, dropped, *_ = person.events(EventFilters(limit=5))
    assert (dropped.action, dropped.actor, dropped.ids) == ("drop", "cli", (note,))
    assert (undone.action, undone.detail) == ("update", {"undone": 1})
