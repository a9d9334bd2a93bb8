"""`holdfast token`: shown once, listed without the secret, revoked for good."""

import json
import time
from typing import Any

import pytest

from holdfast.interfaces.cli.main import run
from holdfast.storage.tenancy import tokens


class Desk:
    """Runs `holdfast token …`."""

    def __init__(self, capture: pytest.CaptureFixture[str]) -> None:
        self._capture = capture

    def __call__(self, *words: str, code: int = 0) -> str:
        assert run(["token", *words]) == code
        return self._capture.readouterr().out

    def json(self, *words: str) -> Any:
        """Run it with --json; return what it printed."""
        return json.loads(self(*words, "--json"))


@pytest.fixture
def desk(capsys: pytest.CaptureFixture[str]) -> Desk:
    return Desk(capsys)


def test_a_token_is_shown_once_and_listed_without_its_secret(desk: Desk) -> None:
    made = desk("create", "--name", "ci", "--scope", "read", "--expires", "90d").strip()
    assert made.startswith("hft_")
    now = time.time_ns() // 1_000_000
    found = tokens().find(made, now)
    assert found
    assert (found.name, found.scope, found.tenant, found.project) == ("ci", "read", "local", None)
    assert found.expires
    assert abs(found.expires - now - 90 * 86_400_000) < 60_000
    listed = desk("list")
    assert found.id in listed
    assert made.split("_", 2)[2] not in listed


def test_a_revoked_token_is_gone(desk: Desk) -> None:
    made = desk.json("create", "--name", "shop", "--only", "acme/shop", "--tenant", "acme")
    assert (made["project"], made["tenant"]) == ("acme/shop", "acme")
    assert "digest" not in made
    assert desk.json("revoke", made["id"])["id"] == made["id"]
    assert desk.json("list") == []
    assert tokens().find(made["token"], 0) is None
    desk("revoke", made["id"], code=3)


def test_what_cannot_be_meant_is_refused(desk: Desk) -> None:
    desk("create", "--name", " ", code=2)
    desk("create", code=2)
    desk("create", "--name", "x", "--expires", "2001-01-01", code=2)
    desk("create", "--name", "x", "--scope", "everything", code=2)
    assert desk.json("list") == []
