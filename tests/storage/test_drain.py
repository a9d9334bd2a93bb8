"""Taking in a spool: each entry once, in order, whatever happens on the way."""

import contextlib
import os
from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.agents import spool
from holdfast.errors import StoreBusy, SwitchedOff
from holdfast.machine import environment
from holdfast.model.ids import turn_ref
from holdfast.storage.drain import CHUNK, Drain, drain
from holdfast.storage.open import open_for_spool
from tests.embedded import service_behind

AT = 1_794_724_000_000


def say(
    project: Path, text: str, *, session: str = "s1", key: str = "", role: str = "user", **more: object
) -> None:
    """Spool what somebody said."""
    folder = spool.prepare(str(project))
    entry: dict[str, object] = {"kind": "prompt", "client": "claude", "agent": "claude-code", "session": session}
    entry |= {"at": AT, "role": role, "text": text, "ref": turn_ref(role, key or text, text)} | more
    spool.append(folder, spool.name_of("claude", session), entry)


def end(project: Path, session: str = "s1") -> None:
    """Spool the end of a session."""
    entry: dict[str, object] = {"kind": "end", "client": "claude", "agent": "claude-code", "session": session}
    spool.append(spool.prepare(str(project)), spool.name_of("claude", session), entry | {"at": AT})


def recorded(project: Path) -> dict[str, list[str]]:
    """Return the texts of every session's turns, by the session's ref."""
    with Holdfast.open(project) as memory:
        found = {}
        for session in service_behind(memory).sessions():
            found[str(session.ref)] = [turn.text for turn in memory._service.turns(session.id)]
        return found


def sealed(project: Path) -> list[str]:
    """Return the files that were sealed and are still there."""
    folder = Path(spool.folder_of(str(project)))
    return sorted(path.name for path in folder.glob("*.sealed"))


def test_what_was_said_becomes_turns_of_its_session(project: Path) -> None:
    say(project, "Use teal.")
    say(project, "Teal it is.", role="assistant")
    say(project, "$ ls\na.py", role="tool", tool="Bash", files=["a.py"])
    say(project, "Another session.", session="s2")
    assert drain(str(project)) == 2
    assert recorded(project) == {
        "claude:s1": ["Use teal.", "Teal it is.", "$ ls\na.py"],
        "claude:s2": ["Another session."],
    }
    assert sealed(project) == []
    assert drain(str(project)) == 0


def test_a_turn_keeps_when_it_was_said_by_whom_and_with_what(project: Path) -> None:
    say(project, "$ ls\na.py", role="tool", tool="Bash", files=["src/a.py"])
    drain(str(project))
    with Holdfast.open(project) as memory:
        [session] = service_behind(memory).sessions()
        [turn] = memory._service.turns(session.id)
    assert (session.agent, session.started_at) == ("claude-code", AT)
    assert (turn.role, turn.tool, turn.files, turn.at) == ("tool", "Bash", ("src/a.py",), AT)


def test_an_event_that_two_hooks_were_told_of_is_one_turn(project: Path) -> None:
    """By settings and by a plugin, in one spool or in two."""
    say(project, "Use teal.", key="p1")
    say(project, "Use teal.", key="p1")
    drain(str(project))
    say(project, "Use teal.", key="p1")
    say(project, "Use teal.", key="p2")
    drain(str(project))
    assert recorded(project) == {"claude:s1": ["Use teal.", "Use teal."]}


def test_the_end_of_a_session_completes_it_and_what_comes_later_is_kept_too(project: Path) -> None:
    say(project, "One.")
    end(project)
    say(project, "Two, after resuming.")
    drain(str(project))
    assert recorded(project) == {"claude:s1": ["One.", "Two, after resuming."]}


