"""A second look finds what older rules let through, and redacts it in place."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.capture.rescan import rescan
from holdfast.capture.text.clean import Cleaner
from holdfast.model.finding import Evidence
from holdfast.model.records import Access, Rescan
from holdfast.model.search import Filters
from holdfast.storage.open import open_service
from holdfast.stores.sqlite.store import SqliteStore
from holdfast.text.words import terms_of
from tests.contract.builders import NOW, a_finding, a_memory, a_session, a_turn, keep, keep_turns
from tests.secrets import AWS, GITHUB, MAIL, TOKENS


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    """A store on disk, filled as by an older rule set: past the cleaner."""
    store = SqliteStore.open(tmp_path / "store" / "memory.db", project="p", now=NOW)
    yield store
    store.close()


def files(tmp_path: Path) -> bytes:
    """Return every byte of the store's directory."""
    return b"".join(path.read_bytes() for path in (tmp_path / "store").iterdir())


def look(store: SqliteStore) -> Rescan:
    """Look through the store again."""
    return rescan(store, Cleaner(), actor="cli", now=NOW)


def test_every_table_is_redacted_in_place_and_the_bytes_go(store: SqliteStore, tmp_path: Path) -> None:
    session = a_session(agent=f"agent {AWS}", ref=f"run {AWS}", summary=f"about {AWS}", user=MAIL)
    turn = a_turn(session, f"use {GITHUB}", tool=GITHUB, ref=GITHUB, files=(f"{GITHUB}.txt",), role=GITHUB)
    keep_turns(store, session, turn)
    memory = a_memory(
        content=f"The key is {GITHUB}",
        context=GITHUB,
        tags=("fine", GITHUB),
        files=(f"keys/{GITHUB}",),
        file_hashes={f"keys/{GITHUB}": "00"},
        sources=("cli", f"from {GITHUB}"),
        metadata={"deep": [{GITHUB: GITHUB}]},
        agent=GITHUB,
        branch=f"fix/{GITHUB}",
        user=MAIL,
    )
    old = a_memory(content=f"The key was {AWS}", title="Own title", valid_until=NOW)
    clean = a_memory(content="Nothing to see")
    keep(store, memory, old, clean)
    with store.writing():
        store.accesses.record(
            [Access(memory=memory.id, action="search", at=NOW, query=query) for query in (f"why {GITHUB}", "fine")]
        )
    assert all(secret.encode() in files(tmp_path) for secret in (GITHUB, AWS, MAIL))

    done = look(store)
    assert (done.memories, done.turns, done.sessions, done.queries, done.pending) == (2, 1, 1, 1, False)
    assert set(done.found) == {"github-token", "aws-access-key", "email"}
    assert not any(secret.encode() in files(tmp_path) for secret in (*TOKENS, MAIL))

    [after, history, untouched] = store.memories.get([memory.id, old.id, clean.id])
    assert (after.content, after.title) == ("The key is [REDACTED:github-token]",) * 2
    assert (after.tags, after.file_hashes) == (("fine", "[REDACTED:github-token]"), {})
    assert (history.content, history.title) == ("The key was [REDACTED:aws-access-key]", "Own title")
    assert untouched == clean
    assert store.turns.of(session.id)[0].text == "use [REDACTED:github-token]"
    assert {one.query for one in store.accesses.recent(9)} == {"why [REDACTED:github-token]", "fine"}
    assert store.memories.match(terms_of(GITHUB), Filters(), 9).candidates == ()
    assert [one.id for one in store.memories.match(terms_of("github token"), Filters(), 9).candidates] == [
        memory.id
    ]
    assert [event.detail for event in store.audit.events(9)] == [{"redacted": 1}, {"redacted": 2}]
    assert store.audit.broken_at() is None
    assert look(store) == Rescan(checked=5)


def test_entries_that_differed_in_a_secret_only_become_one(store: SqliteStore) -> None:
    one = a_memory(content=f"The key is {GITHUB}", tags=("a",), sources=("cli",))
    other = a_memory(content=f"The key is {GITHUB[:-1]}Z", tags=("b",), sources=("git",))
    keep(store, one, other)
    assert look(store).memories == 2
    [kept] = store.memories.newest(Filters(), 9)
    assert (kept.id, kept.tags, kept.sources) == (one.id, ("a", "b"), ("cli", "git"))


def test_many_rows_are_gone_through_in_slices(store: SqliteStore) -> None:
    rows = [
        a_memory(content=f"Note {number} with {GITHUB if number % 100 == 99 else 'nothing'}")
        for number in range(1_200)
    ]
    keep(store, *rows)
    steps: list[int] = []
    done = rescan(store, Cleaner(), actor="cli", now=NOW, progress=steps.append)
    assert done == Rescan(checked=1_200, memories=12, found={"github-token": 12})
    assert sum(steps) == 1_200
    assert len(steps) > 2


def test_what_the_user_allows_stays(store: SqliteStore) -> None:
    keep(store, a_memory(content=f"The key is {GITHUB}"))
    assert rescan(store, Cleaner(allow=[GITHUB]), actor="cli", now=NOW) == Rescan(checked=1)


def test_the_service_looks_through_both_scopes(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a setting, or an older version, let through is gone afterwards."""
    monkeypatch.setenv("HOLDFAST_REDACT_ALLOW", "/.*/")
    with Holdfast.open(project) as memory:
        memory.add(f"The key is {GITHUB}")
        memory.add(f"My key is {GITHUB}", scope="user")
        memory.start_session().record("user", f"use {AWS}")
        memory.search("key")
    monkeypatch.delenv("HOLDFAST_REDACT_ALLOW")
    service = open_service(project, actor="cli")
    done = service.rescan_secrets()
    service.close()
    assert done == Rescan(checked=4, memories=2, turns=1, found={"github-token": 2, "aws-access-key": 1})
    with Holdfast.open(project) as memory:
        assert {one.title for one in memory.list()} == {
            "The key is [REDACTED:github-token]",
            "My key is [REDACTED:github-token]",
        }


def test_findings_are_redacted_with_their_turn_and_point_to_where_they_stand(store: SqliteStore) -> None:
    session = a_session()
    rule = f"Settled: the key {GITHUB} is rotated on Mondays."
    turn = a_turn(session, f"The old key was {AWS}. {rule} Thanks.")
    keep_turns(store, session, turn)
    place = turn.text.index(rule)
    said = Evidence(turn=turn.id, start=place, end=place + len(rule))
    with store.writing():
        store.findings.put([a_finding(session, content=rule, evidence=(said,))])
    look(store)
    [finding] = store.findings.from_turns([turn.id])
    [after] = store.turns.get([turn.id])
    [said] = finding.evidence
    assert GITHUB not in finding.content
    assert after.text[said.start : said.end] == finding.content
