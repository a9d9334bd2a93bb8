"""The same story on every backend, and every answer the same."""

import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.interfaces.python import SessionHandle
from holdfast.model.plain import Plain
from holdfast.service.service import Service
from holdfast.storage.open import open_service
from tests.conftest import FakeClock
from tests.parity.story import compared, tell, tell_aside

Told = list[tuple[str, Plain]]


def told(service: Service, clock: FakeClock, folder: Path) -> Told:
    """Tell the whole story on a service."""
    folder.mkdir(exist_ok=True)

    def answers() -> Iterator[tuple[str, object]]:
        yield from tell(Holdfast(service), clock.advance)
        yield from tell_aside(service, folder)

    try:
        return compared(answers())
    finally:
        service.close()


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project directory that is the same on every backend but for its store."""
    monkeypatch.setenv("HOLDFAST_PROJECT_ID", "acme/app")
    monkeypatch.setenv("HOLDFAST_USER_NAME", "ada")
    place = tmp_path / "app"
    place.mkdir()
    return place


def test_every_verb_answers_the_same_on_sqlite_and_on_postgresql(
    here: Path, empty_postgres: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    on_file = told(open_service(here, actor="python", clock=(clock := FakeClock())), clock, tmp_path / "file")
    monkeypatch.setenv("HOLDFAST_STORE_URL", empty_postgres)
    monkeypatch.setenv("HOLDFAST_STORE_TENANT", "acme")
    on_server = told(open_service(here, actor="python", clock=(clock := FakeClock())), clock, tmp_path / "server")
    assert [name for name, _ in on_server] == [name for name, _ in on_file]
    for (name, one), (_, other) in zip(on_file, on_server, strict=True):
        assert (name, other) == (name, one)


def test_the_story_has_every_verb(here: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A verb that is added to the API has to be told, too."""
    called: set[str] = set()
    for kind in (Holdfast, SessionHandle):
        for name, function in inspect.getmembers(kind, inspect.isfunction):
            if not name.startswith("_"):
                monkeypatch.setattr(kind, name, _noting(function, f"{kind.__name__}.{name}", called))
    told(open_service(here, actor="python", clock=(clock := FakeClock())), clock, tmp_path / "file")
    verbs = {
        f"{kind.__name__}.{name}"
        for kind in (Holdfast, SessionHandle)
        for name, _ in inspect.getmembers(kind, inspect.isfunction)
        if not name.startswith("_")
    }
    assert verbs - called == {"Holdfast.close"}


def _noting(function: object, name: str, called: set[str]) -> object:
    def noted(*args: object, **options: object) -> object:
        called.add(name)
        return function(*args, **options)  # type: ignore[operator]  # a method

    return noted
