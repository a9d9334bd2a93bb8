"""Memories that change: overwritten, read, removed; and their index with them."""

from dataclasses import replace

from holdfast.capture.text.terms import terms_of
from holdfast.model.memory import Memory
from holdfast.model.search import Filters
from holdfast.ports import Store
from holdfast.testing.builders import NOW, a_memory, a_session, an_id, keep


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
