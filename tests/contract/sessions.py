"""Sessions and their findings as they are kept: whole values with their evidence; refs, order, fingerprints."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from msgspec.structs import replace

from holdfast.errors import StoreError
from holdfast.model.finding import Evidence, Finding
from holdfast.model.ids import new_id
from holdfast.model.kinds import PROMOTED, QUARANTINE
from holdfast.model.search import Filters
from holdfast.model.session import Session
from holdfast.ports import Store
from holdfast.stores.retry import again
from holdfast.text.words import terms_of
from tests.contract.builders import (
    ARRIVED_AT,
    NOW,
    PROJECT,
    a_finding,
    a_memory,
    a_session,
    a_turn,
    an_id,
    keep,
    keep_turns,
)


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


def keep_findings(store: Store, session: Session, *findings: Finding) -> None:
    """Insert a session and its findings in one transaction."""
    with store.writing():
        store.sessions.insert(session)
        store.findings.put(findings)


def begin_twice(store: Store, session: Session) -> None:
    """Insert a finding, and then a session that is there already."""
    with store.writing():
        store.findings.put([a_finding(session)])
        store.sessions.insert(a_session(ref="taken"))
        store.sessions.insert(a_session(ref="taken"))


class FindingsContract:
    """`ports.Findings`."""

    def test_a_finding_comes_back_with_every_field_as_it_was_kept(self, store: Store) -> None:
        session = a_session()
        finding = a_finding(
            session,
            evidence=(Evidence(turn=an_id(), start=3, end=9), Evidence(turn=an_id(), start=0, end=4)),
            signals=("recap", "confirmed"),
            files=("src/ä.py",),
            memory=an_id(),
        )
        keep_findings(store, session, finding)
        assert store.findings.get([finding.id, an_id()]) == [finding]

    def test_finding_ids_are_found_by_their_last_eight_digits_or_more(self, store: Store) -> None:
        session = a_session()
        first = a_finding(session, id="01a31600-0000-7000-8000-00cc87654321")
        second = a_finding(session, id="01a31600-0000-7000-8000-00dd87654321")
        keep_findings(store, session, first, second)
        assert sorted(store.findings.ending("87654321")) == [first.id, second.id]
        assert store.findings.ending("dd87654321") == [second.id]
        assert store.findings.ending("ee87654321") == []

    def test_putting_a_finding_again_changes_it_and_keeps_its_place(self, store: Store) -> None:
        session = a_session()
        first, second = a_finding(session), a_finding(session)
        keep_findings(store, session, first, second)
        changed_finding = replace(
            first,
            signals=("recap", "retracted"),
            importance=0.9,
            evidence=(Evidence(turn=an_id(), start=0, end=1),),
        )
        with store.writing():
            store.findings.put([changed_finding])
        assert store.findings.of(session.id, None, 10) == [changed_finding, second]

    def test_a_sessions_findings_are_walked_in_the_order_they_were_made(self, store: Store) -> None:
        session, other_session = a_session(), a_session()
        findings = [a_finding(session) for _ in range(4)]
        keep_findings(store, session, *findings)
        keep_findings(store, other_session, a_finding(other_session))
        assert store.findings.of(session.id, None, 3) == findings[:3]
        assert store.findings.of(session.id, findings[2].id, 3) == findings[3:]
        assert store.findings.latest(session.id, 2) == findings[2:]

    def test_a_turn_leads_to_what_was_read_from_it(self, store: Store) -> None:
        session = a_session()
        turn = a_turn(session, "Never on Fridays.")
        keep_turns(store, session, turn)
        places = Evidence(turn=an_id(), start=0, end=1), Evidence(turn=turn.id, start=0, end=5)
        citing_finding = a_finding(session, evidence=places)
        with store.writing():
            store.findings.put([citing_finding, a_finding(session)])
        assert store.findings.from_turns([turn.id]) == [citing_finding]
        assert store.findings.from_turns([an_id()]) == []

    def test_a_memory_leads_to_the_findings_it_was_made_of(self, store: Store) -> None:
        session, memory_id = a_session(), an_id()
        first, second = a_finding(session, memory=memory_id), a_finding(session, memory=memory_id)
        keep_findings(store, session, first, a_finding(session), second)
        assert store.findings.behind([memory_id]) == [first, second]

    def test_the_same_is_found_in_other_sessions_by_its_fingerprint(self, store: Store) -> None:
        first_session, second_session = a_session(), a_session()
        here, there = (
            a_finding(first_session, content="Always UTC."),
            a_finding(second_session, content="always  utc."),
        )
        keep_findings(store, first_session, here, a_finding(first_session))
        keep_findings(store, second_session, there)
        assert store.findings.saying([here.fingerprint]) == [here, there]

    def test_what_is_no_memory_yet_comes_newest_first(self, store: Store) -> None:
        session = a_session()
        old, new = a_finding(session, created_at=NOW - 9), a_finding(session, created_at=NOW)
        keep_findings(
            store, session, new, old, a_finding(session, created_at=NOW - 10), a_finding(session, memory=an_id())
        )
        assert store.findings.unpromoted(NOW - 9, 10) == [new, old]
        assert store.findings.unpromoted(NOW - 9, 1) == [new]

    def test_deleted_findings_are_gone_with_their_evidence(self, store: Store) -> None:
        session = a_session()
        deleted_finding, other_finding = a_finding(session), a_finding(session)
        keep_findings(store, session, deleted_finding, other_finding)
        with store.writing():
            store.findings.delete([deleted_finding.id])
        assert store.findings.of(session.id, None, 10) == [other_finding]
        assert store.findings.from_turns([deleted_finding.turn]) == []

    def test_findings_of_a_transaction_that_fails_are_not_kept(self, store: Store) -> None:
        session = a_session()
        keep_findings(store, session)
        with pytest.raises(StoreError):
            begin_twice(store, session)
        assert store.findings.latest(session.id, 5) == []

    def test_how_far_a_session_was_read_is_kept(self, store: Store) -> None:
        session = a_session(forked_at=an_id())
        keep_findings(store, session)
        updated_session = replace(session, read_to=an_id(), turns_read=7)
        with store.writing():
            store.sessions.replace(updated_session)
        assert store.sessions.get(session.id) == updated_session

    def test_turns_are_walked_from_after_one_and_up_to_one(self, store: Store) -> None:
        session, other_session = a_session(), a_session()
        turns = [a_turn(session, f"turn {place}", at=NOW - place) for place in range(5)]
        keep_turns(store, session, *turns[:2])
        keep_turns(store, other_session, elsewhere := a_turn(other_session, "elsewhere"))
        with store.writing():
            store.turns.insert(turns[2:])
        assert store.turns.following(session.id, None, 2) == turns[:2]
        assert store.turns.following(session.id, turns[1].id, 9) == turns[2:]
        assert store.turns.following(session.id, elsewhere.id, 9) == turns[2:]
        assert store.turns.following(session.id, turns[4].id, 9) == []
        assert store.turns.leading(session.id, turns[3].id, 2) == turns[2:4]
        assert store.turns.leading(session.id, elsewhere.id, 9) == turns[:2]
        assert store.turns.leading(session.id, an_id(), 9) == []

    def test_silent_sessions_are_the_active_ones_not_heard_of_since(self, store: Store) -> None:
        silent, never = a_session(started_at=NOW, heard_at=NOW - 60), a_session(started_at=NOW - 70)
        lively, ended_session = a_session(started_at=NOW - 90), a_session(started_at=NOW - 99, status="completed")
        keep_findings(store, silent)
        keep_turns(store, lively, a_turn(lively, "hello", at=NOW - 80, id=new_id(NOW)))
        keep_findings(store, never)
        keep_findings(store, ended_session)
        assert [session.id for session in store.sessions.silent(NOW - 50, 9)] == [never.id, silent.id]
        assert [session.id for session in store.sessions.silent(NOW - 50, 1)] == [never.id]

    def test_quarantine_holds_what_was_promoted_before_and_not_judged_since(self, store: Store) -> None:
        promoted_fields = {"sources": (PROMOTED, "manual"), "renewed_at": NOW - 5}
        second, first = a_memory(**promoted_fields), a_memory(**promoted_fields | {"renewed_at": NOW - 9})
        other_memories = (
            a_memory(**promoted_fields | {"renewed_at": NOW}),
            a_memory(**promoted_fields | {"sources": ("manual", PROMOTED)}),
            a_memory(**promoted_fields | {"status": "confirmed"}),
            a_memory(**promoted_fields | {"metadata": {QUARANTINE: "unread"}}),
            a_memory(**promoted_fields | {"valid_until": NOW - 1, "superseded_by": second.id}),
        )
        keep(store, second, first, *other_memories)
        assert store.memories.quarantined(NOW - 5, 9) == [first, second]
        assert store.memories.quarantined(NOW - 5, 1) == [first]

    def test_metadata_may_hold_a_zero_byte_and_is_asked_for_its_mark_all_the_same(self, store: Store) -> None:
        odd = {"x": "a\0b", "y\0": ["\0"]}
        waits = a_memory(sources=("promoted",), renewed_at=NOW - 9, metadata=odd)
        judged_memory = a_memory(
            sources=("promoted",), renewed_at=NOW - 9, metadata={**odd, "quarantine": "unread"}
        )
        keep(store, waits, judged_memory)
        assert store.memories.get([waits.id, judged_memory.id]) == [waits, judged_memory]
        assert store.memories.quarantined(NOW - 5, 9) == [waits]

    def test_a_replaced_session_was_heard_of_no_earlier_than_before(self, store: Store) -> None:
        session = a_session(heard_at=NOW)
        keep_findings(store, session)
        for heard_at, stored_at in ((NOW - 5, NOW), (None, NOW), (NOW + 5, NOW + 5)):
            with store.writing():
                store.sessions.replace(replace(session, heard_at=heard_at))
            assert store.sessions.get(session.id) == replace(session, heard_at=stored_at)
