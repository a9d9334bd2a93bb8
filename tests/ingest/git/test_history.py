"""The history becomes evidence and memories, once, and the later word on a branch counts."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.ingest.history import Bounds, History
from holdfast.model.ingest import GitIngested
from holdfast.model.memory import Memory
from holdfast.model.requests import Changes, Draft, SearchRequest
from holdfast.model.search import Filters
from holdfast.service.service import Service
from holdfast.storage.open import open_service
from tests.conftest import FakeClock
from tests.ingest.git.repositories import START, Repository
from tests.secrets import ALL, GITHUB, MAIL

RETRIES = "fix: cap the retries\n\nMAX_ATTEMPTS is exactly 7, because an eighth attempt trips the limiter."
REDIS = "Use Redis for the queue\n\nWe decided to use Redis for the job queue."


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repo")


@pytest.fixture
def service(repository: Repository, clock: FakeClock) -> Iterator[Service]:
    opened = open_service(repository.path, actor="test", clock=clock, embed_on_add=False)
    yield opened
    opened.close()


def ingest(service: Service, repository: Repository, **more: object) -> GitIngested:
    """Read the history as the command does."""
    confirmed, dry_run = bool(more.pop("confirmed", False)), bool(more.pop("dry_run", False))
    history = History(service, repository.path, "main", confirmed)
    ids, known = history.unread(Bounds(**more))  # type: ignore[arg-type]  # a test's own names
    return history.ingest(ids, known, lambda done: None, dry_run=dry_run)


def current(service: Service) -> dict[str, Memory]:
    """Return what holds, by title."""
    return {memory.title: memory for memory in service.list(Filters())}


def test_every_commit_is_evidence_and_one_that_states_something_a_memory(
    service: Service, repository: Repository, clock: FakeClock
) -> None:
    repository.commit("Add a progress bar to the importer", "ui.py")
    stated = repository.commit(RETRIES, "src/retry.py", "tests/test_retry.py")
    done = ingest(service, repository)
    assert done == GitIngested(
        branch="main", dry_run=False, commits=2, known=0, evidence=2, memories=1, superseded=0, skipped={}
    )
    [memory] = current(service).values()
    assert (memory.kind, memory.trust, memory.status, memory.sources) == (
        "decision",
        "imported",
        "candidate",
        ("git",),
    )
    assert (memory.commit, memory.branch, memory.files) == (
        stated,
        "main",
        ("src/retry.py", "tests/test_retry.py"),
    )
    assert (memory.created_at, memory.renewed_at) == ((START + 2 * 3600) * 1000, clock.now())
    assert (memory.content, memory.file_hashes) == (RETRIES, {})
    [hit] = service.search(SearchRequest(query="progress bar", within="turns"))
    assert (hit.title, hit.source, hit.trust) == ("Add a progress bar to the importer", "commit", "imported")
    [session] = service.sessions()
    assert (session.agent, session.ref, session.status, session.turns) == ("git", "git:2025-10", "completed", 2)


def test_a_second_run_adds_nothing_and_a_new_commit_only_itself(service: Service, repository: Repository) -> None:
    repository.commit(RETRIES)
    repository.commit("wip")
    ingest(service, repository)
    before, turns = current(service), service.stats().counts.turns
    again = ingest(service, repository)
    assert (again.commits, again.known, again.evidence, again.memories) == (1, 1, 0, 0)
    assert (current(service), service.stats().counts.turns) == (before, turns)
    repository.commit("fix: handle an empty list in chunked")
    assert (ingest(service, repository).memories, len(current(service))) == (1, 2)


def test_bots_and_trivial_messages_are_passed_over_and_counted(service: Service, repository: Repository) -> None:
    repository.commit("Bump lodash from 1 to 2\n\nLong notes.", author="dependabot[bot] <x@y>")
    repository.commit("wip")
    repository.commit("typo")
    done = ingest(service, repository)
    assert (done.evidence, done.skipped) == (0, {"says nothing": 2, "made by a program": 1})


def test_a_revert_takes_the_place_of_what_it_reverts(service: Service, repository: Repository) -> None:
    first = repository.commit(REDIS)
    repository.commit(
        f'Revert "Use Redis for the queue"\n\nThis reverts commit {first}.\n\nIt lost jobs under load.'
    )
    done = ingest(service, repository)
    assert (done.memories, done.superseded) == (2, 1)
    assert list(current(service)) == ['Revert "Use Redis for the queue"']
    [old, new] = service.history(current(service)['Revert "Use Redis for the queue"'].id)
    assert (old.superseded_by, old.commit) == (new.id, first)


def test_a_revert_read_in_a_later_run_with_a_short_id_is_understood(
    service: Service, repository: Repository
) -> None:
    first = repository.commit(REDIS)
    ingest(service, repository)
    repository.commit(f'Revert "Use Redis for the queue"\n\nThis reverts commit {first[:10]}.')
    assert ingest(service, repository).superseded == 1


def test_a_revert_of_a_revert_brings_back_what_was_taken_back(service: Service, repository: Repository) -> None:
    first = repository.commit(REDIS)
    second = repository.commit(f'Revert "Use Redis for the queue"\n\nThis reverts commit {first}.')
    repository.commit(f'Reapply "Use Redis for the queue"\n\nThis reverts commit {second}.')
    ingest(service, repository)
    assert set(current(service)) == {"Use Redis for the queue", 'Reapply "Use Redis for the queue"'}


def test_a_revert_does_not_outrank_what_a_person_confirmed(service: Service, repository: Repository) -> None:
    """It is a conflict then, and a person decides."""
    first = repository.commit(REDIS)
    ingest(service, repository)
    service.pin(current(service)["Use Redis for the queue"].id)
    repository.commit(f'Revert "Use Redis for the queue"\n\nThis reverts commit {first}.')
    assert ingest(service, repository).superseded == 0
    assert len(current(service)) == 2
    assert [conflict.kind for conflict in service.conflicts()] == ["superseded"]


def test_a_later_commit_that_contradicts_an_earlier_one_about_a_file_takes_its_place(
    service: Service, repository: Repository
) -> None:
    repository.commit("Always enable strict mode in tsconfig.json\n\nIt must stay on.", "tsconfig.json")
    repository.commit("Never enable strict mode in tsconfig.json\n\nIt must stay off.", "tsconfig.json")
    assert ingest(service, repository).superseded == 1
    assert list(current(service)) == ["Never enable strict mode in tsconfig.json"]
    assert service.conflicts() == []


def test_a_contradiction_about_different_files_is_left_to_a_person(
    service: Service, repository: Repository
) -> None:
    repository.commit("Always enable strict mode in tsconfig.json\n\nIt must stay on.", "a.json")
    repository.commit("Never enable strict mode in tsconfig.json\n\nIt must stay off.", "b.json")
    assert ingest(service, repository).superseded == 0
    assert len(service.conflicts()) == 1


def test_a_later_commit_that_says_nothing_against_it_leaves_a_decision_alone(
    service: Service, repository: Repository
) -> None:
    """The commit that broke a rule without a word is no reason to forget the rule."""
    repository.commit(RETRIES, "src/retry.py")
    repository.commit("perf: simplify retry", "src/retry.py")
    repository.commit("perf: simplify the retry loop further\n\nFewer branches.", "src/retry.py")
    ingest(service, repository)
    assert list(current(service)) == ["fix: cap the retries"]


def test_what_was_forgotten_does_not_come_back_with_the_next_run(service: Service, repository: Repository) -> None:
    repository.commit(RETRIES)
    ingest(service, repository)
    service.forget(current(service)["fix: cap the retries"].id)
    repository.commit(RETRIES)
    assert ingest(service, repository).memories == 0
    assert current(service) == {}


def test_a_dry_run_writes_nothing(service: Service, repository: Repository) -> None:
    repository.commit(RETRIES)
    tried = ingest(service, repository, dry_run=True)
    assert (tried.dry_run, tried.evidence, tried.memories) == (True, 1, 1)
    assert (current(service), service.sessions()) == ({}, [])


def test_all_of_it_can_be_confirmed(service: Service, repository: Repository) -> None:
    repository.commit(RETRIES)
    ingest(service, repository, confirmed=True)
    assert [(one.status, one.trust) for one in current(service).values()] == [("confirmed", "imported")]


def test_secrets_in_messages_and_names_do_not_reach_the_store(service: Service, repository: Repository) -> None:
    """And nobody's address does."""
    repository.commit(
        f"fix: rotate {GITHUB} now\n\nIt must go to {MAIL} at once.", f"{GITHUB}.txt", author=f"A <{MAIL}>"
    )
    ingest(service, repository)
    service.close()
    home = repository.path / ".holdfast"
    raw = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    assert [secret for secret in ALL if secret.encode() in raw] == []


