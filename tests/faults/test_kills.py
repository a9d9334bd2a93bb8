"""A process killed in the middle of everything it undertakes: nothing that was acknowledged is lost.

Each undertaking is killed before moments spread over all of it (`kills`): SQL statements, renames, syncs. Where it
goes on after the last one it ends by itself.
"""

import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.agents import spool
from holdfast.errors import StoreGone
from holdfast.model.care import PROBLEM
from holdfast.storage.workspace import open_guard
from holdfast.stores.sqlite.store import Care
from tests.embedded import service_behind
from tests.faults.hostile import ask
from tests.faults.kills import spread
from tests.faults.mortal import Ended, Mortal
from tests.faults.processes import database, inconsistencies, raw_bytes, stored_ids
from tests.faults.undertakings import SESSION, TALK, UNWANTED
from tests.faults.worker import SECOND_STEP, bring_up

SPOOLED = 5


@dataclass(frozen=True)
class Undertaking:
    """Something that is killed: what is there before, what is done, and what must hold afterwards."""

    name: str
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
    from holdfast.storage.drain import drain

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

UNDERTAKINGS = (
    Undertaking("create", nothing, has_what_was_promised),
    Undertaking("write", nothing, has_what_was_promised),
    Undertaking("migrate", some_notes, is_old_or_new),
    Undertaking("back_up", a_backup, copies_are_whole),
    Undertaking("restore", a_backup, is_there_or_comes_back),
    Undertaking("forget", something_unwanted, is_gone_or_as_it_was),
    Undertaking("settle", some_notes, is_found_by_meaning),
    Undertaking("take_in", a_full_spool, is_taken_in_once),
    Undertaking("hold_session", nothing, is_learnt_once),
    Undertaking("reindex", some_notes, is_searched_by_word),
)


@pytest.fixture(scope="module")
def mortal() -> Iterator[Mortal]:
    """A process with as many lives as a test wants."""
    lives = Mortal()
    yield lives
    lives.end()


def kill_often(mortal: Mortal, folder: Path, undertaking: Undertaking, times: int, seed: int) -> int:
    """Kill an undertaking before so many of its moments, each time anew; return how many moments it has."""
    moments = live(mortal, folder / "counted", undertaking, 0).calls
    for number in spread(moments * 9 // 10, times, seed):  # ids and times make a few more or fewer
        ended = live(mortal, folder / str(number), undertaking, number)
        assert (ended.killed, ended.code) == (True, -signal.SIGKILL), (undertaking.name, number, moments)
    return moments


def live(mortal: Mortal, project: Path, undertaking: Undertaking, number: int) -> Ended:
    """Let an undertaking run in a project of its own, killed before a moment, and see what it left."""
    project.mkdir(parents=True, exist_ok=True)
    undertaking.prepare(project)
    ended = mortal.live(undertaking.name, project, number)
    try:
        undertaking.check(project, ended)
        if undertaking.name != "migrate":  # which leaves a schema that this version does not know
            sound(project)
    except Exception as error:
        error.add_note(f"{undertaking.name}, killed before moment {number}")
        raise
    return ended


@pytest.mark.parametrize("undertaking", UNDERTAKINGS, ids=lambda undertaking: undertaking.name)
def test_killed_at_any_moment_nothing_acknowledged_is_lost(
    mortal: Mortal, tmp_path: Path, undertaking: Undertaking
) -> None:
    assert kill_often(mortal, tmp_path, undertaking, times=6, seed=3) > 20


@pytest.mark.soak
@pytest.mark.parametrize("undertaking", UNDERTAKINGS, ids=lambda undertaking: undertaking.name)
def test_forty_kills_of_each_undertaking_lose_nothing(
    mortal: Mortal, tmp_path: Path, undertaking: Undertaking
) -> None:
    moments = kill_often(mortal, tmp_path, undertaking, times=40, seed=19)
    print(f"\n40 of {moments:,} moments of {undertaking.name}")


def test_a_store_that_is_killed_again_and_again_goes_on(mortal: Mortal, project: Path) -> None:
    """The same store through every undertaking that keeps what is there."""
    promises: tuple[str, ...] = ()
    for name in ("create", "write", "hold_session", "reindex", "settle"):
        moments = mortal.live(name, project, 0).calls
        for number in spread(moments, 4, seed=7):
            promises = mortal.live(name, project, number).promises
    assert {one for one in promises if one in stored_ids(project) | turn_ids(project)} == {
        one for one in promises if "-" in one
    }
    sound(project)


def turn_ids(project: Path) -> set[str]:
    """Return the ids of all turns in a store's file."""
    return {str(row[0]) for row in ask(database(project), "SELECT id FROM turn")}
