"""Backups hold what was forgotten, and say so; asked to, each is rewritten without it, whole or not at all."""

import shutil
from contextlib import closing
from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.agents import spool
from holdfast.errors import PersonNeeded
from holdfast.model.actor import Actor
from holdfast.model.requests import Reach
from holdfast.storage.guard import Guard
from holdfast.storage.open import open_service
from holdfast.storage.status import status_of
from holdfast.storage.workspace import open_guard
from holdfast.stores.sqlite import backup
from tests.faults.processes import inconsistencies

RULE = "Remember that the Zanzibarquokka importer must never run before the Vexillology job."
AGAIN = "Understood: the Zanzibarquokka importer never runs before the Vexillology job."
OTHER = "Never deploy on a Friday evening, whatever the reason is."
WORDS = (b"anzibarquokka", b"exillolog")


@pytest.fixture
def guard(project: Path) -> Guard:
    return open_guard(project, actor="test")


def talked(project: Path) -> str:
    """Let a session say it, and another thing; return the id of what was learnt."""
    with Holdfast.open(project) as memory:
        session = memory.start_session()
        for role, text in (("user", RULE), ("assistant", AGAIN), ("user", OTHER)):
            session.record(role, text)
        session.end()
        return next(one.id for one in memory.list() if "anzibar" in one.content)


def holding(*places: Path) -> list[str]:
    """Return the files below these places in which a distinctive word stands."""
    files = sorted(path for place in places for path in place.rglob("*") if path.is_file())
    return [path.name for path in files if any(word in path.read_bytes().lower() for word in WORDS)]


def backups(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "data" / "backups").glob("*/*.db"))


def test_the_answer_and_the_status_say_that_backups_hold_it(project: Path, guard: Guard, tmp_path: Path) -> None:
    memory_id = talked(project)
    names = {Path(guard.back_up().path).name, *(path.name for path in backups(tmp_path))}
    with Holdfast.open(project) as memory:
        assert set(memory.forget(memory_id).backups) == names
    state = status_of(project).backup
    assert state is not None
    assert state.behind == len(names)
    assert set(holding(tmp_path)) == names


def test_no_byte_of_it_is_left_anywhere_after_forgetting_it_with_its_backups(
    project: Path, guard: Guard, tmp_path: Path
) -> None:
    """Store, log, sidecars, spool, backups, the store that a restore set aside, logs."""
    memory_id = talked(project)
    guard.back_up()
    guard.restore()
    entry = {"kind": "prompt", "client": "claude", "session": "s9", "at": 1, "role": "user", "text": AGAIN}
    spool.append(spool.prepare(str(project)), "claude-s9", entry)
    assert len(holding(tmp_path)) >= 4
    with Holdfast.open(project) as memory:
        gone = memory.forget(memory_id, backups=True)
        assert (gone.backups, gone.unusable, gone.account) == ((), (), "1 memory, 3 sentences in 2 sessions")
        assert len(gone.cleaned) == len(backups(tmp_path)) + 1
    assert holding(tmp_path) == []
    state = status_of(project).backup
    assert state is not None
    assert state.behind == 0


def test_a_cleaned_backup_is_whole_and_holds_everything_else(project: Path, guard: Guard, tmp_path: Path) -> None:
    memory_id = talked(project)
    guard.back_up()
    with Holdfast.open(project) as memory:
        memory.forget(memory_id, backups=True)
    for copy in backups(tmp_path):
        assert backup.inspect(copy).turns == 3
        assert list(copy.parent.glob(f"*{copy.name}?*")) == [], "nothing is left beside it"
        assert copy.stat().st_mode & 0o777 == 0o600
    guard.restore()
    with Holdfast.open(project) as memory:
        assert [one.content for one in memory.list()] == [OTHER]
    assert inconsistencies(project) == []


def test_what_was_forgotten_before_goes_from_the_backups_later(
    project: Path, guard: Guard, tmp_path: Path
) -> None:
    """Known by its marks alone; also from a copy made before anything was learnt from what was said."""
    with Holdfast.open(project) as memory:
        session = memory.start_session()
        session.record("user", RULE)
        early = Path(guard.back_up().path)
        session.end()
        memory.forget(memory.list()[0].id)
        assert early.name in holding(tmp_path)
        cleaned = memory.forget_where(backups=True).cleaned
        assert early.name in cleaned
        assert memory.forget_where(backups=True).cleaned == (), "there is nothing more to do"
    assert holding(tmp_path) == []


def test_restoring_a_copy_from_before_it_was_learnt_masks_what_was_said(
    project: Path, guard: Guard, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_CAPTURE_AUTO", "false")
    with Holdfast.open(project) as memory:
        session = memory.start_session()
        session.record("user", RULE)
        early = Path(guard.back_up().path)
        memory.forget(memory.add(RULE, trust="user").id or "")
    guard.restore(early)
    with closing(open_service(project, actor="cli")) as service:
        assert [turn.text for turn in service.turns(session.id)] == ["[forgotten]."]


def test_a_damaged_backup_is_named_and_left_and_the_others_are_cleaned(
    project: Path, guard: Guard, tmp_path: Path
) -> None:
    memory_id = talked(project)
    damaged = Path(guard.back_up().path)
    raw = bytearray(damaged.read_bytes())
    raw[4096 * 3 : 4096 * 12] = b"\xff" * (4096 * 9)
    damaged.write_bytes(bytes(raw))
    with Holdfast.open(project) as memory:
        gone = memory.forget(memory_id, backups=True)
    assert [one.partition(":")[0] for one in gone.unusable] == [damaged.name]
    assert gone.cleaned
    assert damaged.read_bytes() == bytes(raw)
    assert set(holding(tmp_path)) <= {damaged.name}


def test_a_rewrite_that_fails_on_the_way_leaves_the_backup_as_it_was(
    project: Path, guard: Guard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory_id = talked(project)
    copy = Path(guard.back_up().path)
    before = copy.read_bytes()

    def full(fresh: Path, path: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("holdfast.stores.sqlite.files.settle", full)
    with Holdfast.open(project) as memory:
        gone = memory.forget(memory_id, backups=True)
    assert copy.name in {one.partition(":")[0] for one in gone.unusable}
    assert copy.read_bytes() == before
    assert list(copy.parent.glob(".*.new*")) == []


def test_the_backups_of_the_users_own_store_are_cleaned_too(project: Path, tmp_path: Path) -> None:
    with Holdfast.open(project) as memory:
        memory_id = memory.add(RULE, scope="user", trust="user").id or ""
        open_guard(project, actor="test", user=True).back_up()
        gone = memory.forget(memory_id, backups=True)
    assert len(gone.cleaned) == 1
    assert holding(tmp_path) == []


def test_a_link_in_a_backups_place_is_not_followed(project: Path, guard: Guard, tmp_path: Path) -> None:
    memory_id = talked(project)
    copy = Path(guard.back_up().path)
    elsewhere = tmp_path / "elsewhere.db"
    shutil.move(copy, elsewhere)
    copy.symlink_to(elsewhere)
    before = elsewhere.read_bytes()
    with Holdfast.open(project) as memory:
        memory.forget(memory_id, backups=True)
    assert elsewhere.read_bytes() == before


def test_an_agent_may_not_have_backups_rewritten(project: Path) -> None:
    service = open_service(project, actor="cli")
    agent = service.acting_as(Actor("mcp", person=False, agent="claude-code"))
    with pytest.raises(PersonNeeded, match="rewriting backups"):
        agent.forget("1f2e3d4c", Reach(backups=True))
    service.close()
