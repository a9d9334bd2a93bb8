"""Findings as they are kept: whole values with their evidence, found by session, turn, memory and fingerprint."""

from dataclasses import replace

import pytest

from holdfast.model.finding import Evidence, Finding
from holdfast.model.session import Session
from holdfast.ports import Store
from holdfast.testing.builders import NOW, a_finding, a_session, a_turn, an_id, keep_turns


def found(store: Store, session: Session, *findings: Finding) -> None:
    """Insert a session and its findings in one transaction."""
    with store.writing():
        store.sessions.insert(session)
        store.findings.put(findings)


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
        found(store, session, finding)
        assert store.findings.get([finding.id, an_id()]) == [finding]

    def test_putting_a_finding_again_changes_it_and_keeps_its_place(self, store: Store) -> None:
        session = a_session()
        first, second = a_finding(session), a_finding(session)
        found(store, session, first, second)
        changed = replace(
            first, signals=("recap", "retracted"), importance=0.9, evidence=(Evidence(turn=an_id(), start=0, end=1),)
        )
        with store.writing():
            store.findings.put([changed])
        assert store.findings.of(session.id, None, 10) == [changed, second]

    def test_a_sessions_findings_are_walked_in_the_order_they_were_made(self, store: Store) -> None:
        session, other = a_session(), a_session()
        findings = [a_finding(session) for _ in range(4)]
        found(store, session, *findings)
        found(store, other, a_finding(other))
        assert store.findings.of(session.id, None, 3) == findings[:3]
        assert store.findings.of(session.id, findings[2].id, 3) == findings[3:]
        assert store.findings.latest(session.id, 2) == findings[2:]

    def test_a_turn_leads_to_what_was_read_from_it(self, store: Store) -> None:
        session = a_session()
        turn = a_turn(session, "Never on Fridays.")
        keep_turns(store, session, turn)
        cited = a_finding(session, evidence=(Evidence(turn=an_id(), start=0, end=1), Evidence(turn=turn.id, start=0, end=5)))
        with store.writing():
            store.findings.put([cited, a_finding(session)])
        assert store.findings.from_turns([turn.id]) == [cited]
        assert store.findings.from_turns([an_id()]) == []

    def test_a_memory_leads_to_the_findings_it_was_made_of(self, store: Store) -> None:
        session, memory_id = a_session(), an_id()
        first, second = a_finding(session, memory=memory_id), a_finding(session, memory=memory_id)
        found(store, session, first, a_finding(session), second)
        assert store.findings.behind([memory_id]) == [first, second]

    def test_the_same_is_found_in_other_sessions_by_its_fingerprint(self, store: Store) -> None:
        one, other = a_session(), a_session()
        here, there = a_finding(one, content="Always UTC."), a_finding(other, content="always  utc.")
        found(store, one, here, a_finding(one))
        found(store, other, there)
        assert store.findings.saying([here.fingerprint]) == [here, there]

    def test_what_is_no_memory_yet_comes_newest_first(self, store: Store) -> None:
        session = a_session()
        old, new = a_finding(session, created_at=NOW - 9), a_finding(session, created_at=NOW)
        found(store, session, new, old, a_finding(session, created_at=NOW - 10), a_finding(session, memory=an_id()))
        assert store.findings.unpromoted(NOW - 9, 10) == [new, old]
        assert store.findings.unpromoted(NOW - 9, 1) == [new]

    def test_deleted_findings_are_gone_with_their_evidence(self, store: Store) -> None:
        session = a_session()
        gone, kept = a_finding(session), a_finding(session)
        found(store, session, gone, kept)
        with store.writing():
            store.findings.delete([gone.id])
        assert store.findings.of(session.id, None, 10) == [kept]
        assert store.findings.from_turns([gone.turn]) == []

    def test_findings_of_a_transaction_that_fails_are_not_kept(self, store: Store) -> None:
        session = a_session()
        found(store, session)
        with pytest.raises(ZeroDivisionError), store.writing():
            store.findings.put([a_finding(session)])
            raise ZeroDivisionError
        assert store.findings.latest(session.id, 5) == []
