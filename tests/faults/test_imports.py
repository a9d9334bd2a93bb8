"""A large import: read whole before anything is written, written in parts, and gone on with after a kill."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.interfaces.cli.main import run
from holdfast.model.limits import BULK, PINS
from holdfast.model.records import EventFilters
from tests.embedded import service_behind
from tests.faults.mortal import Mortal
from tests.faults.processes import inconsistencies
from tests.faults.undertakings import IMPORTED

COUNT = 2 * BULK + 50


@pytest.fixture
def mortal() -> Iterator[Mortal]:
    """A process to kill."""
    lives = Mortal()
    yield lives
    lives.end()


def another_tools(project: Path) -> Path:
    """Write a file of the MCP memory server into a project."""
    path = project / IMPORTED
    lines = [
        {
            "type": "entity",
            "name": f"Unit{n}",
            "entityType": "module",
            "observations": [f"is owned by crew {n * 7}"],
        }
        for n in range(COUNT)
    ]
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


def contents(project: Path) -> list[str]:
    """Return what a project knows, sorted."""
    with Holdfast.open(project) as memory:
        return sorted(one.content for one in memory.list(limit=10_000))


def exported(project: Path, path: Path) -> str:
    """Return everything that a project holds, as its export."""
    assert run(["export", "--output", str(path), "--project", str(project)]) == 0
    return path.read_text()


def test_an_import_is_many_short_transactions(project: Path) -> None:
    """One event each: whoever else writes waits for one of them, not for all."""
    assert run(["import", str(another_tools(project)), "--project", str(project)]) == 0
    with Holdfast.open(project) as memory:
        events = service_behind(memory).events(EventFilters(action="add", limit=9))
    assert [len(event.ids) for event in events] == [50, BULK, BULK]


def middle(mortal: Mortal, source: Path, scratch: Path) -> int:
    """Return the moment that is the middle of an import, by one that ends well."""
    scratch.mkdir()
    shutil.copyfile(source, scratch / IMPORTED)
    return mortal.live("bring_in", scratch).calls // 2


def test_a_killed_import_goes_on_when_it_is_run_again(project: Path, tmp_path: Path, mortal: Mortal) -> None:
    path = another_tools(project)
    assert mortal.live("bring_in", project, middle(mortal, path, tmp_path / "scratch")).killed
    part = contents(project)
    assert len(part) in (BULK, 2 * BULK)
    with Holdfast.open(project) as memory:
        memory.add("Said between the two")
    assert mortal.live("bring_in", project).promises == ("code:0",)
    whole = contents(project)
    assert set(part) < set(whole)
    assert len(whole) == len(set(whole)) == COUNT + 1
    assert inconsistencies(project) == []


def test_a_killed_import_of_one_s_own_export_ends_as_it_was(project: Path, tmp_path: Path, mortal: Mortal) -> None:
    """What supersedes what, which disagree, and what is pinned, is told across the parts."""
    with Holdfast.open(project) as memory:
        first = memory.add("The queue retries seven times", kind="decision").id
        units = [{"content": f"Unit {number} is owned by crew {number}"} for number in range(COUNT)]
        ids = [addition.id for addition in memory.add_many(units)]
        for place in range(PINS):  # some in each part that is written
            memory.pin(str(ids[place * COUNT // PINS]))
        memory.add("The queue retries nine times", kind="decision", supersedes=first)
        memory.add("Deploy on Fridays", kind="decision")
        memory.add("Never deploy on Fridays", kind="decision")
    other = tmp_path / "other"
    other.mkdir()
    before = exported(project, other / IMPORTED)
    assert mortal.live("bring_in", other, middle(mortal, other / IMPORTED, tmp_path / "scratch")).killed
    assert len(contents(other)) < COUNT
    assert mortal.live("bring_in", other).promises == ("code:0",)
    assert exported(other, tmp_path / "again.jsonl") == before


def test_a_wrong_line_behind_many_right_ones_keeps_all_of_them_out(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = another_tools(project)
    path.write_text(path.read_text() + '\n{"type": "entity", "na')
    assert run(["import", str(path), "--project", str(project)]) != 0
    assert f"line {COUNT + 1}" in capsys.readouterr().err
    assert contents(project) == []
