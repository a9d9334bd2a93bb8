"""Memories as they are kept and read: whole values, order, short ids, duplicates, time, history."""

import pytest

from holdfast.errors import StoreError
from holdfast.model.search import Filters
from holdfast.ports import Store
from holdfast.testing.builders import NOW, a_memory, an_id, keep

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

    @pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
    def test_any_text_comes_back_unchanged(self, store: Store, text: str) -> None:
        memory = a_memory(
            content=text, title=text[:80], context=text[:200], tags=(text[:50],), metadata={"k": text[:99]}
        )
        keep(store, memory)
        assert store.memories.get([memory.id]) == [memory]

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
