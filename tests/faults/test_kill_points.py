"""A process killed at every named point of what it undertakes: nothing that was acknowledged is lost.

Each undertaking is killed at its first point, its second and so on, until it ends by itself because there is no
further one: a point that is never reached fails.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.agents import spool
from holdfast.compose.guards import open_guard
from holdfast.errors import StoreGone
from holdfast.machine import kill_points as points
from holdfast.model.care import PROBLEM
from holdfast.stores.sqlite.store import Care
from tests.embedded import service_behind
from tests.faults.hostile import ask
from tests.faults.mortal import Ended, Mortal
from tests.faults.processes import ROOT, database, inconsistencies, raw_bytes, stored_ids
from tests.faults.undertakings import SESSION, TALK, UNWANTED
from tests.faults.worker import SECOND_STEP, bring_up
from tests.hooking import HUNG_S

SPOOLED = 5


@dataclass(frozen=True)
class Undertaking:
    """Something that is killed: what is there before, what is done, and what must hold afterwards."""

    name: str
    points: int
    """How many points it passes, so that one that is taken out is missed."""
    prepare: Callable[[Path], object]
    check: Callable[[Path, Ended], None]


def remember(project: Path, *texts: str) -> None:
    """Remember things."""
    with Holdfast.open(project) as memory:
        memory.add_many([{"content": text, "trust": "user"} for text in texts])


def remembered(project: Path) -> set[str]:
    """Return what is remembered."""
    with Holdfast.open(project) as memory:
        return {one.content for one in memory.list(limit=1_000)}


def nothing(project: Path) -> None:
    """Begin with an empty project."""


def some_notes(project: Path) -> None:
    """Begin with a few notes."""
    remember(project, *(f"Note number {number} about the queue" for number in range(5)))


def a_backup(project: Path) -> None:
    """Begin with notes, a copy of them, and one more note."""
    some_notes(project)
    open_guard(project, actor="test").back_up()
    remember(project, "Only in the store")


def something_unwanted(project: Path) -> None:
    """Begin with what is to be forgotten, in a memory, its vector, its file of vectors and a turn."""
    remember(project, *(f"Ordinary note {number} about zebra{number}" for number in range(40)), UNWANTED)
    with Holdfast.open(project) as memory:
        memory.start_session(ref="s").record("user", f"Note: {UNWANTED}!", ref="1")
        memory.search(UNWANTED)
        memory.flush()
        service_behind(memory)._scopes.project.vectors.settle()


def a_full_spool(project: Path) -> None:
    """Begin with what hooks left."""
    folder = spool.prepare(str(project))
    entry: dict[str, object] = {"client": "claude", "agent": "claude-code", "session": "s1", "at": 1}
    for number in range(SPOOLED):
        said = {"kind": "prompt", "role": "user", "text": f"Say {number}.", "ref": f"user:{number}"}
        spool.append(folder, spool.name_of("claude", "s1"), entry | said)
    spool.append(folder, spool.name_of("claude", "s1"), entry | {"kind": "end"})


def sound(project: Path) -> None:
    """See that a store's parts fit together, and that `doctor` finds no problem."""
    assert inconsistencies(project) == []
    diagnoses = open_guard(project, actor="test").examine().diagnoses
    assert [one for one in diagnoses if one.severity == PROBLEM] == []


def has_what_was_promised(project: Path, ended: Ended) -> None:
    """See that every id that was acknowledged is there, and that the store goes on."""
    remember(project, "The store goes on")
    assert set(ended.promises) <= stored_ids(project)


def is_old_or_new(project: Path, ended: Ended) -> None:
    """See that a schema is whole, the old one or the new, that each copy has the old one, and that the step can be
    repeated."""
    path = database(project)
    [(version,)] = ask(path, "PRAGMA user_version")
    [(table,)] = ask(path, "SELECT count(*) FROM sqlite_schema WHERE name = 'slow'")
    [(column,)] = ask(path, "SELECT count(*) FROM pragma_table_info('memory') WHERE name = 'extra'")
    assert (version, table, column) in ((1, 0, 0), (2, 1, 1))
    assert version == 2 or not ended.promises
    for copy in open_guard(project, actor="test").backups():
        assert ask(Path(copy.path), "PRAGMA integrity_check") == [("ok",)]
        assert ask(Path(copy.path), "PRAGMA user_version") == [(1,)]
    store = bring_up(project, Care(migrations=[SECOND_STEP]))
    assert store.state().schema == 2
    assert len(store.memories.walk(None, 9)) == 5
    store.close()


