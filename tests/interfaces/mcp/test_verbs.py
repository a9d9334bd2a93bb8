"""The service behind the server: made when needed, the store that is there now, one call at a time."""

from functools import partial
from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.errors import InvalidInput, SwitchedOff
from holdfast.interfaces.mcp.verbs import ProjectRunner
from holdfast.model.memory import Added
from holdfast.model.requests import Draft
from holdfast.model.search import Filters
from holdfast.service.service import Service
from holdfast.storage.open import open_service
from holdfast.storage.workspace import open_guard


def add(service: Service) -> Added:
    """Remember something."""
    return service.add(Draft(content="Ship on Fridays never"))


def count(service: Service) -> int:
    """Count what is remembered."""
    return len(service.list(Filters()))


def test_looking_makes_no_store(verbs: ProjectRunner, project: Path) -> None:
    assert verbs.run(count) == 0
    assert list(project.iterdir()) == []


def test_the_first_write_makes_the_store_after_looks_have_found_none(verbs: ProjectRunner, project: Path) -> None:
    verbs.run(count)
    assert verbs.run(add, create=True).created
    assert verbs.run(count) == 1


def test_a_store_that_another_process_made_meanwhile_is_found(verbs: ProjectRunner, project: Path) -> None:
    verbs.run(count)
    with Holdfast.open(project) as other:
        other.add("Made elsewhere")
    assert verbs.run(count) == 1


def test_a_store_that_is_made_while_an_empty_one_is_opened_in_its_stead_is_found(
    verbs: ProjectRunner, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def opened(*given: object, **options: object) -> Service:
        service = open_service(*given, **options)  # type: ignore[arg-type]  # as they came
        with Holdfast.open(project) as other:
            other.add("Made at the same time")
        return service

    monkeypatch.setattr("holdfast.interfaces.mcp.verbs.open_service", opened)
    assert verbs.run(count) == 0
    assert verbs.run(count) == 1


def test_a_store_that_was_restored_under_the_server_is_the_one_it_works_on(
    verbs: ProjectRunner, project: Path
) -> None:
    verbs.run(add, create=True)
    open_guard(project, actor="test").back_up()
    verbs.run(lambda service: service.add(Draft(content="Said after the backup")))
    open_guard(project, actor="test").restore()
    assert verbs.run(count) == 1
    verbs.run(lambda service: service.add(Draft(content="Said after the restore")), create=True)
    with Holdfast.open(project) as other:
        assert len(other.list()) == 2


def test_what_is_no_project_gets_no_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    for place in (home, Path("/")):
        nowhere = ProjectRunner(partial(Path, place))
        assert nowhere.run(count) == 0
        with pytest.raises(InvalidInput, match="is no project"):
            nowhere.run(add, create=True)
        nowhere.close()
    assert list(home.iterdir()) == []


def test_a_pause_reaches_a_running_server(
    verbs: ProjectRunner, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    verbs.run(add, create=True)
    monkeypatch.setenv("HOLDFAST_DISABLE", "1")
    with pytest.raises(SwitchedOff):
        verbs.run(add, create=True)
    assert verbs.run(count) == 1
