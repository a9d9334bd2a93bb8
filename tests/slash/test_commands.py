"""The slash commands, as any interface runs them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.errors import ConfigError, InvalidInput, UnknownId
from holdfast.model.requests import BriefRequest, Draft
from holdfast.model.search import Filters
from holdfast.service.service import Service
from holdfast.slash import parse, run
from holdfast.storage.open import open_service
from tests.rows import each


@pytest.fixture
def service(project: Path) -> Iterator[Service]:
    """An empty memory."""
    opened = open_service(project, actor="test")
    yield opened
    opened.close()


class Typist:
    """Types slash commands into one project."""

    def __init__(self, service: Service, project: Path) -> None:
        self._service = service
        self._project = project

    def __call__(self, text: str) -> str:
        return run(parse(text), self._service, self._project)


@pytest.fixture
def typed(service: Service, project: Path) -> Typist:
    """Somebody who types."""
    return Typist(service, project)


def note(service: Service, content: str, kind: str = "fact") -> str:
    """Remember something; return its short id."""
    return service.short_id(service.add(Draft(content=content, kind=kind)).id or "")


def test_remember_keeps_a_persons_word_confirmed_at_once(typed: Typist, service: Service) -> None:
    said = typed("/remember Deploys go out on Tuesdays")
    [memory] = service.list(Filters())
    assert said == f"Remembered as {service.short_id(memory.id)}."
    assert (memory.content, memory.trust, memory.status) == ("Deploys go out on Tuesdays", "user", "confirmed")
    assert typed("remember deploys go out on tuesdays").startswith("Known already as")


def test_only_remember_makes_a_store() -> None:
    assert [parse(f"/{name} x").creates for name in ("remember", "forget", "pin", "memory")] == [
        True,
        False,
        False,
        False,
    ]


def test_forget_takes_an_id(typed: Typist, service: Service) -> None:
    memory_id = note(service, "Deploys go out on Tuesdays")
    assert typed(f"/forget #{memory_id}") == f"Forgotten {memory_id}: 1 memory."
    assert service.list(Filters()) == []


def test_forget_takes_words_where_one_memory_holds_them(typed: Typist, service: Service) -> None:
    kept = note(service, "The gateway times out after 30 s")
    note(service, "Deploys go out on Tuesdays")
    second = note(service, "Deploys stop on Fridays")
    asked = typed("/forget deploys")
    assert asked.startswith("Which one? Nothing was changed")
    assert second in asked
    assert kept not in asked
    assert typed("/forget stop on fridays").startswith(f"Forgotten {second}")
    assert typed("/forget deploys").startswith("Forgotten")
    assert [service.short_id(memory.id) for memory in service.list(Filters())] == [kept]


def test_words_that_only_come_near_change_nothing(typed: Typist, service: Service) -> None:
    memory_id = note(service, "The gateway times out after 30 s")
    assert memory_id in typed("/forget gateway timing")
    assert typed("/pin zebra crossing") == "No memory is about 'zebra crossing'. Nothing was changed."
    assert len(service.list(Filters())) == 1


def test_a_second_pin_takes_the_first_back(typed: Typist, service: Service) -> None:
    memory_id = note(service, "Deploys go out on Tuesdays")
    assert typed("/pin Tuesdays") == f"Pinned {memory_id}: Deploys go out on Tuesdays"
    assert typed(f"/pin {memory_id}") == f"Unpinned {memory_id}: Deploys go out on Tuesdays"


def test_memory_says_where_one_stands(typed: Typist, service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    note(service, "Deploys go out on Tuesdays", "decision")
    assert "1 memories (decision 1)" in typed("/memory")
    assert "Memory is on." in typed("/memory status")
    monkeypatch.setenv("HOLDFAST_DISABLE", "1")
    assert "Memory is off: HOLDFAST_DISABLE is set." in typed("/memory status")


def test_memory_lists_and_searches(typed: Typist, service: Service) -> None:
    assert typed("/memory list") == "Nothing remembered yet."
    first, second = note(service, "Deploys go out on Tuesdays"), note(service, "Retry three times", "decision")
    assert [line[:8] for line in typed("/memory list").splitlines()] == [second, first]
    assert [line[:8] for line in typed("/memory list decision").splitlines()] == [second]
    assert typed("/memory search deploys").startswith(f"{first} fact ")
    assert typed("/memory search zebra") == "Nothing found."


def test_memory_config_shows_and_sets(typed: Typist) -> None:
    assert typed("/memory config search.floor") == "search.floor = 0.15 (default)"
    assert typed("/memory config search.floor 0.2") == "search.floor = 0.2 (project)"
    assert "search.floor = 0.2 (project)" in typed("/memory config")


def test_memory_budget_sets_the_ceiling_of_briefs(typed: Typist, project: Path) -> None:
    assert typed("/memory budget") == "Briefs have no ceiling of yours."
    assert typed("/memory budget 800") == "Briefs have at most 800 tokens (project)."
    reopened = open_service(project, actor="test")
    assert reopened.context(BriefRequest(prompt="x")).budget == 800
    reopened.close()
    assert typed("/memory budget none") == "Briefs have no ceiling of yours."
    with pytest.raises(ConfigError):
        typed("/memory budget plenty")


def test_memory_alias_shows_adds_and_removes(typed: Typist) -> None:
    assert typed("/memory alias") == "No aliases yet."
    assert typed("/memory alias add auth keycloak sso") == "2 added."
    assert typed("/memory alias list") == "auth: keycloak, sso"
    assert typed("/memory alias remove auth sso") == "1 removed."
    assert typed("/memory alias") == "auth: keycloak"


def test_memory_status_names_what_was_injected_last(typed: Typist, service: Service) -> None:
    assert "Last injected" not in typed("/memory status")
    service.context(BriefRequest(prompt="zebra crossings"))
    assert "Last injected (codex, " in typed("/memory status")
    assert "): nothing; 0 of 1500 tokens." in typed("/memory status")
    memory_id = note(service, "Deploys go out on Tuesdays")
    service.pin(memory_id)
    service.context(BriefRequest())
    assert f"fact #{memory_id}; " in typed("/memory status")


def test_memory_auto_switches_what_is_remembered_by_itself(typed: Typist) -> None:
    assert typed("/memory auto") == "Findings and promotion are on."
    assert typed("/memory auto off").startswith("Findings and promotion are off (")
    assert typed("/memory auto").startswith("Findings and promotion are off (")
    assert typed("/memory auto on") == "Findings and promotion are on."


def test_memory_config_takes_a_preset_by_its_name(typed: Typist) -> None:
    assert typed("/memory config aggressive") == "capture.preset = aggressive (project)"
    assert typed("/memory config capture.preset") == "capture.preset = aggressive (project)"


@each(
    "text",
    [
        "",
        "/",
        "/sing",
        "/remember",
        "/forget ",
        "/pin",
        "/memory sing",
        "/memory auto perhaps",
        "/memory alias sing",
        "/memory alias add auth",
        "/memory alias remove",
        "/memory search",
        "/memory list opinion",
    ],
)
def test_what_cannot_be_done_says_what_can(typed: Typist, text: str) -> None:
    with pytest.raises(InvalidInput, match=r"There are|is missing"):
        typed(text)


def test_an_unknown_id_or_setting_is_an_error(typed: Typist) -> None:
    with pytest.raises(UnknownId):
        typed("/forget 00000000")
    with pytest.raises(ConfigError):
        typed("/memory config search.flor 0.2")


def test_memory_review_lists_what_waits_and_settles_it(typed: Typist, service: Service) -> None:
    assert typed("/memory review") == "Nothing waits for you."
    emulator = note(service, "Integration tests need the emulator")
    harbour, port = note(service, "The harbour is closed"), note(service, "The port is 9099")
    assert "3 wait for you: /memory review." in typed("/memory status")
    assert "noted by an agent" in typed("/memory review")
    assert typed(f"/memory review accept {emulator}") == "Confirmed: Integration tests need the emulator"
    assert typed(f"/memory review edit {port} The port of the emulator is 9099").startswith(
        "Confirmed in your words"
    )
    assert typed(f"/memory review drop {harbour}") == "Dropped: The harbour is closed"
    assert typed("/memory review undo") == "Waits again: The harbour is closed"
    assert "1 waits for you" in typed("/memory status")


@each("form", ["sing", "accept", "edit 1f2e3d4c", "keep 1f2e3d4c", "drop 1f2e3d4c now"])
def test_memory_review_names_its_forms_where_one_is_none(typed: Typist, form: str) -> None:
    with pytest.raises(InvalidInput, match="not one of its forms"):
        typed(f"/memory review {form}")


def test_memory_review_settles_a_conflict(typed: Typist, service: Service) -> None:
    for content in ("Always squash commits before merging", "Never squash commits before merging"):
        note(service, content, "decision")
    [conflict] = service.conflicts()
    assert typed(f"/memory review keep {conflict.id[-8:]} both") == "Both stand."
