"""The write path over a store: what becomes of each, and what the journal says."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from holdfast.capture.prepare import WriteContext
from holdfast.capture.reconcile import Incoming, remember
from holdfast.errors import InvalidInput
from holdfast.model.memory import Added, Memory, Origin
from holdfast.model.records import Event
from holdfast.model.search import Filters
from holdfast.stores.sqlite.store import SqliteStore
from tests.contract.builders import NOW, PROJECT, a_memory, keep

LATER = NOW + 1_000
DESK = WriteContext(origin=Origin(project=PROJECT, tenant="local", user="ada"), now=LATER)


def say(store: SqliteStore, *items: Memory | Incoming) -> list[Added]:
    """Remember in one go."""
    incoming = [item if isinstance(item, Incoming) else Incoming(item) for item in items]
    return remember(store, incoming, DESK)


def event(action: str, ids: Sequence[str], **detail: int) -> Event:
    """Make the event that is expected."""
    return Event(action=action, actor="python", at=LATER, ids=tuple(ids), detail=detail)


def test_what_is_new_is_kept_and_journalled_once_a_batch(store: SqliteStore) -> None:
    """Results in order."""
    one, two = a_memory(), a_memory()
    assert say(store, one, two) == [Added(id=one.id, created=True), Added(id=two.id, created=True)]
    assert store.memories.get([one.id, two.id]) == [one, two]
    assert store.audit.events(9) == [event("add", (one.id, two.id))]


def test_nothing_to_remember_writes_nothing(store: SqliteStore) -> None:
    """Not even an event."""
    assert say(store) == []
    assert store.audit.events(9) == []


def test_a_duplicate_strengthens_what_is_there(store: SqliteStore) -> None:
    """No new row, and the caller learns whose it is."""
    kept = a_memory(content="Use tabs", tags=("a",))
    keep(store, kept)
    assert say(store, a_memory(content="use  TABS", tags=("b",))) == [Added(id=kept.id, duplicate=True)]
    merged = replace(kept, importance=0.6, tags=("a", "b"), updated_at=LATER, renewed_at=LATER)
    assert store.memories.newest(Filters(), 9) == [merged]
    assert store.audit.events(9) == [event("update", (kept.id,), said_again=1)]


def test_duplicates_within_one_batch_become_one_entry(store: SqliteStore) -> None:
    """As if they had come one after the other."""
    first, second, third = (a_memory(content="Use tabs", tags=(tag,)) for tag in "abc")
    assert say(store, first, second, third) == [
        Added(id=first.id, created=True),
        Added(id=first.id, duplicate=True),
        Added(id=first.id, duplicate=True),
    ]
    [kept] = store.memories.newest(Filters(), 9)
    assert (kept.id, kept.importance, kept.tags) == (first.id, 0.7, ("a", "b", "c"))


def test_what_was_forgotten_stays_out_unless_a_person_says_it(store: SqliteStore) -> None:
    """And then it may be said by anybody again."""
    text = "The staging password rotates"
    by_agent, by_user, again = (a_memory(content=text, trust=trust) for trust in ("agent", "user", "agent"))
    with store.writing():
        store.tombstones.add([by_agent.fingerprint])
    assert say(store, by_agent) == [Added(id=None, rejected="forgotten")]
    assert store.memories.newest(Filters(), 9) == []
    assert store.audit.events(9) == [event("add", (), rejected=1)]
    assert say(store, by_user) == [Added(id=by_user.id, created=True)]
    assert store.tombstones.standing([by_user.fingerprint]) == set()
    assert say(store, again) == [Added(id=by_user.id, duplicate=True)]


def test_a_rejected_item_does_not_stop_the_others(store: SqliteStore) -> None:
    """The journal counts it."""
    gone, fine = a_memory(content="gone"), a_memory(content="fine")
    with store.writing():
        store.tombstones.add([gone.fingerprint])
    assert say(store, gone, fine) == [Added(id=None, rejected="forgotten"), Added(id=fine.id, created=True)]
    assert store.audit.events(9) == [event("add", (fine.id,), rejected=1)]


def test_a_memory_that_supersedes_makes_the_old_one_history(store: SqliteStore) -> None:
    """Both are journalled."""
    old, new = a_memory(content="Redis"), a_memory(content="Postgres", valid_from=LATER)
    keep(store, old)
    assert say(store, Incoming(new, old.id)) == [Added(id=new.id, created=True)]
    assert store.memories.history(old.id) == [replace(old, valid_until=LATER, superseded_by=new.id), new]
    assert store.audit.events(9) == [event("supersede", (old.id, new.id)), event("add", (new.id,))]


def test_a_duplicate_can_supersede_too(store: SqliteStore) -> None:
    """Saying again what holds, with the words it replaces."""
    old, kept = a_memory(content="Redis"), a_memory(content="Postgres")
    keep(store, old, kept)
    assert say(store, Incoming(a_memory(content="postgres"), old.id)) == [Added(id=kept.id, duplicate=True)]
    assert store.memories.get([old.id])[0].superseded_by == kept.id


def test_back_to_what_was_superseded_is_a_new_entry_that_takes_its_place_back(store: SqliteStore) -> None:
    """Both must not stand side by side."""
    redis = a_memory(content="Redis")
    keep(store, redis)
    postgres, back = a_memory(content="Postgres"), a_memory(content="Redis")
    assert say(store, Incoming(postgres, redis.id), back) == [
        Added(id=postgres.id, created=True),
        Added(id=back.id, created=True),
    ]
    assert store.memories.newest(Filters(current_at=LATER), 9) == [back]
    assert [memory.id for memory in store.memories.history(back.id)] == [redis.id, postgres.id, back.id]


def test_what_is_said_again_and_then_superseded_keeps_both_changes(store: SqliteStore) -> None:
    """In the order of the batch."""
    redis, postgres = a_memory(content="Redis"), a_memory(content="Postgres")
    keep(store, redis)
    say(store, a_memory(content="redis"), Incoming(postgres, redis.id))
    [old] = store.memories.get([redis.id])
    assert (old.importance, old.superseded_by) == (0.6, postgres.id)


def test_a_memory_that_would_supersede_itself_undoes_the_batch(store: SqliteStore) -> None:
    """Nothing half-written."""
    kept = a_memory(content="Redis")
    keep(store, kept)
    with pytest.raises(InvalidInput, match="cannot take its own place"):
        say(store, a_memory(content="another"), Incoming(a_memory(content="redis"), kept.id))
    assert store.memories.newest(Filters(), 9) == [kept]
    assert store.audit.events(9) == []


def test_many_are_written_in_batches_of_one_event_each(store: SqliteStore) -> None:
    """And duplicates are found across batches."""
    items = [a_memory(content=f"note {number % 1_100}") for number in range(1_200)]
    added = say(store, *items)
    assert [result.created for result in added] == [True] * 1_100 + [False] * 100
    assert [len(one.ids) for one in store.audit.events(20)] == [100] * 12
    assert store.audit.events(1)[0].detail == {"said_again": 100}
