"""Watching: changes are noticed, each file is read once it is quiet, and nothing is lost on the way."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from holdfast.errors import StoreBusy
from holdfast.ingest import watch as watching
from holdfast.ingest.files import Index
from holdfast.ingest.watch import Changes, Quiet, Watch, notified_changes, polled_changes
from holdfast.machine import failures
from holdfast.model.ingest import Indexed
from holdfast.model.search import Filters
from holdfast.service.service import Service
from holdfast.storage.ingest import auto_index, index_of
from holdfast.storage.open import open_service
from tests.background import wait_until
from tests.ingest.git.repositories import Repository

LONG = 30.0
"""Seconds after which a test gives up waiting; it never takes that long unless something is wrong."""


class Ticks:
    """A stop and a clock that obey a test."""

    def __init__(self) -> None:
        self.now = 0
        self.stopped = False

    def is_set(self) -> bool:
        return self.stopped

    def wait(self, timeout: float | None = None) -> bool:
        return self.stopped

    def moment(self) -> int:
        return self.now


@pytest.fixture
def service(project: Path) -> Iterator[Service]:
    opened = open_service(project, actor="test", embed_on_add=False)
    yield opened
    opened.close()


@pytest.fixture
def index(service: Service, project: Path) -> Index:
    return index_of(project, service)


def saves(project: Path, ticks: Ticks, script: list[tuple[int, Callable[[], set[str]]]]) -> Changes:
    """Hand out what a script does at its times."""
    yield set()
    for at, act in script:
        ticks.now = at
        yield act()
    ticks.now += 60_000
    yield set()


def save(project: Path, name: str, text: str) -> Callable[[], set[str]]:
    """Write a file when the time comes, and tell of it."""

    def act() -> set[str]:
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text)
        return {name}

    return act


def follow(index: Index, ticks: Ticks, changes: Changes) -> list[Indexed]:
    """Watch a script to its end; return what was told."""
    told: list[Indexed] = []
    Watch(index, ticks, told.append, ticks.moment).follow(changes)
    return told


def contents(service: Service) -> set[str]:
    return {memory.content for memory in service.list(Filters(), 1_000)}


def test_two_hundred_rapid_saves_of_one_file_are_read_once(index: Index, service: Service, project: Path) -> None:
    ticks = Ticks()
    script = [(10 * number, save(project, "a.md", f"Version {number}")) for number in range(200)]
    told = follow(index, ticks, saves(project, ticks, script))
    assert told == [Indexed(files=1, read=1, added=1)]
    assert contents(service) == {"Version 199"}


def test_a_file_is_read_when_it_was_quiet_for_half_a_second_and_others_do_not_hold_it_up() -> None:
    quiet = Quiet()
    quiet.touch("a.md", 0)
    for now in range(0, 2_000, 100):
        quiet.touch("busy.md", now)
        assert ("a.md" in quiet.due(now)) == (now == 500)


def test_a_file_that_is_never_quiet_is_read_all_the_same() -> None:
    quiet = Quiet()
    due = []
    for now in range(0, 30_001, 100):
        quiet.touch("busy.md", now)
        due += [now for _ in quiet.due(now)]
    assert due == [10_000, 20_100]


def test_what_is_there_already_is_read_first(index: Index, service: Service, project: Path) -> None:
    (project / "a.md").write_text("There before.")
    ticks = Ticks()
    assert follow(index, ticks, saves(project, ticks, [])) == [Indexed(files=1, read=1, added=1)]


def test_deleting_renaming_and_moving_in_folders_is_noticed(index: Index, service: Service, project: Path) -> None:
    ticks = Ticks()

    def rename() -> set[str]:
        (project / "docs").rename(project / "guides")
        return {"docs", "guides"}

    script = [(0, save(project, "docs/a.md", "Words of a document.")), (5_000, rename)]
    follow(index, ticks, saves(project, ticks, script))
    [memory] = service.list(Filters())
    assert memory.files == ("guides/a.md",)


def test_changes_of_other_files_cost_nothing(index: Index, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = Ticks()
    calls: list[str] = []

    def noted(name: str) -> Callable[..., Indexed]:
        def call(*arguments: object) -> Indexed:
            calls.append(name)
            return Indexed(files=0, read=0)

        return call

    for name in ("scan", "refresh"):
        monkeypatch.setattr(Index, name, noted(name))
    others = {"src/main.py", ".git/index", ".holdfast/memory.db-wal", "node_modules/x/y.md"}
    follow(index, ticks, saves(project, ticks, [(0, lambda: others)]))
    assert calls == ["scan"], "only the one at the beginning"


def test_a_changed_gitignore_makes_it_look_at_everything(index: Index, service: Service, project: Path) -> None:
    ticks = Ticks()
    script = [(0, save(project, "a.md", "Words.")), (5_000, save(project, ".gitignore", "a.md\n"))]
    told = follow(index, ticks, saves(project, ticks, script))
    assert [one.files for one in told] == [1], "outside git nothing is ignored, so nothing more was read"


def test_a_busy_store_is_tried_again(
    index: Index, service: Service, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticks = Ticks()
    real = Index.refresh
    failures = iter([StoreBusy(path="x", seconds=5)])

    def refresh(self: Index, *arguments: object) -> Indexed:
        for error in failures:
            raise error
        return real(self, *arguments)  # type: ignore[arg-type]  # as they came

    def changes() -> Changes:
        yield set()
        monkeypatch.setattr(Index, "refresh", refresh)
        yield save(project, "a.md", "Words of a document.")()
        for _ in range(4):
            ticks.now += 1_000
            yield set()

    follow(index, ticks, changes())
    assert contents(service) == {"Words of a document."}


def test_polling_tells_what_was_made_changed_and_deleted(project: Path) -> None:
    ticks = Ticks()
    files = lambda: [path.name for path in project.glob("*.md")]  # noqa: E731 - one line of a test
    for name in ("same.md", "changes.md", "goes.md"):
        (project / name).write_text("x")
    changes = polled_changes(project, ticks, files)
    first = next(changes)
    assert first == set()
    assert next(changes) == set()
    (project / "changes.md").write_text("longer")
    (project / "goes.md").unlink()
    (project / "new.md").write_text("x")
    assert next(changes) == {"changes.md", "goes.md", "new.md"}
    ticks.stopped = True
    assert list(changes) == [set()]


def test_where_the_system_cannot_tell_it_looks_for_itself(
    index: Index, service: Service, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticks = Ticks()

    def too_many(*arguments: object) -> Changes:
        raise OSError("inotify watch limit reached")

    def look(*arguments: object) -> Changes:
        yield set()
        ticks.stopped = True
        yield set()

    monkeypatch.setattr(watching, "notified_changes", too_many)
    monkeypatch.setattr(watching, "polled_changes", look)
    (project / "a.md").write_text("Words.")
    assert Watch(index, ticks, lambda done: None, ticks.moment).run() == "inotify watch limit reached"
    assert contents(service) == {"Words."}


def test_the_system_tells_of_a_real_save(project: Path) -> None:
    stop = threading.Event()
    changes = notified_changes(project, stop)
    next(changes)
    (project / "docs").mkdir()
    (project / "docs" / "a.md").write_text("x")
    seen: set[str] = set()
    for paths in changes:
        seen |= paths
        if "docs/a.md" in seen or "docs" in seen:
            stop.set()
    assert seen


def test_a_server_indexes_in_the_background_when_it_was_asked_to(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert auto_index(project, actor="test") is None
    monkeypatch.setenv("HOLDFAST_INDEX_AUTO", "true")
    assert auto_index(project, actor="test") is None, "this may be anywhere, a home directory say"
    Repository(project)
    (project / "a.md").write_text("There before.")
    told: list[Indexed] = []
    heard = threading.Semaphore(0)

    def hear(done: Indexed) -> None:
        told.append(done)
        heard.release()

    auto = auto_index(project, actor="test", on_indexed=hear)
    assert auto
    auto.start()
    assert heard.acquire(timeout=LONG)
    (project / "b.md").write_text("Written while it runs.")
    assert heard.acquire(timeout=LONG)
    auto.stop()
    assert [one.added for one in told] == [1, 1]
    service = open_service(project, actor="test", create=False)
    assert contents(service) == {"There before.", "Written while it runs."}
    service.close()


def test_what_ends_indexing_does_not_end_the_server_and_leaves_a_trace(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_INDEX_AUTO", "true")
    Repository(project)
    (project / ".holdfast").mkdir()
    (project / ".holdfast" / "memory.db").write_bytes(b"no store at all " * 100)
    auto = auto_index(project, actor="test")
    assert auto
    auto.start()
    wait_until(lambda: failures.last(str(project)), "nothing was noted")
    auto.stop()
    assert [step for _, step, _ in failures.failures(str(project))] == ["index"]
