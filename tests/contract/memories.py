"""Memories as they are kept, read, overwritten and removed, and their index with them: whole values, order, short
ids, duplicates, time, history."""

import pytest
from msgspec.structs import replace

from holdfast.errors import StoreError
from holdfast.model.memory import Memory
from holdfast.model.search import Filters
from holdfast.ports import Store
from holdfast.text.words import terms_of
from tests.contract.builders import NOW, a_memory, a_session, an_id, keep

EVERYTHING = Filters()

TEXTS = (
    "naïve café, Straße, Ελληνικά, 日本語のテキスト, العربية",
    "👩‍👩‍👧‍👦 🏳️‍🌈 \U0001f9ea emoji stay whole",
    "'; DROP TABLE memory; -- \" \\ % _ [x] {y} $1 :name ?",
    "tabs\tand\nline\nbreaks\n\n  and blanks  inside",
    "\u202eright to left\u202c \u200bzero width\ufeff",
    "é" * 32_768,
    "word " * 13_107,
)


class MemoriesContract:
    """`ports.Memories`: insert, get, ending, saying, newest, around, history."""

    def test_a_memory_comes_back_with_every_field_as_it_was_kept(self, store: Store) -> None:
        memory = a_memory(
            kind="decision",
            title="Queue",
            content="We settled on LISTEN/NOTIFY",
            context="while moving off Redis",
            tags=("queue", "database"),
            files=("src/queue.py", "docs/queue.md"),
            file_hashes={"src/queue.py": "0123456789abcdef"},
            importance=0.75,
            confidence=0.25,
            status="pinned",
            trust="user",
            sources=("manual", "git"),
            session=an_id(),
            agent="codex",
            branch="main",
            commit="f" * 40,
            created_at=NOW - 5,
            updated_at=NOW - 4,
            renewed_at=NOW - 3,
            accessed_at=NOW - 2,
            reads=7,
            valid_from=NOW - 6,
            valid_until=NOW - 1,
            superseded_by=an_id(),
            expires=NOW + 1,
            metadata={"nested": {"list": [1, 2.5, None, True, "ü"]}},
        )
        keep(store, memory)
        assert store.memories.get([memory.id]) == [memory]

    def test_a_memory_of_defaults_comes_back_equal(self, store: Store) -> None:
        memory = a_memory()
        keep(store, memory)
        assert store.memories.get([memory.id]) == [memory]

    def test_any_text_comes_back_unchanged(self, store: Store) -> None:
        memories = [
            a_memory(
                content=text, title=text[:80], context=text[:200], tags=(text[:50],), metadata={"k": text[:99]}
            )
            for text in TEXTS
        ]
        keep(store, *memories)
        assert store.memories.get([memory.id for memory in memories]) == memories

    def test_get_keeps_the_order_asked_and_leaves_out_unknown_ids(self, store: Store) -> None:
        first, second, third = a_memory(), a_memory(), a_memory()
        keep(store, first, second, third)
        assert store.memories.get([third.id, an_id(), first.id]) == [third, first]
        assert store.memories.get([]) == []

    def test_ids_are_found_by_their_last_eight_digits_or_more(self, store: Store) -> None:
        first = a_memory(id="01a31600-0000-7000-8000-00aa12345678")
        second = a_memory(id="01a31600-0000-7000-8000-00bb12345678")
        keep(store, first, second, a_memory())
        assert sorted(store.memories.ending("12345678")) == [first.id, second.id]
        assert store.memories.ending("aa12345678") == [first.id]
        assert store.memories.ending("800000bb12345678") == [second.id]
        assert store.memories.ending(first.id.replace("-", "")) == [first.id]
        assert store.memories.ending("cc12345678") == []
        assert store.memories.ending("02345678") == []

    def test_saying_knows_the_unsuperseded_memories_of_the_project_only(self, store: Store) -> None:
        current = a_memory(content="use tabs")
        expired_memory = a_memory(content="freeze until Monday", expires=1)
        retired_memory = a_memory(content="use spaces", valid_until=NOW, superseded_by=current.id)
        elsewhere = a_memory(content="use ruff", project="elsewhere")
        keep(store, current, expired_memory, retired_memory, elsewhere)
        prints = [memory.fingerprint for memory in (current, expired_memory, retired_memory, elsewhere)]
        assert store.memories.saying(current.project, prints) == {
            current.fingerprint: current,
            expired_memory.fingerprint: expired_memory,
        }
        assert store.memories.saying("elsewhere", prints) == {elsewhere.fingerprint: elsewhere}
        assert store.memories.saying(current.project, []) == {}

    def test_what_was_superseded_may_be_said_again(self, store: Store) -> None:
        old = a_memory(content="Redis", valid_until=NOW)
        again = a_memory(content="Redis")
        keep(store, old, again)
        assert store.memories.saying(old.project, [old.fingerprint]) == {old.fingerprint: again}

    def test_the_same_cannot_stand_twice_among_the_current(self, store: Store) -> None:
        memory = a_memory(content="Redis")
        keep(store, memory)
        with pytest.raises(StoreError):
            keep(store, a_memory(content="something else"), a_memory(content="Redis"))
        assert store.memories.newest(EVERYTHING, 10) == [memory]

    def test_newest_goes_by_time_and_among_equals_by_arrival(self, store: Store) -> None:
        late = a_memory(created_at=NOW + 10)
        early = a_memory(created_at=NOW - 10)
        first, second = a_memory(created_at=NOW), a_memory(created_at=NOW)
        keep(store, late, early, first, second)
        assert store.memories.newest(EVERYTHING, 10) == [late, second, first, early]
        assert store.memories.newest(EVERYTHING, 2) == [late, second]

    def test_around_gives_the_neighbours_in_time_oldest_first(self, store: Store) -> None:
        row = [a_memory(created_at=NOW + place) for place in range(7)]
        keep(store, *reversed(row))
        assert store.memories.around(row[3], 2, EVERYTHING) == row[1:6]
        assert store.memories.around(row[3], 0, EVERYTHING) == [row[3]]
        assert store.memories.around(row[0], 2, EVERYTHING) == row[:3]
        assert store.memories.around(row[6], 2, EVERYTHING) == row[4:]
        assert store.memories.around(row[3], 50, EVERYTHING) == row

    def test_before_gives_what_came_before_newest_first(self, store: Store) -> None:
        row = [a_memory(created_at=NOW + place // 2, kind=("fact", "error")[place % 2]) for place in range(6)]
        keep(store, *row)
        assert store.memories.before(row[3], 2, EVERYTHING) == [row[2], row[1]]
        assert store.memories.before(row[5], 9, Filters(kinds=("fact",))) == [row[4], row[2], row[0]]
        assert store.memories.before(row[0], 9, EVERYTHING) == []

    def test_around_tells_memories_of_one_moment_apart_by_arrival(self, store: Store) -> None:
        row = [a_memory(created_at=NOW) for _ in range(5)]
        keep(store, *row)
        assert store.memories.around(row[2], 1, EVERYTHING) == row[1:4]

    def test_around_filters_the_neighbours_but_never_the_anchor(self, store: Store) -> None:
        kinds = ("fact", "error", "fact", "error", "fact")
        row = [a_memory(kind=kind, created_at=NOW + place) for place, kind in enumerate(kinds)]
        keep(store, *row)
        assert store.memories.around(row[2], 1, Filters(kinds=("error",))) == row[1:4]
        assert store.memories.around(row[2], 5, Filters(kinds=("error",))) == row[1:4]

    def test_history_is_the_same_chain_from_every_link(self, store: Store) -> None:
        third = a_memory(valid_from=NOW + 2)
        second = a_memory(valid_from=NOW + 1, valid_until=NOW + 2, superseded_by=third.id)
        first = a_memory(valid_from=NOW, valid_until=NOW + 1, superseded_by=second.id)
        keep(store, third, second, first, a_memory())
        for link in (first, second, third):
            assert store.memories.history(link.id) == [first, second, third]

    def test_history_holds_every_memory_that_one_took_the_place_of(self, store: Store) -> None:
        newer = a_memory(valid_from=NOW + 1)
        first = a_memory(valid_from=NOW - 1, valid_until=NOW + 1, superseded_by=newer.id)
        second = a_memory(valid_from=NOW, valid_until=NOW + 1, superseded_by=newer.id)
        keep(store, newer, first, second)
        for link in (first, second, newer):
            assert store.memories.history(link.id) == [first, second, newer]

    def test_history_of_what_nothing_touched_is_itself_and_of_the_unknown_nothing(self, store: Store) -> None:
        alone = a_memory()
        keep(store, alone)
        assert store.memories.history(alone.id) == [alone]
        assert store.memories.history(an_id()) == []


def matching_ids(store: Store, query: str) -> list[str]:
    """Return the ids of the memories that hold a word of the query."""
    matches = store.memories.match(terms_of(query), Filters(), 100)
    return [candidate.id for candidate in matches.candidates]


def overwrite(store: Store, memory: Memory) -> None:
    """Replace a memory in a transaction of its own."""
    with store.writing():
        store.memories.replace(memory)


class ReplacingContract:
    """`ports.Memories`: replace, count_read, delete."""

    def test_a_replaced_memory_has_its_new_state(self, store: Store) -> None:
        memory, beside = a_memory(), a_memory()
        keep(store, memory, beside)
        changed_memory = replace(
            memory,
            kind="decision",
            title="New",
            content="New text",
            context="new context",
            tags=("new",),
            files=("new.py",),
            file_hashes={"new.py": "00"},
            importance=1.0,
            confidence=0.0,
            status="confirmed",
            trust="user",
            sources=("manual", "cli"),
            session=a_session().id,
            updated_at=NOW + 1,
            renewed_at=NOW + 2,
            accessed_at=NOW + 3,
            reads=9,
            valid_from=NOW + 4,
            valid_until=NOW + 5,
            superseded_by=beside.id,
            expires=NOW + 6,
            fingerprint="0" * 64,
            metadata={"new": [1]},
        )
        overwrite(store, changed_memory)
        assert store.memories.get([memory.id, beside.id]) == [changed_memory, beside]

    def test_a_transaction_may_remove_a_memory_and_then_change_what_that_had_superseded(
        self, store: Store
    ) -> None:
        newer, other_memory = a_memory(), a_memory()
        older = a_memory(valid_until=NOW, superseded_by=newer.id)
        oldest = a_memory(valid_until=NOW, superseded_by=newer.id)
        keep(store, newer, older, oldest, other_memory)
        with store.writing():
            stored_memories = store.memories.get([older.id, oldest.id])
            store.memories.delete([newer.id])
            store.memories.replace(replace(stored_memories[0], superseded_by=other_memory.id, importance=0.9))
            store.memories.delete([stored_memories[1].id])
        changed_memory = replace(older, superseded_by=other_memory.id, importance=0.9)
        assert store.memories.get([older.id, oldest.id]) == [changed_memory]

    def test_fields_can_be_emptied_again(self, store: Store) -> None:
        memory = a_memory(
            tags=("a",), context="c", session=an_id(), expires=NOW, valid_until=NOW, superseded_by=an_id()
        )
        keep(store, memory)
        bare = replace(
            memory, tags=(), context="", session=None, expires=None, valid_until=None, superseded_by=None
        )
        overwrite(store, bare)
        assert store.memories.get([memory.id]) == [bare]

    def test_the_index_follows_a_replaced_text(self, store: Store) -> None:
        memory = a_memory(content="the walrusDen sleeps", title="walrus", tags=("arctic",), files=("sea/ice.py",))
        keep(store, memory)
        overwrite(
            store, replace(memory, content="the ocelotLair hunts", title="ocelot", tags=("jungle",), files=())
        )
        before, after = ("walrus", "den", "arctic", "ice", "sleeps"), ("ocelot", "lair", "jungle", "hunts")
        assert [matching_ids(store, word) for word in before] == [[]] * 5
        assert [matching_ids(store, word) for word in after] == [[memory.id]] * 4

    def test_new_state_alone_leaves_the_memory_findable(self, store: Store) -> None:
        memory = a_memory(content="the walrus sleeps")
        keep(store, memory)
        overwrite(store, replace(memory, status="confirmed", importance=0.9))
        matches = store.memories.match(terms_of("walrus"), Filters(), 10)
        assert (matches.documents, matches.document_frequencies) == (1, (1,))
        assert [candidate.id for candidate in matches.candidates] == [memory.id]

    def test_a_read_is_counted_once_for_each_and_dated(self, store: Store) -> None:
        first, second, unread = a_memory(reads=4), a_memory(), a_memory()
        keep(store, first, second, unread)
        with store.writing():
            store.memories.count_read([first.id, second.id, first.id, an_id()], NOW + 5)
        assert store.memories.get([first.id, second.id, unread.id]) == [
            replace(first, reads=5, accessed_at=NOW + 5),
            replace(second, reads=1, accessed_at=NOW + 5),
            unread,
        ]

    def test_a_deleted_memory_is_gone_from_every_read(self, store: Store) -> None:
        deleted_memory, stays = a_memory(content="the walrus sleeps"), a_memory(content="the walrus wakes")
        keep(store, deleted_memory, stays)
        with store.writing():
            store.memories.delete([deleted_memory.id, an_id()])
        assert store.memories.get([deleted_memory.id, stays.id]) == [stays]
        assert store.memories.newest(Filters(), 10) == [stays]
        assert store.memories.ending(deleted_memory.id.replace("-", "")[-12:]) == []
        assert store.memories.saying(deleted_memory.project, [deleted_memory.fingerprint]) == {}
        assert store.memories.history(deleted_memory.id) == []
        assert matching_ids(store, "sleeps") == []
        matches = store.memories.match(terms_of("walrus"), Filters(), 10)
        assert (matches.documents, matches.document_frequencies) == (1, (1,))

    def test_what_a_deleted_memory_superseded_stays_history_and_lets_go_of_it(self, store: Store) -> None:
        newer = a_memory()
        older = a_memory(valid_until=NOW, superseded_by=newer.id)
        keep(store, newer, older)
        with store.writing():
            store.memories.delete([newer.id])
        assert store.memories.get([older.id]) == [replace(older, superseded_by=None)]
        assert store.memories.newest(Filters(current_at=NOW), 10) == []

    def test_a_deleted_text_may_be_kept_again(self, store: Store) -> None:
        deleted_memory = a_memory(content="the walrus sleeps")
        keep(store, deleted_memory)
        with store.writing():
            store.memories.delete([deleted_memory.id])
        again = a_memory(content="the walrus sleeps")
        keep(store, again)
        assert matching_ids(store, "walrus") == [again.id]
