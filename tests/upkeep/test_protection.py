"""Every protection holds against every rule."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from holdfast.capture.combine import combine
from holdfast.model.limits import DAY_MS
from holdfast.model.memory import Memory
from holdfast.model.requests import PruneRequest
from holdfast.ports import Store
from holdfast.upkeep.round import (
    IN_USE,
    IS_DECISION,
    IS_PERSONS,
    IS_PINNED,
    PROTECTIONS,
    READ_LATELY,
    Round,
    Steps,
    protection,
)
from holdfast.upkeep.rules import drop_outdated, limit_promoted, limit_size, prune
from tests.contract.builders import NOW, a_memory, a_session, keep
from tests.upkeep.rounds import LONG_AGO, a_round, done

SESSION = a_session(started_at=LONG_AGO, heard_at=LONG_AGO)
PROTECTED: dict[str, dict[str, object]] = {
    IS_PINNED: {"status": "pinned"},
    IS_DECISION: {"kind": "decision"},
    IN_USE: {"session": SESSION.id},
    READ_LATELY: {"accessed_at": NOW - DAY_MS + 1},
}


def pruning(round_: Round) -> Steps:
    return prune(round_, PruneRequest(days=0))


RULES: dict[str, tuple[Callable[[Round], Steps], dict[str, int]]] = {
    "outdated": (drop_outdated, {}),
    "promoted": (limit_promoted, {"promoted": 10}),
    "size": (limit_size, {"max_memories": 1}),
    "prune": (pruning, {}),
}


def candidates(**fields: object) -> list[Memory]:
    """Make memories that every rule is for."""
    plain: dict[str, object] = {
        "kind": "fact",
        "created_at": LONG_AGO,
        "fades": NOW - 1,
        "sources": ("promoted",),
    }
    return [a_memory(**(plain | fields)) for _ in range(12)]


@pytest.fixture
def talking(store: Store) -> Store:
    """A store with a session that is still active, however long it has been silent."""
    with store.writing():
        store.sessions.insert(SESSION)
    return store


def test_every_protection_is_tested() -> None:
    assert set(PROTECTED) == set(PROTECTIONS)


@pytest.mark.parametrize("rule", RULES)
def test_what_nothing_protects_goes(talking: Store, rule: str) -> None:
    """Without this the next test could not fail."""
    keep(talking, *candidates())
    apply, limits = RULES[rule]
    done(apply(a_round(talking, dry=False, **limits)))
    assert talking.upkeep.memories() < 12


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("reason", PROTECTIONS)
def test_what_is_protected_stays_and_is_named(talking: Store, rule: str, reason: str) -> None:
    keep(talking, *candidates(**PROTECTED[reason]))
    apply, limits = RULES[rule]
    for dry in (True, False):
        round_ = a_round(talking, dry=dry, **limits)
        done(apply(round_))
        assert round_.ledger.gone == []
        assert dict(round_.ledger.kept) == {reason: 12}
    assert talking.upkeep.memories() == 12


@pytest.mark.parametrize("reason", PROTECTIONS)
def test_what_is_protected_is_never_merged_away(talking: Store, reason: str) -> None:
    one = a_memory(content="The importer skips empty lines", **PROTECTED[reason])
    other = a_memory(content="Empty lines are skipped by the importer", **PROTECTED[reason])
    keep(talking, one, other)
    round_ = a_round(talking)
    done(combine(round_))
    assert round_.ledger.merged == []
    assert talking.memories.get([one.id, other.id]) == [one, other]


@pytest.mark.parametrize("rule", [name for name in RULES if name != "prune"])
def test_in_an_agents_program_nothing_that_a_person_said_goes(talking: Store, rule: str) -> None:
    keep(talking, *candidates(trust="user"))
    apply, limits = RULES[rule]
    agents = replace(a_round(talking, dry=False, **limits), protection=protection(talking, NOW, for_person=False))
    done(apply(agents))
    assert agents.ledger.gone == []
    assert dict(agents.ledger.kept) == {IS_PERSONS: 12}
    done(apply(a_round(talking, dry=False, **limits)))
    assert talking.upkeep.memories() < 12, "a person's program goes by the limits"


def test_a_read_protects_for_a_day_and_no_longer(store: Store) -> None:
    lately, earlier = a_memory(accessed_at=NOW - DAY_MS + 1), a_memory(accessed_at=NOW - DAY_MS)
    reason = protection(store, NOW).reason
    assert (reason(lately), reason(earlier)) == (READ_LATELY, None)


def test_a_session_protects_until_it_ends(talking: Store) -> None:
    memory = a_memory(session=SESSION.id)
    assert protection(talking, NOW).reason(memory) == IN_USE
    with talking.writing():
        talking.sessions.replace(a_session(id=SESSION.id, status="completed", ended_at=NOW))
    assert protection(talking, NOW).reason(memory) is None
