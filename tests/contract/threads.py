"""What threads must do in every store."""

from msgspec.structs import replace

from holdfast.model.thread import Thread, ThreadStatement
from holdfast.ports import Store
from tests.contract.builders import NOW, a_session, a_thread, a_turn, an_id


def keep_threads(store: Store, *threads: Thread) -> None:
    """Keep threads in one transaction."""
    with store.writing():
        store.threads.put(threads)


class ThreadsContract:
    """`ports.Threads`."""

    def test_a_thread_comes_back_with_every_field_as_it_was_kept(self, store: Store) -> None:
        session, later = a_session(), an_id()
        turn = a_turn(session, "Never more than seven attempts.")
        with store.writing():
            store.sessions.insert(session)
            store.turns.insert([turn])
        statements = (
            ThreadStatement(turn=turn.id, start=3, end=9, lasts=0.5, trust="user", replaced_by=later),
            ThreadStatement(turn=None, trust="agent", memory=an_id()),
        )
        thread = a_thread(*statements, session=session.id, first=turn.id, title="Größe ✓", files=("src/ä.py",))
        keep_threads(store, thread)
        assert store.threads.get([thread.id, an_id()]) == [thread]
        assert store.threads.get([thread.id])[0].standing == statements[1:]

    def test_thread_ids_are_found_by_their_last_eight_digits_or_more(self, store: Store) -> None:
        first = a_thread(id="01a31600-0000-7000-8000-00cc87654321")
        second = a_thread(id="01a31600-0000-7000-8000-00dd87654321")
        keep_threads(store, first, second)
        assert sorted(store.threads.ending("87654321")) == [first.id, second.id]
        assert store.threads.ending("dd87654321") == [second.id]

    def test_a_turn_stands_in_the_last_thread_that_begins_at_it_or_before(self, store: Store) -> None:
        session, other = a_session(), a_session()
        turns = [a_turn(session, f"turn {number}") for number in range(5)]
        elsewhere = a_turn(other, "another session")
        with store.writing():
            store.sessions.insert(session)
            store.sessions.insert(other)
            store.turns.insert([*turns, elsewhere])
        first, second = (a_thread(session=session.id, first=turns[place].id) for place in (1, 3))
        keep_threads(store, second, first)
        assert store.threads.of(session.id) == [first, second]
        assert store.threads.of_turns([turn.id for turn in (*turns, elsewhere)]) == {
            turns[1].id: first.id,
            turns[2].id: first.id,
            turns[3].id: second.id,
            turns[4].id: second.id,
        }

    def test_a_memory_is_a_statement_of_the_thread_that_had_it_first(self, store: Store) -> None:
        statement = ThreadStatement(turn=None, trust="user", memory=an_id())
        first, second = a_thread(statement), a_thread(statement)
        keep_threads(store, first)
        keep_threads(store, second)
        assert store.threads.of_memories([str(statement.memory), an_id()]) == {statement.memory: first.id}
        keep_threads(store, replace(first, statements=()))
        assert store.threads.of_memories([str(statement.memory)]) == {}

    def test_the_latest_threads_come_first(self, store: Store) -> None:
        threads = [a_thread(at=NOW + number) for number in (1, 3, 2)]
        keep_threads(store, *threads)
        assert store.threads.newest(2) == [threads[1], threads[2]]

    def test_threads_that_are_removed_are_gone_with_what_says_which_memories_they_hold(self, store: Store) -> None:
        thread = a_thread(ThreadStatement(turn=None, trust="user", memory=an_id()))
        keep_threads(store, thread)
        with store.writing():
            store.threads.delete([thread.id])
        assert store.threads.get([thread.id]) == []
        assert store.threads.of_memories([str(thread.statements[0].memory)]) == {}