def test_a_drain_that_dies_after_its_commit_takes_nothing_in_again(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is still there; its entries are known."""
    for number in range(CHUNK + 5):
        say(project, f"Word {number}.")

    def die(path: str) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(spool, "remove", die)
        with pytest.raises(KeyboardInterrupt):
            drain(str(project))
    assert len(sealed(project)) == 1
    with Holdfast.open(project) as memory:  # even if turns had no refs
        store = service_behind(memory)._scopes.project
        store._database.script("UPDATE turn SET ref = NULL")  # type: ignore[attr-defined]  # SQLite's
    drain(str(project))
    assert recorded(project) == {"claude:s1": [f"Word {number}." for number in range(CHUNK + 5)]}
    assert sealed(project) == []


def test_a_drain_that_dies_within_a_transaction_is_done_again(project: Path) -> None:
    for number in range(4):
        say(project, f"Word {number}.")
    paths = spool.seal(spool.folder_of(str(project)))
    service, store = open_for_spool(project)
    record, calls = service.record, []

    def dying(*arguments: object, **named: object) -> object:
        calls.append(arguments)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return record(*arguments, **named)  # type: ignore[arg-type]  # passed on as they are

    service.record = dying  # type: ignore[method-assign, assignment]  # to die at a given place
    with contextlib.closing(service), pytest.raises(KeyboardInterrupt):
        Drain(spool.folder_of(str(project)), service, store, lambda label, error: None).files(paths)
    assert recorded(project) == {}
    drain(str(project))
    assert recorded(project) == {"claude:s1": [f"Word {number}." for number in range(4)]}


def test_an_entry_that_cannot_be_kept_is_set_aside_and_the_others_are_kept(project: Path) -> None:
    told: list[str] = []
    say(project, "One.")
    say(project, "Two.", at="yesterday", ref="r" * 500)
    say(project, "Three.")
    drain(str(project), lambda label, error: told.append(type(error).__name__))
    assert recorded(project) == {"claude:s1": ["One.", "Three."]}
    assert told == ["InvalidInput"]
    aside = Path(spool.folder_of(str(project)), "refused.jsonl").read_text()
    assert '"text":"Two."' in aside


def test_while_memory_is_off_the_spool_stays(project: Path) -> None:
    say(project, "One.")
    environment.pause(str(project))
    with pytest.raises(SwitchedOff):
        drain(str(project))
    assert len(sealed(project)) == 1
    environment.resume(str(project))
    drain(str(project))
    assert recorded(project) == {"claude:s1": ["One."]}


def test_while_the_store_is_busy_the_spool_stays(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Holdfast.open(project) as memory:
        monkeypatch.setenv("HOLDFAST_STORE_BUSY_TIMEOUT_MS", "20")
        say(project, "One.")
        with service_behind(memory)._scopes.project.writing(), pytest.raises(StoreBusy):
            drain(str(project))
    assert len(sealed(project)) == 1
    drain(str(project))
    assert recorded(project) == {"claude:s1": ["One."]}


def test_every_commit_of_a_drain_waits_for_the_disk(project: Path) -> None:
    service, store = open_for_spool(project)
    with contextlib.closing(service):
        assert store._database.pragma("synchronous") == 2  # type: ignore[attr-defined]  # SQLite's own figure for FULL


def test_one_holds_the_lock_and_is_let_go_with_its_process(project: Path) -> None:
    folder = spool.prepare(str(project))
    first = spool.hold(folder, spool.DRAINING)
    assert first is not None
    assert spool.hold(folder, spool.DRAINING, 0.05) is None
    os.close(first)
    second = spool.hold(folder, spool.DRAINING)
    assert second is not None
    os.close(second)


def refusals(project: Path) -> list[str]:
    """Drain, and return what was refused and why."""
    told: list[str] = []
    drain(str(project), lambda label, error: told.append(f"{label.partition('.')[2]} {error}"))
    return told


def test_a_full_file_of_refused_entries_stops_no_drain(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The newest part is kept."""
    monkeypatch.setattr(spool, "MOST_BYTES", 1_500)
    folder = Path(spool.prepare(str(project)))
    (folder / "refused.jsonl").write_text("x" * 1_490 + "\n")
    say(project, "Poison.", ref="r" * 500)
    say(project, "After.")
    assert len(refusals(project)) == 1
    assert recorded(project) == {"claude:s1": ["After."]}
    assert "Poison." in (folder / "refused.jsonl").read_text()
    assert (folder / "refused.jsonl.1").exists()


def test_poison_that_can_be_put_nowhere_keeps_its_file_and_stops_no_drain(project: Path) -> None:
    folder = Path(spool.prepare(str(project)))
    (folder / "refused.jsonl").mkdir()
    say(project, "Poison.", ref="r" * 500)
    say(project, "After.")
    assert len(refusals(project)) == 1
    assert recorded(project) == {"claude:s1": ["After."]}
    [kept] = folder.glob("*.sealed.refused")
    assert "Poison." in kept.read_text()
    assert drain(str(project)) == 0
