"""Prune by age, by weight, by source; what a person said only when that is meant."""

import pytest

from holdfast.errors import InvalidInput
from holdfast.model.limits import DAY_MS
from holdfast.model.requests import Draft, PruneRequest
from holdfast.model.search import Filters
from holdfast.ports import Store
from holdfast.service.service import Service
from holdfast.upkeep.rules import ASKED_FOR, SAID_BY_OTHERS
from tests.conftest import FakeClock
from tests.contract.builders import NOW, a_memory, keep
from tests.upkeep.rounds import LONG_AGO, tending


def test_age_counts_from_the_last_read_or_confirmation(store: Store) -> None:
    old = a_memory(created_at=NOW - 30 * DAY_MS)
    read = a_memory(created_at=LONG_AGO, accessed_at=NOW - 29 * DAY_MS)
    confirmed = a_memory(created_at=LONG_AGO, renewed_at=NOW - 29 * DAY_MS)
    keep(store, old, read, confirmed)
    keeper = tending(store, FakeClock(NOW))
    assert keeper.prune(PruneRequest(days=30, dry_run=True)).ids == (old.id,)
    pruned = keeper.prune(PruneRequest(days=30))
    assert [one.why for one in pruned.gone] == ["not read or confirmed for 30 days"]
    assert [one.rule for one in pruned.gone] == ["prune"]
    assert store.upkeep.memories() == 2


def test_a_score_is_the_decayed_importance(store: Store) -> None:
    light, heavy = a_memory(importance=0.2, created_at=NOW), a_memory(importance=1.0, created_at=NOW)
    keep(store, light, heavy)
    keeper = tending(store, FakeClock(NOW))
    assert keeper.prune(PruneRequest(max_score=0.08, dry_run=True)).ids == ()
    pruned = keeper.prune(PruneRequest(max_score=0.1))
    assert (pruned.ids, [one.why for one in pruned.gone]) == ((light.id,), ["weighs 0.09"])


def test_a_source_goes_unless_another_said_it_too(store: Store) -> None:
    alone, shared = a_memory(sources=("web",)), a_memory(sources=("web", "git"))
    keep(store, alone, shared, a_memory(sources=("git",)))
    pruned = tending(store, FakeClock(NOW)).prune(PruneRequest(source="web"))
    assert (pruned.ids, dict(pruned.kept)) == ((alone.id,), {SAID_BY_OTHERS: 1})


def test_given_several_conditions_all_must_be_met(store: Store) -> None:
    meant = a_memory(sources=("web",), created_at=LONG_AGO)
    keep(store, meant, a_memory(sources=("web",)), a_memory(created_at=LONG_AGO))
    assert tending(store, FakeClock(NOW)).prune(PruneRequest(days=30, source="web")).ids == (meant.id,)


def test_what_a_person_asked_to_remember_goes_only_when_that_is_meant(store: Store) -> None:
    mine = a_memory(trust="user", created_at=LONG_AGO)
    keep(store, mine)
    keeper = tending(store, FakeClock(NOW))
    spared = keeper.prune(PruneRequest(days=30))
    assert (spared.ids, dict(spared.kept)) == ((), {ASKED_FOR: 1})
    assert keeper.prune(PruneRequest(days=30, mine=True)).ids == (mine.id,)


def test_pruned_texts_may_come_back(service: Service) -> None:
    """Nobody had them forgotten."""
    draft = Draft(content="The walrus queue drains", source="web", trust="agent")
    service.add(draft)
    assert len(service.prune(PruneRequest(source="web")).ids) == 1
    assert service.add(draft).created
    assert len(service.list(Filters())) == 1


@pytest.mark.parametrize(
    ("wish", "field"),
    [({}, "prune"), ({"days": -1}, "days"), ({"days": 1.5}, "days"), ({"max_score": 2}, "max_score")],
)
def test_a_wish_that_cannot_be_meant_names_its_field(
    service: Service, wish: dict[str, object], field: str
) -> None:
    with pytest.raises(InvalidInput) as raised:
        service.prune(PruneRequest(**wish))  # type: ignore[arg-type]  # wrong on purpose
    assert raised.value.field == field
