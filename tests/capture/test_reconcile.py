"""New memories against those there are: opposed, revised, said again, nearly the same."""

import pytest
from msgspec.structs import replace

from holdfast.capture.prepare import WriteContext, prepare
from holdfast.capture.reconcile import Incoming, remember
from holdfast.model.actor import Actor
from holdfast.model.memory import Added, Conflict, Memory, Origin
from holdfast.model.requests import Draft
from holdfast.model.search import Filters
from holdfast.stores.sqlite.store import SqliteStore
from tests.contract.builders import NOW, PROJECT, a_memory, keep

DESK = WriteContext(origin=Origin(project=PROJECT, tenant="local", user="ada"), now=NOW)
REDIS = "We use Redis for the job queue"
POSTGRES = "Amendment: we no longer use Redis for the job queue, switched to Postgres LISTEN/NOTIFY"
STRICT, LOOSE = (f"{word} enable strict mode in tsconfig.json" for word in ("Always", "Never"))


def say(store: SqliteStore, *contents: str, **fields: object) -> list[Added]:
    """Remember texts one after the other, each in a transaction of its own."""
    return [
        added
        for content in contents
        for added in take(store, Draft(content=content, **fields))  # type: ignore[arg-type]  # a test's own names
    ]


def take(store: SqliteStore, *drafts: Draft) -> list[Added]:
    """Remember drafts in one go."""
    memories = [prepare(draft, DESK) for draft in drafts]
    return remember(store, [Incoming(memory) for memory in memories if memory], DESK)


def current(store: SqliteStore) -> list[str]:
    """Return what holds, newest first."""
    return [memory.content for memory in store.memories.newest(Filters(current_at=NOW), 99)]


def one(store: SqliteStore, added: Added) -> Memory:
    """Return the memory that was added."""
    [memory] = store.memories.get([added.id or ""])
    return memory


def kinds(store: SqliteStore) -> list[str]:
    """Return the kinds of the unresolved conflicts."""
    return [conflict.kind for conflict in store.conflicts.unresolved(NOW)]


def test_an_amendment_of_equal_standing_takes_the_place_of_the_rule(store: SqliteStore) -> None:
    """And the journal says by which words it was told."""
    old, new = say(store, REDIS, POSTGRES)
    assert current(store) == [POSTGRES]
    assert [memory.content for memory in store.memories.history(new.id or "")] == [REDIS, POSTGRES]
    assert one(store, old).superseded_by == new.id
    event = store.audit.events(1)[0]
    assert (event.action, event.ids, event.detail) == ("supersede", (old.id, new.id), {"detected": "amendment"})
    assert kinds(store) == []


def test_saying_the_first_again_makes_it_current_again(store: SqliteStore) -> None:
    """As a new entry; the amendment becomes history, and the whole way back is one history."""
    first, second, third = say(store, REDIS, POSTGRES, REDIS.upper())
    assert third.created
    assert current(store) == [REDIS.upper()]
    assert [memory.id for memory in store.memories.history(first.id or "")] == [first.id, second.id, third.id]
    [_, fourth] = say(store, REDIS, POSTGRES)
    assert current(store) == [POSTGRES]
    assert one(store, third).superseded_by == fourth.id


def test_in_one_batch_it_goes_as_one_after_the_other(store: SqliteStore) -> None:
    added = take(store, *(Draft(content=text) for text in (REDIS, POSTGRES, REDIS, STRICT, LOOSE)))
    assert [result.created for result in added] == [True] * 5
    assert set(current(store)) == {REDIS, STRICT, LOOSE}
    assert len(added[4].conflicts) == 1
    assert store.conflicts.unresolved(NOW) == [
        Conflict(
            id=added[4].conflicts[0],
            first=added[3].id or "",
            second=added[4].id or "",
            kind="contradictory",
            detected_at=NOW,
        )
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"trust": "user"}, {"trust": "tool"}),
        ({"trust": "user"}, {"trust": "imported"}),
        ({"trust": "user"}, {"trust": "agent"}),
        ({"trust": "agent"}, {"trust": "tool"}),
        ({"trust": "agent"}, {"trust": "imported"}),
        ({"trust": "imported"}, {"trust": "tool"}),
    ],
)
def test_a_revision_of_lower_trust_hides_nothing_and_is_a_conflict(
    store: SqliteStore, old: dict[str, str], new: dict[str, str]
) -> None:
    """Text from a tool that says "we no longer use X" never hides a user's entry."""
    [rule] = say(store, REDIS, **old)
    [amendment] = say(store, POSTGRES, **new)
    assert current(store) == [POSTGRES, REDIS]
    assert kinds(store) == ["superseded"]
    assert amendment.conflicts == (store.conflicts.unresolved(NOW)[0].id,)
    assert one(store, rule).superseded_by is None


@pytest.mark.parametrize(("old", "new"), [("tool", "imported"), ("agent", "user"), ("tool", "tool")])
def test_a_revision_of_equal_or_higher_trust_takes_the_place(store: SqliteStore, old: str, new: str) -> None:
    say(store, REDIS, trust=old)
    say(store, POSTGRES, trust=new)
    assert current(store) == [POSTGRES]


@pytest.mark.parametrize("status", ["confirmed", "pinned"])
def test_a_revision_of_lower_status_hides_nothing(store: SqliteStore, status: str) -> None:
    """A candidate does not hide what was confirmed, and nothing hides a pin by itself."""
    keep(store, a_memory(content=REDIS, status=status))
    say(store, POSTGRES)
    assert set(current(store)) == {REDIS, POSTGRES}
    assert kinds(store) == ["superseded"]


