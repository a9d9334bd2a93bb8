"""The daily log in Markdown: off by default, short, and without what was forgotten or came from files."""

import errno
import stat
from pathlib import Path

import pytest

from holdfast.machine import disk, failures
from holdfast.model.limits import DAY_MS
from holdfast.model.requests import Draft
from holdfast.model.search import Filters
from holdfast.service.service import Service
from holdfast.storage.open import open_service
from tests.conftest import FakeClock


def opened(project: Path, clock: FakeClock) -> Service:
    """Open a service."""
    return open_service(project, actor="python", clock=clock, embed_on_add=False)


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> None:
    """Switch the log on."""
    monkeypatch.setenv("HOLDFAST_LOG_DAILY", "true")


def logs(project: Path) -> dict[str, str]:
    """Return the files of the log."""
    return {path.name: path.read_text("utf-8") for path in (project / ".holdfast" / "log").glob("*")}


def test_nothing_is_written_unless_asked_for(project: Path, clock: FakeClock) -> None:
    opened(project, clock).add(Draft(content="The walrus queue drains", trust="user"))
    assert logs(project) == {}


@pytest.mark.usefixtures("written")
def test_a_day_has_a_file_with_a_header_and_a_line_for_each_entry(project: Path, clock: FakeClock) -> None:
    service = opened(project, clock)
    service.add(Draft(content="The walrus\nqueue <b>drains</b>", kind="fact", source="cli", trust="user"))
    clock.advance(60_000)
    service.add(Draft(content="Use tabs " + "and tabs " * 60, kind="preference", trust="agent"))
    clock.advance(DAY_MS)
    service.add(Draft(content="The lynx sleeps", kind="fact", trust="tool", source="web"))
    found = logs(project)
    first, second = found["2027-01-15.md"], found["2027-01-16.md"]
    assert first.startswith(
        "# 2027-01-15\n\n- 08:00 fact (cli): The walrus queue &lt;b>drains&lt;/b>\n- 08:01 preference"
    )
    assert len(first.splitlines()[-1]) < 240
    assert second == "# 2027-01-16\n\n- 08:01 fact (web): The lynx sleeps\n"
    assert stat.S_IMODE((project / ".holdfast" / "log" / "2027-01-15.md").stat().st_mode) == 0o600


@pytest.mark.usefixtures("written")
def test_what_came_from_files_and_what_was_said_before_is_not_written(project: Path, clock: FakeClock) -> None:
    service = opened(project, clock)
    service.add(Draft(content="From a file", trust="imported", source="notes.md"))
    service.add(Draft(content="Once", trust="user"))
    service.add(Draft(content="Once", trust="user"))
    service.add(Draft(content="My own", trust="user", scope="user"))
    [text] = logs(project).values()
    assert text.count("\n- ") == 1


@pytest.mark.usefixtures("written")
def test_what_is_forgotten_goes_from_the_log(project: Path, clock: FakeClock) -> None:
    service = opened(project, clock)
    gone = service.add(Draft(content="The lynx password is under the mat", trust="user")).id
    service.add(Draft(content="The walrus queue drains", trust="user"))
    assert gone
    service.forget(gone)
    [text] = logs(project).values()
    assert "lynx" not in text
    assert "walrus" in text


@pytest.mark.usefixtures("written")
def test_a_line_goes_only_with_the_memory_that_it_tells(project: Path, clock: FakeClock) -> None:
    service = opened(project, clock)
    service.add(Draft(content="Deploy note: see runbook", trust="user"))
    gone = service.add(Draft(content="see runbook", trust="user")).id
    assert gone
    service.forget(gone)
    [text] = logs(project).values()
    assert [line.partition("): ")[2] for line in text.splitlines() if line.startswith("- ")] == [
        "Deploy note: see runbook"
    ]


@pytest.mark.usefixtures("written")
def test_what_else_lies_beside_the_log_is_left_alone(project: Path, clock: FakeClock) -> None:
    service = opened(project, clock)
    gone = service.add(Draft(content="see runbook", trust="user")).id
    log = project / ".holdfast" / "log"
    outside = project / "outside.md"
    outside.write_text("- 10:00 fact (manual): see runbook\n")
    (log / "2020-01-01.md").symlink_to(outside)
    (log / "notes.md").write_bytes(b"caf\xe9: see runbook\n")
    (log / "2020-01-02.md").write_bytes(b"caf\xe9\n- 10:00 fact (manual): see runbook\n")
    assert gone
    service.forget(gone)
    assert outside.read_text() == "- 10:00 fact (manual): see runbook\n"
    assert (log / "notes.md").read_bytes() == b"caf\xe9: see runbook\n"
    assert (log / "2020-01-02.md").read_bytes() == b"caf\xe9\n"
    assert service.list(Filters()) == []


@pytest.mark.usefixtures("written")
def test_a_log_that_cannot_be_written_fails_nothing_and_leaves_a_trace(project: Path, clock: FakeClock) -> None:
    service = opened(project, clock)
    (project / ".holdfast" / "log").write_text("a file in its place")
    assert service.add(Draft(content="The walrus queue drains", trust="user")).created
    assert traces(project) == ["FileExistsError: File exists"]


@pytest.mark.usefixtures("written")
def test_a_line_that_cannot_be_taken_out_is_told(
    project: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was forgotten still stands there: somebody has to know."""
    service = opened(project, clock)
    gone = service.add(Draft(content="The lynx password is under the mat", trust="user")).id
    monkeypatch.setattr(disk, "replace_file", refuse)
    assert gone
    assert service.forget(gone).ids == (gone,)
    assert traces(project) == ["PermissionError: not yours"]


def refuse(path: Path, content: str) -> None:
    """Stand in for a disk that takes nothing."""
    raise PermissionError(errno.EACCES, "not yours")


def traces(project: Path) -> list[str]:
    """Return what failed with the log of a project."""
    return [problem for _, step, problem in failures.failures(str(project)) if step == "daily log"]


def test_what_was_written_while_it_was_on_is_forgotten_when_it_is_off_again(
    project: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_LOG_DAILY", "true")
    opened(project, clock).add(Draft(content="The walrus queue drains", trust="user"))
    assert "walrus" in logs(project)["2027-01-15.md"]
    monkeypatch.setenv("HOLDFAST_LOG_DAILY", "false")
    service = opened(project, clock)
    service.forget(service.list(Filters(), 1)[0].id)
    assert "walrus" not in logs(project)["2027-01-15.md"]