def test_a_commit_about_too_many_files_is_about_none_of_them(service: Service, repository: Repository) -> None:
    repository.commit(RETRIES, *(f"f{number}.py" for number in range(60)))
    ingest(service, repository)
    assert [memory.files for memory in current(service).values()] == [()]


def test_a_commit_that_was_rewritten_strengthens_nothing(service: Service, repository: Repository) -> None:
    """A rebase gives the same words another id."""
    repository.commit(RETRIES)
    ingest(service, repository)
    repository.commit(RETRIES, branch="rebased")
    repository.git("update-ref", "refs/heads/main", "refs/heads/rebased")
    ingest(service, repository)
    assert [memory.importance for memory in current(service).values()] == [0.7]


def test_a_batch_is_written_whole_or_not_at_all(
    service: Service, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A crash between the memories and the evidence leaves neither, and the next run takes both."""
    repository.commit(RETRIES)

    def crash(*arguments: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        broken.setattr(service.exchange, "witness", crash)
        with pytest.raises(KeyboardInterrupt):
            ingest(service, repository)
    assert current(service) == {}
    assert ingest(service, repository).memories == 1


def test_a_memory_that_a_person_rewrote_stays_theirs(service: Service, repository: Repository) -> None:
    repository.commit(RETRIES)
    ingest(service, repository)
    mine = current(service)["fix: cap the retries"].id
    service.update(mine, Changes(content="We cap the retries at seven, full stop.", trust="user"))
    ingest(service, repository)
    assert [memory.trust for memory in current(service).values()] == ["user"]


def test_what_is_known_otherwise_is_strengthened_once(service: Service, repository: Repository) -> None:
    service.add(Draft(content=RETRIES, trust="user"))
    repository.commit(RETRIES)
    ingest(service, repository)
    [memory] = current(service).values()
    assert (memory.trust, memory.sources) == ("user", ("manual", "git"))


def test_a_commit_from_the_future_is_one_of_today(
    service: Service, repository: Repository, clock: FakeClock
) -> None:
    """The first second of the year 10000 is a date that git takes, and that cannot be written."""
    repository.commit(RETRIES, at=253_402_300_800)
    repository.commit(REDIS)
    assert ingest(service, repository).memories == 2
    assert current(service)["fix: cap the retries"].created_at == clock.now()
