"""The story of every verb, told to a server: each answer is the one that embedded memory gives."""

from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.model.plain import Plain
from holdfast.storage.open import open_service
from tests.conftest import FakeClock
from tests.interfaces.http.served import a_token, served_here
from tests.parity.story import compared, tell


def embedded(place: Path) -> list[tuple[str, Plain]]:
    """Tell the story to memory in this process."""
    clock = FakeClock()
    with Holdfast(open_service(place, actor="python", clock=clock)) as memory:
        return compared(tell(memory, clock.advance))


def over_http(place: Path, tenant: str = "local") -> list[tuple[str, Plain]]:
    """Tell it to a server, whose token has the name of the user here."""
    clock = FakeClock()
    with (
        served_here(place, clock=clock) as ask,
        Holdfast.open(ask.url, token=a_token(name="ada", tenant=tenant)) as memory,
    ):
        return compared(tell(memory, clock.advance))


def test_every_verb_answers_the_same_over_http(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLDFAST_PROJECT_ID", "acme/app")
    monkeypatch.setenv("HOLDFAST_USER_NAME", "ada")
    told = []
    for name in ("here", "there"):
        monkeypatch.setenv("HOLDFAST_DATA_HOME", str(tmp_path / name / "data"))
        place = tmp_path / name / "app"
        place.mkdir(parents=True)
        told.append(embedded(place) if name == "here" else over_http(place))
    for here, there in zip(*told, strict=True):
        assert there == here


def test_every_verb_answers_the_same_over_http_from_a_database(
    tmp_path: Path, empty_postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_PROJECT_ID", "acme/app")
    monkeypatch.setenv("HOLDFAST_USER_NAME", "ada")
    monkeypatch.setenv("HOLDFAST_DATA_HOME", str(tmp_path / "data"))
    place = tmp_path / "app"
    place.mkdir()
    here = embedded(place)
    monkeypatch.setenv("HOLDFAST_STORE_URL", empty_postgres)
    monkeypatch.setenv("HOLDFAST_STORE_TENANT", "acme")
    there = over_http(place, "acme")
    for one, other in zip(here, there, strict=True):
        assert other == one