def copies_are_whole(project: Path, ended: Ended) -> None:
    """See that whatever has the name of a backup is one, and that each acknowledged one is there."""
    guard = open_guard(project, actor="test")
    names = [copy.path for copy in guard.backups()]
    assert set(ended.promises) <= set(names)
    assert names
    for name in names:
        assert ask(Path(name), "PRAGMA integrity_check") == [("ok",)]
    assert guard.restore().passed_over == ()
    assert len(remembered(project)) >= 5


def is_there_or_comes_back(project: Path, ended: Ended) -> None:
    """See that the store is the old one, the restored one, or missed with a way back."""
    if not database(project).exists():
        with pytest.raises(StoreGone, match="`holdfast restore` brings it back"):
            Holdfast.open(project)
        open_guard(project, actor="test").restore()
    notes = {f"Note number {number} about the queue" for number in range(5)}
    assert remembered(project) in (notes, notes | {"Only in the store"})
    if ended.promises:
        assert remembered(project) == notes


def is_gone_or_as_it_was(project: Path, ended: Ended) -> None:
    """See that what was forgotten left every byte; where forgetting had not begun, that it can be repeated."""
    with Holdfast.open(project) as memory:
        left = [one.id for one in memory.list(limit=100) if one.content == UNWANTED]
        for one in left:
            memory.forget(one)
        assert not (left and ended.promises)
        assert len(memory.list(limit=100)) == 40
        assert memory.add(UNWANTED, trust="agent").rejected == "forgotten"
    assert b"anzibarquokka" not in raw_bytes(project).lower()
    assert b"exillolog" not in raw_bytes(project).lower()


def is_found_by_meaning(project: Path, ended: Ended) -> None:
    """See that every note is the nearest to its own words, whatever files lie beside the store."""
    with Holdfast.open(project) as memory:
        for number in range(5):
            text = f"Note number {number} about the queue"
            assert memory.search(text, mode="vector", limit=1)[0].title == text


def is_taken_in_once(project: Path, ended: Ended) -> None:
    """See that the next drain takes in the rest, each entry once, in order."""
    from holdfast.compose.drain import drain

    drain(str(project))
    with Holdfast.open(project) as memory:
        [session] = service_behind(memory).sessions()
        said = [turn.text for turn in memory._service.turns(session.id)]
    assert said == [f"Say {number}." for number in range(SPOOLED)]
    assert session.status == "completed"


def is_learnt_once(project: Path, ended: Ended) -> None:
    """See that the session can be ended, and that it leaves what an undisturbed one leaves."""
    with Holdfast.open(project) as memory:
        session = memory.start_session(ref=SESSION)
        for place, (role, text) in enumerate(TALK):
            session.record(role, text, at=1_700_000_000_000 + place, ref=str(place))
        session.end()
        assert len(session.turns()) == len(TALK)
        findings = session.findings()
        learnt = [one.content for one in memory.list(limit=100)]
    assert len(findings) == len({one.id for one in findings})
    assert len(learnt) == len(set(learnt)) == LEARNT


def is_searched_by_word(project: Path, ended: Ended) -> None:
    """See that every note is found by its words."""
    with Holdfast.open(project) as memory:
        assert len(memory.search("queue", mode="keyword")) == 5


LEARNT = 3
"""What `TALK` is worth remembering, killed or not."""

PAGES = 3
"""In how many transactions: what is asked for in so many words counts at once, the rest at the end."""

