"""Memory follows the files: what they say is there, what they no longer say is not."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.ingest.files import Index, MarkdownFiles
from holdfast.model.ingest import Indexed
from holdfast.model.memory import Memory
from holdfast.model.requests import Draft, SearchRequest
from holdfast.model.search import Filters
from holdfast.service.service import Service
from holdfast.storage.ingest import index_of
from holdfast.storage.open import open_service
from tests.conftest import FakeClock
from tests.ingest.git.repositories import Repository
from tests.secrets import GITHUB

GUIDE = "# Guide\n\nStart here.\n\n## Retries\n\nSeven attempts.\n"


@pytest.fixture
def service(project: Path, clock: FakeClock) -> Iterator[Service]:
    opened = open_service(project, actor="test", clock=clock, embed_on_add=False)
    yield opened
    opened.close()


@pytest.fixture
def index(service: Service, project: Path) -> Index:
    return index_of(project, service)


def write(project: Path, name: str, text: str) -> None:
    """Write a file of the project."""
    (project / name).parent.mkdir(parents=True, exist_ok=True)
    (project / name).write_text(text, encoding="utf-8")


def said(service: Service) -> dict[str, Memory]:
    """Return what holds, by content."""
    return {memory.content: memory for memory in service.list(Filters(), 1_000)}


def test_every_section_of_every_file_is_a_fact_of_the_index(index: Index, service: Service, project: Path) -> None:
    write(project, "docs/guide.md", GUIDE)
    assert index.scan() == Indexed(files=1, read=1, added=2)
    memory = said(service)["Seven attempts."]
    assert (memory.kind, memory.source, memory.trust, memory.status) == (
        "fact",
        "file-index",
        "imported",
        "candidate",
    )
    assert (memory.files, memory.tags, memory.title) == (("docs/guide.md",), ("guide",), "docs/guide.md › Retries")
    assert len(memory.file_hashes["docs/guide.md"]) == 16
    [hit] = service.search(SearchRequest(query="seven attempts"))
    assert hit.id == memory.id


def test_a_file_that_did_not_change_is_not_read_again(index: Index, service: Service, project: Path) -> None:
    write(project, "guide.md", GUIDE)
    index.scan()
    before, events = said(service), service.stats().counts.audit_events
    assert index.scan() == Indexed(files=1, read=0)
    assert (said(service), service.stats().counts.audit_events) == (before, events)


def test_only_the_sections_that_changed_are_touched(
    index: Index, service: Service, project: Path, clock: FakeClock
) -> None:
    write(project, "guide.md", GUIDE)
    index.scan()
    before = said(service)
    clock.advance(1_000)
    write(project, "guide.md", GUIDE.replace("Seven", "Eight") + "\n## New\n\nMore.\n")
    assert index.scan() == Indexed(files=1, read=1, added=2, removed=1)
    after = said(service)
    assert set(after) == {"Start here.", "Eight attempts.", "More."}
    assert after["Start here."].id == before["Start here."].id
    assert after["Start here."].file_hashes == after["More."].file_hashes != before["Start here."].file_hashes
    assert service.peek(before["Seven attempts."].id) is None


def test_a_deleted_file_hides_what_it_said_until_it_is_back(index: Index, service: Service, project: Path) -> None:
    """A branch switch deletes and restores files."""
    write(project, "guide.md", GUIDE)
    index.scan()
    before = {memory.id for memory in said(service).values()}
    (project / "guide.md").unlink()
    assert index.scan() == Indexed(files=1, read=1, hidden=2)
    assert said(service) == {}
    assert index.scan() == Indexed(files=1, read=0)
    write(project, "guide.md", GUIDE)
    assert index.scan() == Indexed(files=1, read=1, shown=2)
    assert {memory.id for memory in said(service).values()} == before
    assert [memory.expires for memory in said(service).values()] == [None, None]
    assert index.scan() == Indexed(files=1, read=0)


def test_a_file_that_git_ignores_by_now_is_let_go(index: Index, service: Service, project: Path) -> None:
    Repository(project)
    listed = Index(service.exchange, MarkdownFiles(project, in_git=True))
    write(project, "guide.md", GUIDE)
    listed.scan()
    write(project, ".gitignore", "guide.md\n")
    assert listed.scan().hidden == 2


def test_the_same_words_in_two_files_are_one_memory_that_stays_while_one_says_them(
    index: Index, service: Service, project: Path
) -> None:
    write(project, "a.md", "The same words.\n")
    write(project, "b.md", "The same words.\n")
    index.scan()
    [memory] = said(service).values()
    assert (set(memory.files), memory.importance) == ({"a.md", "b.md"}, 0.5)
    assert index.scan().read == 0
    (project / "a.md").unlink()
    index.scan()
    assert [one.files for one in said(service).values()] == [("b.md",)]
    (project / "b.md").unlink()
    index.scan()
    assert said(service) == {}
    write(project, "c.md", "The same words.\n")
    index.scan()
    [again] = said(service).values()
    assert (again.id, "c.md" in again.files) == (memory.id, True)


def test_what_a_person_said_too_stays_when_the_file_no_longer_says_it(
    index: Index, service: Service, project: Path
) -> None:
    service.add(Draft(content="Seven attempts.", trust="user"))
    write(project, "guide.md", GUIDE)
    index.scan()
    assert said(service)["Seven attempts."].sources == ("manual", "file-index")
    write(project, "guide.md", "Nothing of it.\n")
    index.scan()
    kept = said(service)["Seven attempts."]
    assert (kept.trust, kept.files, kept.file_hashes) == ("user", (), {})


def test_what_a_person_confirmed_or_pinned_stays_too(index: Index, service: Service, project: Path) -> None:
    """A file cannot put other words into what is carried everywhere."""
    write(project, "guide.md", GUIDE)
    index.scan()
    service.pin(said(service)["Seven attempts."].id)
    write(project, "guide.md", GUIDE.replace("Seven", "Eight"))
    index.scan()
    assert said(service)["Seven attempts."].status == "pinned"
    assert said(service)["Eight attempts."].status == "candidate"


def test_what_was_forgotten_does_not_come_back_with_the_next_change(
    index: Index, service: Service, project: Path
) -> None:
    write(project, "guide.md", GUIDE)
    index.scan()
    service.forget(said(service)["Seven attempts."].id)
    write(project, "guide.md", GUIDE + "\nMore.\n")
    index.scan()
    assert "Seven attempts." not in said(service)


def test_what_was_superseded_stays_history_while_the_file_says_it(
    index: Index, service: Service, project: Path
) -> None:
    write(project, "guide.md", "We use Redis for the job queue\n")
    index.scan()
    service.add(Draft(content="We no longer use Redis for the job queue, switched to Postgres", trust="user"))
    assert len(said(service)) == 1
    write(project, "guide.md", "We use Redis for the job queue\n\n# More\n\nOther words.\n")
    index.scan()
    assert "We use Redis for the job queue" not in said(service)
    assert service.conflicts() == []


def test_a_large_file_is_left_out_and_said_so(index: Index, service: Service, project: Path) -> None:
    write(project, "guide.md", GUIDE)
    index.scan()
    write(project, "guide.md", "x" * 102_401)
    assert index.scan().skipped == {"guide.md": "is larger than 100 KB"}
    assert said(service) == {}, "what it said while it was small is hidden"


def test_a_name_that_may_not_be_kept_is_left_out(index: Index, service: Service, project: Path) -> None:
    write(project, f"{GITHUB}.md", GUIDE)
    assert list(index.scan().skipped.values()) == ["its name cannot be kept"]
    assert said(service) == {}


def test_a_crash_in_the_middle_of_a_file_leaves_no_half_entry(
    index: Index, service: Service, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(project, "guide.md", GUIDE)
    index.scan()
    before = said(service)
    write(project, "guide.md", GUIDE.replace("Seven", "Eight"))
    with monkeypatch.context() as broken:
        broken.setattr("holdfast.capture.follow.remember", _crash)
        with pytest.raises(KeyboardInterrupt):
            index.scan()
    assert said(service) == before
    index.scan()
    assert set(said(service)) == {"Start here.", "Eight attempts."}


def _crash(*arguments: object) -> None:
    raise KeyboardInterrupt


def test_our_own_log_never_feeds_back(index: Index, service: Service, project: Path) -> None:
    write(project, ".holdfast/log/2026-01-01.md", GUIDE)
    assert index.scan() == Indexed(files=0, read=0)


@pytest.mark.parametrize("files", [100, pytest.param(1_000, marks=pytest.mark.soak)])
def test_many_files_are_read_once(index: Index, service: Service, project: Path, files: int) -> None:
    for number in range(files):
        write(project, f"notes/{number}.md", f"Walrus{number} lichen{number} basalt{number}.\n")
    steps: list[int] = []
    assert index.scan(steps.append) == Indexed(files=files, read=files, added=files)
    assert sum(steps) == files
    assert index.scan() == Indexed(files=files, read=0)
