"""Sessions as they are kept: whole values, refs, order."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from holdfast.capture.text.terms import terms_of
from holdfast.errors import StoreError
from holdfast.model.search import Filters
from holdfast.model.session import Session
from holdfast.ports import Store
from holdfast.stores.retry import again
from holdfast.testing.builders import ARRIVED_AT, NOW, PROJECT, a_session, a_turn, an_id, keep_turns


def begin(store: Store, *sessions: Session) -> None:
    """Insert sessions in one transaction."""
    with store.writing():
        for session in sessions:
            store.sessions.insert(session)


class SessionsContract:
    """`ports.Sessions`."""

    def test_a_session_comes_back_with_every_field_as_it_was_kept(self, store: Store) -> None:
        session = a_session(
            status="completed",
            ref="the caller's own ✓",
            parent=an_id(),
            ended_at=NOW + 9,
            last_turn_at=NOW + 8,
            heard_at=NOW + 9,
            summary="Moved the queue.",
            tool_calls=3,
            turns=5,
        )
        begin(store, session)
        assert store.sessions.get(session.id) == session
        assert store.sessions.peek(session.id) == session
        assert store.sessions.get(an_id()) is None
        assert store.sessions.peek(an_id()) is None

    def test_session_ids_are_found_by_their_last_eight_digits_or_more(self, store: Store) -> None:
        first = a_session(id="01a31600-0000-7000-8000-00cc87654321")
        second = a_session(id="01a31600-0000-7000-8000-00dd87654321")
        begin(store, first, second)
        assert sorted(store.sessions.ending("87654321")) == [first.id, second.id]
        assert store.sessions.ending("dd87654321") == [second.id]
        assert store.sessions.ending("ee87654321") == []

    def test_a_ref_leads_to_the_session_of_that_project(self, store: Store) -> None:
        here, there = a_session(ref="run-1"), a_session(ref="run-1", project="elsewhere")
        begin(store, here, there, a_session())
        assert store.sessions.with_ref(PROJECT, "run-1") == here
        assert store.sessions.with_ref("elsewhere", "run-1") == there
        assert store.sessions.with_ref(PROJECT, "run-2") is None

    def test_a_ref_names_one_session_of_a_project(self, store: Store) -> None:
        first = a_session(ref="run-1")
        begin(store, first)
        with pytest.raises(StoreError):
            begin(store, a_session(ref="run-1"))
        assert store.sessions.newest(None, 10) == [first]

    def test_sessions_without_a_ref_do_not_collide(self, store: Store) -> None:
        begin(store, a_session(), a_session())
        assert len(store.sessions.newest(None, 10)) == 2

    def test_newest_sessions_go_by_start_and_among_equals_by_arrival(self, store: Store) -> None:
        late = a_session(started_at=NOW + 5)
        first, second = a_session(), a_session()
        elsewhere = a_session(project="elsewhere", started_at=NOW - 5)
        begin(store, late, elsewhere, first, second)
        assert store.sessions.newest(None, 10) == [late, second, first, elsewhere]
        assert store.sessions.newest(None, 2) == [late, second]
        assert store.sessions.newest(PROJECT, 10) == [late, second, first]
        assert store.sessions.newest("nowhere", 10) == []

    def test_sessions_come_in_pages_from_one_on_into_the_past(self, store: Store) -> None:
        row = [a_session(started_at=NOW + place // 2, agent=("codex", "gemini")[place % 2]) for place in range(6)]
        begin(store, *row)
        newest = row[::-1]
        assert store.sessions.page(Filters(), None, 2) == newest[:2]
        assert store.sessions.page(Filters(), newest[1], 3) == newest[2:5]
        assert store.sessions.page(Filters(), newest[5], 3) == []
        assert store.sessions.page(Filters(agents=("codex",)), newest[0], 9) == [row[4], row[2], row[0]]
        assert store.sessions.page(Filters(since=NOW + 1, until=NOW + 2), None, 9) == [row[3], row[2]]

    def test_a_session_knows_what_it_was_forked_into(self, store: Store) -> None:
        parent = a_session()
        second = a_session(parent=parent.id, started_at=NOW + 2)
        first = a_session(parent=parent.id, started_at=NOW + 1)
        begin(store, parent, second, first, a_session(parent=an_id()))
        assert store.sessions.children(parent.id, 9) == [first, second]
        assert store.sessions.children(parent.id, 1) == [first]
        assert store.sessions.children(first.id, 9) == []

    def test_a_replaced_session_keeps_the_stores_own_counts(self, store: Store) -> None:
        session = a_session(ref="run-1")
        keep_turns(store, session, a_turn(session, "hello", at=NOW + 3, tool="bash"))
        ended_session = replace(session, status="completed", ended_at=NOW + 4, summary="Done.", parent=an_id())
        with store.writing():
            store.sessions.replace(ended_session)
        assert store.sessions.get(session.id) == replace(
            ended_session, turns=1, tool_calls=1, last_turn_at=NOW + 3, heard_at=ARRIVED_AT
        )

    def test_who_ends_a_session_and_who_reads_on_do_not_undo_each_other(self, store: Store) -> None:
        session = a_session()
        keep_turns(store, session, a_turn(session, "one"), a_turn(session, "two"))
        look_done, end_done = threading.Event(), threading.Event()

        def end() -> None:
            look_done.wait(5)
            with store.writing():
                current_session = store.sessions.get(session.id) or session
                store.sessions.replace(replace(current_session, status="completed", ended_at=NOW))
            end_done.set()

        @again
        def reword() -> None:
            with store.writing():
                [current_session] = store.sessions.newest(None, 9)
                look_done.set()
                end_done.wait(0.2)
                store.sessions.replace(replace(current_session, summary="Clean."))

        with ThreadPoolExecutor(1) as pool:
            ending_call = pool.submit(end)
            reword()
            ending_call.result()
        stored_session = store.sessions.get(session.id)
        assert stored_session
        assert (stored_session.status, stored_session.ended_at, stored_session.summary, stored_session.turns) == (
            "completed",
            NOW,
            "Clean.",
            2,
        )

    def test_a_session_matches_by_the_words_of_all_its_turns(self, store: Store) -> None:
        """What an agent said counts a tenth, the day once; the length is in tenths of a character."""
        much, little, unrelated = a_session(), a_session(), a_session()
        keep_turns(store, much, a_turn(much, "walrus walrus"), a_turn(much, "walrus", role="assistant"))
        keep_turns(store, little, a_turn(little, "a lynx, a walrus"))
        keep_turns(store, unrelated, a_turn(unrelated, "ocelot"))
        matches = store.sessions.match(terms_of("walrus lynx January"), Filters(), 9)
        assert (matches.documents, matches.tokens, matches.document_frequencies) == (3, 356, (2, 1, 3))
        assert {candidate.id: candidate.length for candidate in matches.candidates} == {
            much.id: 136,
            little.id: 160,
            unrelated.id: 60,
        }
        frequencies = {candidate.id: candidate.frequencies for candidate in matches.candidates}
        assert frequencies[much.id] == pytest.approx((2.1, 0.0, 1.0))
        assert frequencies[little.id] == pytest.approx((1.0, 1.0, 1.0))
        assert matches.candidates[0].id == little.id

    def test_a_session_matches_only_when_a_turn_of_it_passes_the_filters(self, store: Store) -> None:
        early, late = a_session(), a_session()
        keep_turns(store, early, a_turn(early, "walrus"))
        keep_turns(store, late, a_turn(late, "walrus", at=NOW + 5))
        matches = store.sessions.match(terms_of("walrus"), Filters(since=NOW + 1), 9)
        assert ([candidate.id for candidate in matches.candidates], matches.document_frequencies) == (
            [late.id],
            (2,),
        )

    def test_a_masked_turn_shortens_its_session(self, store: Store) -> None:
        session = a_session()
        turn = a_turn(session, "walrus ocelot")
        keep_turns(store, session, turn)
        with store.writing():
            store.turns.replace(replace(turn, text="walrus"))
        [candidate] = store.sessions.match(terms_of("walrus ocelot"), Filters(), 9).candidates
        assert (candidate.frequencies, candidate.length) == ((1.0, 0.0), 60)