UNDERTAKINGS = {
    points.CREATION: Undertaking("create", 4, nothing, has_what_was_promised),
    points.WRITE: Undertaking("write", 8, nothing, has_what_was_promised),
    points.MIGRATION: Undertaking("migrate", 4, some_notes, is_old_or_new),
    points.BACKUP: Undertaking("back_up", 4, a_backup, copies_are_whole),
    points.RESTORE: Undertaking("restore", 6, a_backup, is_there_or_comes_back),
    points.FORGET: Undertaking("forget", 5, something_unwanted, is_gone_or_as_it_was),
    points.SCRUB: Undertaking("forget", 5, something_unwanted, is_gone_or_as_it_was),
    points.SIDECAR: Undertaking("settle", 4, some_notes, is_found_by_meaning),
    points.DRAIN: Undertaking("take_in", 4 + SPOOLED, a_full_spool, is_taken_in_once),
    points.PROMOTE: Undertaking("hold_session", PAGES * 4 + LEARNT, nothing, is_learnt_once),
    points.REINDEX: Undertaking("reindex", 5, some_notes, is_searched_by_word),
}
"""By the name of their points."""


@pytest.fixture(scope="module")
def mortal() -> Iterator[Mortal]:
    """A process with as many lives as a test wants."""
    lives = Mortal()
    yield lives
    lives.end()


def kill_everywhere(mortal: Mortal, folder: Path, name: str) -> int:
    """Kill an undertaking at each of its points in turn, each time from the beginning; return how many."""
    undertaking = UNDERTAKINGS[name]
    for number in range(1, undertaking.points + 2):
        project = folder / f"{name}-{number}"
        project.mkdir(parents=True)
        undertaking.prepare(project)
        ended = mortal.live(undertaking.name, project, f"{name}:{number}")
        reached = number <= undertaking.points
        assert (ended.killed, ended.code) == ((True, -signal.SIGKILL) if reached else (False, 0)), (name, number)
        undertaking.check(project, ended)
        if name != points.MIGRATION:  # which leaves a schema that this version does not know
            sound(project)
    return undertaking.points


@pytest.mark.parametrize("name", points.NAMES)
def test_killed_at_any_point_nothing_acknowledged_is_lost(mortal: Mortal, tmp_path: Path, name: str) -> None:
    """Each point is reached, and there is none beyond the last."""
    kill_everywhere(mortal, tmp_path, name)


@pytest.mark.soak
def test_two_hundred_kills_at_named_points_lose_nothing(mortal: Mortal, tmp_path: Path) -> None:
    """Every undertaking at every point of it, over and over."""
    kills = 0
    while kills < 200:
        for name in points.NAMES:
            kills += kill_everywhere(mortal, tmp_path / str(kills), name)
    print(f"\n{kills} kills at named points")


def test_a_store_that_is_killed_again_and_again_goes_on(mortal: Mortal, project: Path) -> None:
    """The same store through every undertaking that keeps what is there, killed at each point of each."""
    promises: tuple[str, ...] = ()
    for name in (points.CREATION, points.WRITE, points.PROMOTE, points.REINDEX, points.SIDECAR):
        for number in range(1, UNDERTAKINGS[name].points + 1):
            promises = mortal.live(UNDERTAKINGS[name].name, project, f"{name}:{number}").promises
    assert {one for one in promises if one in stored_ids(project) | turn_ids(project)} == {
        one for one in promises if "-" in one
    }
    sound(project)


def turn_ids(project: Path) -> set[str]:
    """Return the ids of all turns in a store's file."""
    return {str(row[0]) for row in ask(database(project), "SELECT id FROM turn")}


def test_the_real_program_is_killed_where_the_environment_says(project: Path) -> None:
    """As a user would try it; without the variable, or with one that means nothing, nobody is killed."""
    some_notes(project)
    program = [str(Path(sys.executable).with_name("holdfast")), "backup", "--project", str(project)]

    def run(kill_at: str) -> int:
        environment = os.environ | {points.VARIABLE: kill_at}
        return subprocess.run(program, env=environment, cwd=ROOT, capture_output=True, timeout=HUNG_S).returncode

    assert [run(word) for word in ("backup:2", "backup:900", "backup:x", "nothing:1")] == [
        -signal.SIGKILL,
        0,
        0,
        0,
    ]
    assert len(open_guard(project, actor="test").backups()) == 3


def test_hooks_do_not_load_the_points() -> None:
    """What only tests need costs an agent nothing."""
    script = (
        "import sys; import holdfast.interfaces.hooks.respond, holdfast.compose.brief_stores; print(*sys.modules)"
    )
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert "holdfast.compose.brief_stores" in loaded.split()
    assert "holdfast.machine.kill_points" not in loaded.split()