def test_not_even_a_users_revision_hides_a_pin(store: SqliteStore) -> None:
    keep(store, a_memory(content=REDIS, status="pinned", trust="user"))
    say(store, POSTGRES, trust="user")
    assert kinds(store) == ["superseded"]


def test_saying_an_old_rule_again_with_less_trust_hides_nothing(store: SqliteStore) -> None:
    """A file that still has the old rule brings it back as a conflict, not as the truth."""
    say(store, REDIS, POSTGRES, trust="user")
    say(store, REDIS, trust="imported")
    assert current(store) == [REDIS, POSTGRES]
    assert kinds(store) == ["superseded"]


def test_what_was_said_earlier_revises_nothing_that_was_said_later(store: SqliteStore) -> None:
    """History read in the wrong order ends as in the right one."""
    [new] = say(store, POSTGRES, at="1d")
    [old] = say(store, REDIS, at="2d")
    assert current(store) == [POSTGRES]
    assert one(store, old).superseded_by == new.id
    [again] = say(store, REDIS, at="36h")
    assert (again.created, current(store)) == (True, [POSTGRES])


def test_opposed_rules_conflict_and_other_rules_do_not(store: SqliteStore) -> None:
    added = say(store, "Always run tests with -x", "Never commit on Friday", STRICT, LOOSE)
    assert [len(result.conflicts) for result in added] == [0, 0, 0, 1]
    assert kinds(store) == ["contradictory"]


def test_another_condition_makes_a_conflict_ambiguous(store: SqliteStore) -> None:
    say(store, "Enable debug logging in production", "Disable debug logging in tests")
    assert kinds(store) == ["ambiguous"]


def test_kinds_that_callers_chose_keep_rules_apart_unless_a_file_is_shared(store: SqliteStore) -> None:
    say(store, "Always validate input", kind="decision")
    say(store, "Never validate input", kind="preference")
    assert kinds(store) == []
    say(store, "Always validate the body", kind="decision", files=("api/users.py",))
    say(store, "Never validate the body", kind="preference", files=("api/users.py",))
    assert kinds(store) == ["contradictory"]


def test_one_that_says_nearly_the_same_is_reported(store: SqliteStore) -> None:
    """And what only shares a topic, or differs in a number, is not."""
    [first] = say(store, "The deploy script needs the VPN to be up before it starts")
    [close] = say(store, "Deploy scripts need the VPN to be up before they start")
    [far] = say(store, "The deploy script writes its log to the VPN host")
    assert (close.similar_to, close.conflicts) == ((first.id,), ())
    assert far.similar_to == ()


def test_rows_of_a_series_are_no_contradictions(store: SqliteStore) -> None:
    """Many entries that differ in a number only are a log, and what a number names is another thing."""
    say(store, *(f"The nightly build took {seconds} seconds in total" for seconds in range(300, 320)))
    assert store.counts(NOW).conflicts <= 3
    before = store.counts(NOW).conflicts
    say(store, *(f"Worker {number} handles the priority queue" for number in range(20)))
    assert store.counts(NOW).conflicts == before
    [added] = say(store, "The retention limit is 30 days")
    [other] = say(store, "The retention limit is 90 days")
    assert (added.conflicts, len(other.conflicts)) == ((), 1)


def test_explicit_and_detected_supersession_do_not_trip_over_each_other(store: SqliteStore) -> None:
    [old] = say(store, REDIS)
    [new] = say(store, POSTGRES, supersedes=old.id)
    assert one(store, old).superseded_by == new.id
    assert [event.action for event in store.audit.events(9)].count("supersede") == 1


def test_other_projects_in_a_shared_store_are_left_alone(store: SqliteStore) -> None:
    keep(store, a_memory(content=REDIS, project="another"))
    say(store, POSTGRES)
    assert set(current(store)) == {REDIS, POSTGRES}
    assert kinds(store) == []


def test_what_expired_is_no_rival(store: SqliteStore) -> None:
    keep(store, a_memory(content=STRICT, expires=NOW))
    [added] = say(store, LOOSE)
    assert added.conflicts == ()


def test_a_long_entry_touched_in_one_part_is_flagged_not_hidden(store: SqliteStore) -> None:
    long = (
        "The gateway runs nginx on two nodes behind a floating address. Certificates are rotated monthly. "
        "Access logs are shipped to Loki with the tenant as label. Uploads are buffered on disk. "
        "The admin area is reachable from the office network. We use Redis for the job queue."
    )
    say(store, long, "We no longer use Redis for the job queue")
    assert len(current(store)) == 2
    assert kinds(store) == ["superseded"]


def test_a_batch_of_prepared_memories_is_judged_against_the_store(store: SqliteStore) -> None:
    keep(store, a_memory(content=REDIS))
    amended = a_memory(content=POSTGRES, kind="decision")
    [added] = remember(store, [Incoming(amended)], replace(DESK, actor=Actor("promote")))
    assert added == Added(id=amended.id, created=True)
    assert current(store) == [POSTGRES]
    assert store.audit.events(1)[0].actor == "promote"


def test_sections_of_documents_stand_side_by_side(store: SqliteStore) -> None:
    """They speak of change in passing; only what is no more than a rule can disagree."""
    first = "The importer reads each row. It skips rows without email. Errors go to the log of the run."
    second = "The importer no longer skips rows without email. They go to a table. A job looks at it every night."
    say(store, first, second, trust="imported")
    assert (kinds(store), len(current(store))) == ([], 2)
    say(store, STRICT, LOOSE, trust="imported")
    assert kinds(store) == ["contradictory"]
