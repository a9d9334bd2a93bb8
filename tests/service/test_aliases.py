"""The project's own aliases, as verbs."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.compose.open import open_service
from holdfast.errors import InvalidInput, SwitchedOff
from holdfast.service.service import Service
from tests.secrets import GITHUB


@pytest.fixture
def service(project: Path) -> Iterator[Service]:
    opened = open_service(project, actor="test")
    yield opened
    opened.close()


def test_aliases_are_kept_in_lower_case_and_once(service: Service) -> None:
    assert service.aliases.add("Auth", ["KeyCloak", "sso"]) == 2
    assert service.aliases.add("auth", ["keycloak"]) == 0
    assert service.aliases.all() == {"auth": ("keycloak", "sso")}
    assert service.aliases.remove("AUTH", ["SSO"]) == 1
    assert service.aliases.remove("auth") == 1
    assert service.aliases.all() == {}


def test_an_alias_is_a_single_word_for_another(service: Service, subtests: pytest.Subtests) -> None:
    for word, meaning in [("two words", "x"), ("x", ""), ("same", "Same"), ("", "x")]:
        with subtests.test(word=word, meaning=meaning):
            with pytest.raises(InvalidInput):
                service.aliases.add(word, [meaning])
            assert service.aliases.all() == {}


def test_a_secret_is_no_alias(service: Service) -> None:
    with pytest.raises(InvalidInput) as caught:
        service.aliases.add("token", [GITHUB])
    assert GITHUB not in str(caught.value)


def test_while_memory_is_off_no_alias_is_written(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLDFAST_DISABLE", "1")
    with pytest.raises(SwitchedOff):
        service.aliases.add("auth", ["sso"])
    with pytest.raises(SwitchedOff):
        service.aliases.remove("auth")
