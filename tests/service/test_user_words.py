"""What the user said lately: in the spool and in the store, compared by words, and proof of one thing once."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from holdfast.agents import spool
from holdfast.capture.text.clean import as_words
from holdfast.model.requests import Message
from holdfast.service.service import Service
from holdfast.slash import proven
from holdfast.storage.open import open_service
from tests.conftest import FakeClock

MINUTE = 60_000


@pytest.fixture
def service(project: Path, clock: FakeClock) -> Iterator[Service]:
    with closing(open_service(project, actor="cli", clock=clock)) as opened:
        yield opened


def spooled(project: Path, text: str, at: int, role: str = "user", ref: str = "r1") -> None:
    """Leave a turn where hooks do."""
    entry: dict[str, object] = {"kind": "prompt", "client": "claude", "agent": "claude-code", "session": "s1"}
    spool.append(
        spool.prepare(str(project)), "claude-x", {**entry, "at": at, "role": role, "text": text, "ref": ref}
    )


def recorded(service: Service, text: str, role: str = "user", ref: str | None = None) -> None:
    """Let a session hold a turn."""
    service.record(
        service.start_session("claude-code", ref="claude:s1").id, Message(role=role, text=text, ref=ref)
    )


def said(service: Service, within_ms: int = MINUTE) -> set[str]:
    """Return what the user is known to have said lately."""
    return {turn.text for turn in service.user_words.turns(within_ms)}


def test_turns_are_read_from_the_spool_and_from_the_store(
    service: Service, project: Path, clock: FakeClock
) -> None:
    recorded(service, "We decided: the LEDGER mints invoice numbers.")
    spooled(project, "Never push to main on a Friday!", clock.now())
    assert said(service) == {
        "We decided: the LEDGER mints invoice numbers.",
        "Never push to main on a Friday!",
    }


def test_only_persons_are_witnesses(service: Service, project: Path, clock: FakeClock) -> None:
    for role in ("assistant", "tool", "system"):
        recorded(service, "Push to main directly", role)
        spooled(project, "Push to main directly", clock.now(), role)
        assert said(service) == set(), role


def test_what_was_said_too_long_ago_proves_nothing(service: Service, clock: FakeClock) -> None:
    recorded(service, "Push to main directly")
    clock.advance(MINUTE + 1)
    assert said(service) == set()
    assert said(service, 2 * MINUTE) == {"Push to main directly"}


def test_a_turn_that_is_spooled_and_stored_is_one(service: Service, project: Path, clock: FakeClock) -> None:
    recorded(service, "Push to main", ref="r1")
    spooled(project, "Push to main", clock.now())
    [turn] = service.user_words.turns(MINUTE)
    assert service.user_words.take(turn, "pin")
    assert not service.user_words.take(turn, "pin")
    assert service.user_words.take(turn, "remember"), "it may prove something else"


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("/remember Deploys go out on Tuesdays", "/remember Deploys go out on Tuesdays"),
        ("$remember Deploys go out on Tuesdays", "remember Deploys go out on Tuesdays"),
        ("/holdfast:memory list", "/memory list"),
        ("/mcp__holdfast__pin 1f2e3d4c", "/pin 1f2e3d4c"),
        ("  /pin 1f2e3d4c\n", "/pin 1f2e3d4c"),
        ("Read this first.\n$forget the staging password", "/forget the staging password"),
        ('/remember say "no" to C++, a != b', "/remember say no to c++,  a != b"),
    ],
)
def test_a_typed_command_is_proven_however_the_client_spells_it(service: Service, said: str, line: str) -> None:
    recorded(service, said)
    assert proven(service, line)
    assert not proven(service, line), "it was typed once"


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("/remember Deploys go out on Tuesdays", "/remember Deploys go out"),
        ("/remember Deploys go out on Tuesdays", "/remember Deploys go out on Tuesdays and Fridays"),
        ("/remember pin 1f2e3d4c", "/pin 1f2e3d4c"),
        ("The docs say: pin 1f2e3d4c", "/pin 1f2e3d4c"),
        ("/pin 1f2e3d4c", "/forget 1f2e3d4c"),
        ("/pinned 1f2e3d4c", "/pin 1f2e3d4c"),
        ("see a/pin 1f2e3d4c", "/pin 1f2e3d4c"),
        ("Do not run /pin 1f2e3d4c", "/pin 1f2e3d4c"),
        ("The page says:\n/pin 1f2e3d4c", "/pin 1f2e3d4c"),
        ("never type $pin 1f2e3d4c", "/pin 1f2e3d4c"),
        ("/remember we use C++", "/remember we use C#"),
        ("/remember a != b", "/remember a = b"),
        ("/remember keep x, not y", "/remember keep x not, y"),
    ],
)
def test_what_nobody_typed_so_is_not_proven(service: Service, said: str, line: str) -> None:
    recorded(service, said)
    assert not proven(service, line)


def test_a_command_with_a_secret_is_proven_by_what_is_kept_of_it(service: Service) -> None:
    line = "/remember the deploy key is ghp_" + "A1b2C3d4E5" * 3 + "f6G7h8"
    recorded(service, line)
    assert proven(service, line)


def test_words_are_compared_without_case_blanks_and_signs() -> None:
    assert as_words("  Don’t\tpush — to\nMAIN! ") == as_words("don't push to main") == "don t push to main"
