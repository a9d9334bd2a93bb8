"""One flipped bit anywhere in a store's file: an error of ours or a right answer, and `doctor` mends it."""

import json
from pathlib import Path

import apsw
import pytest

from holdfast import Holdfast
from holdfast.interfaces.cli.main import run
from holdfast.model.care import PROBLEM, Checkup
from holdfast.storage.guard import Guard
from holdfast.storage.workspace import open_guard
from holdfast.stores.sqlite import sealed
from tests.embedded import service_behind
from tests.faults.flips import Specimen, places, summary
from tests.faults.hostile import ask, change
from tests.faults.processes import inconsistencies


@pytest.mark.parametrize(
    ("count", "seed", "model"),
    [
        (8, 11, "hashing"),
        pytest.param(1_000, 2026, "minilm", marks=pytest.mark.soak, id="a thousand"),
        pytest.param(200, 7, "hashing", marks=pytest.mark.soak, id="two hundred"),
        pytest.param(200, 97, "minilm", marks=pytest.mark.soak, id="two hundred others"),
    ],
)
def test_no_flipped_bit_gives_a_raw_error_or_a_wrong_answer_that_nobody_tells(
    project: Path, count: int, seed: int, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every repair leaves the store as it was, or says which rows are as of the backup or lost."""
    monkeypatch.setenv("HOLDFAST_EMBEDDING_MODEL", model)
    specimen = Specimen(project)
    outcomes = [specimen.flip(place, bit) for place, bit in places(specimen.pristine, count, seed)]
    assert [(one.place, one.raw) for one in outcomes if one.raw] == []
    assert [(one.place, one.unlike) for one in outcomes if one.silent] == []
    assert [(one.place, one.unrepaired) for one in outcomes if one.unrepaired] == []
    print(f"\n{count} flips, {summary(outcomes)}")


PAGE = 4_096
CELL_COUNT = 3
"""Where a page of a table says how many cells it has."""


@pytest.fixture
def guard(project: Path) -> Guard:
    """A store of three memories with a backup, and one memory that came after it."""
    with Holdfast.open(project) as memory:
        memory.add("Use Redis for the cache", tags=("cache", "redis"))
        memory.add("Never deploy on Friday")
        memory.add("The API listens on port 8080")
        open_guard(project, actor="test").back_up()
        memory.add("Newer than the backup")
        memory.flush()
    return open_guard(project, actor="test")


def flip(guard: Guard, text: str, bit: int = 0) -> None:
    """Flip a bit of the first letter of a text where a row holds it: the index holds single words."""
    data = bytearray(guard.path.read_bytes())
    place = data.find(text.encode())
    assert place > 0
    data[place] ^= 1 << bit
    guard.path.write_bytes(data)


def titles(project: Path) -> list[str]:
    """Return the titles that a list shows, oldest first."""
    with Holdfast.open(project) as memory:
        return [one.title for one in memory.list()][::-1]


def problems(checkup: Checkup) -> list[str]:
    """Return what is wrong, a line each."""
    return [f"{one.name}: {one.message}" for one in checkup.diagnoses if one.severity == PROBLEM]


ALL = [
    "Use Redis for the cache",
    "Never deploy on Friday",
    "The API listens on port 8080",
    "Newer than the backup",
]


@pytest.mark.parametrize(
    ("text", "bit"),
    [
        ('["cache","redis"]', 0),  # no longer JSON
        ("Use Redis for the cache", 5),  # another case, which no fingerprint sees
        ("Use Redis for the cache", 7),  # no longer UTF-8
    ],
)
def test_a_damaged_row_is_walled_off_and_comes_back_from_the_backup(
    project: Path, guard: Guard, text: str, bit: int
) -> None:
    flip(guard, text, bit)
    assert titles(project) == ALL[1:]
    with Holdfast.open(project) as memory:
        assert [hit.title for hit in memory.search("deploy on Friday", mode="keyword")] == [ALL[1]]
        memory.add("And one more")
    [line] = [one for one in problems(guard.examine()) if one.startswith("rows:")]
    assert "is not as it was written" in line
    repaired = guard.repair()
    assert problems(repaired) == []
    assert any("brought back from a backup: memory" in one and ALL[0] in one for one in repaired.repaired)
    assert repaired.lost == ()
    assert titles(project) == [*ALL, "And one more"]
    assert inconsistencies(project) == []


def test_what_is_left_out_is_said_by_the_command_and_kept_for_status(
    project: Path, guard: Guard, capsys: pytest.CaptureFixture[str]
) -> None:
    flip(guard, '["cache","redis"]')
    run(["list", "--json", "--project", str(project)])
    out, err = capsys.readouterr()
    assert len(json.loads(out)) == 3
    assert "left out, because it is damaged: memory" in err
    assert "`holdfast doctor --repair`" in err
    run(["status", "--project", str(project)])
    assert "is damaged and was left out" in capsys.readouterr().out


def test_a_lost_row_is_named_and_the_rest_kept_where_no_backup_has_it(project: Path, guard: Guard) -> None:
    flip(guard, "Newer than the backup", 5)
    repaired = guard.repair()
    assert problems(repaired) == []
    [lost] = repaired.lost
    assert lost.startswith("memory ")
    assert "memory.db.damaged-" in lost
    assert titles(project) == ALL[:3]


def test_the_turns_of_a_damaged_session_are_kept_once_it_came_back(project: Path) -> None:
    with Holdfast.open(project) as memory:
        session = memory.start_session(ref="one")
        session.record("user", "Which palette do we use?")
        open_guard(project, actor="test").back_up()
    guard = open_guard(project, actor="test")
    change(guard.path, "UPDATE session SET agent = 'another'")
    repaired = guard.repair()
    assert (repaired.lost, problems(repaired)) == ((), [])
    assert ask(guard.path, "SELECT text FROM turn") == [("Which palette do we use?",)]
    for backup in guard.backups():
        Path(backup.path).unlink()
    change(guard.path, "UPDATE session SET agent = 'another'")
    assert sorted(one.split()[0] for one in guard.repair().lost) == ["session", "turn"]


def test_a_row_that_waited_for_another_to_come_back_is_counted_once(project: Path) -> None:
    with Holdfast.open(project) as memory:
        for ref in ("one", "two"):
            memory.start_session(ref=ref).record("user", f"Which palette do we use in {ref}?")
        open_guard(project, actor="test").back_up()
    guard = open_guard(project, actor="test")
    change(guard.path, "UPDATE session SET agent = 'another' WHERE ref = 'two'")
    summary, session = guard.repair().repaired
    assert "made it anew from 3 of its own rows" in summary  # a session, and both turns
    assert session.startswith("brought back from a backup: session ")


def test_rows_that_can_be_read_are_kept_where_there_is_no_backup_at_all(project: Path, guard: Guard) -> None:
    for backup in guard.backups():
        Path(backup.path).unlink()
    flip(guard, '["cache","redis"]')
    assert all("there is no backup" in one.advice for one in guard.examine().diagnoses if one.name == "rows")
    repaired = guard.repair()
    assert (len(repaired.lost), problems(repaired)) == (1, [])
    assert titles(project) == ALL[1:]


def test_a_repair_never_indexes_the_words_of_a_damaged_row(project: Path, guard: Guard) -> None:
    """The index of a row that says something else is no proof that it was ever said."""
    for backup in guard.backups():
        Path(backup.path).unlink()
    change(guard.path, "UPDATE memory SET content = 'Use Walrus for the cache' WHERE seq = 1")
    guard.repair()
    assert ask(guard.path, "SELECT rowid FROM memory_fts WHERE memory_fts MATCH 'walrus'") == []


def test_every_damaged_row_has_a_line_of_its_own(guard: Guard) -> None:
    change(guard.path, "UPDATE memory SET importance = 0.75 WHERE seq < 3")
    lines = [one for one in problems(guard.examine()) if one.startswith("rows:")]
    assert [("Redis" in one, "Friday" in one) for one in lines] == [(True, False), (False, True)]


def test_text_that_is_no_text_in_the_log_does_not_end_the_doctor(project: Path, guard: Guard) -> None:
    change(guard.path, "UPDATE audit SET actor = CAST(x'FF41' AS TEXT) WHERE seq = 2")
    found = problems(guard.examine())
    assert [one for one in found if one.startswith("audit-chain: event 2 ")]
    repaired = guard.repair()
    assert problems(repaired) == []
    assert "brought back from a backup: events 2 to 3 of the log" in repaired.repaired


def test_an_event_that_no_backup_has_is_named_as_lost_and_the_log_stays_known_as_altered(guard: Guard) -> None:
    other_digit = "CASE substr(hash, 1, 1) WHEN 'f' THEN '0' ELSE 'f' END || substr(hash, 2)"
    change(guard.path, f"UPDATE audit SET hash = {other_digit} WHERE seq = (SELECT max(seq) FROM audit)")
    [line] = [one for one in problems(guard.examine()) if one.startswith("audit-chain:")]
    repaired = guard.repair()
    assert problems(repaired) == [line]
    [(last,)] = ask(guard.path, "SELECT max(seq) FROM audit")
    assert repaired.lost == (f"event {last} of the log: no longer as written, and in no backup",)


def test_a_log_that_cannot_be_read_comes_back_from_the_backup_and_what_is_newer_is_named(
    project: Path, guard: Guard
) -> None:
    events = ask(guard.path, "SELECT seq, action, hash FROM audit ORDER BY seq")
    [(page,)] = ask(guard.path, "SELECT rootpage FROM sqlite_schema WHERE name = 'audit'")
    data = bytearray(guard.path.read_bytes())
    data[(int(str(page)) - 1) * PAGE + CELL_COUNT] ^= 1 << 6
    guard.path.write_bytes(data)
    repaired = guard.repair()
    assert problems(repaired) == []
    kept = ask(guard.path, "SELECT seq, action, hash FROM audit ORDER BY seq")
    assert kept == events[: len(kept)]
    assert 0 < len(kept) < len(events)
    assert f"brought back from a backup: events 1 to {len(kept)} of the log, as on" in "".join(repaired.repaired)
    assert [line.partition(" of the log")[0] for line in repaired.lost] == [f"event {len(events)}"]
    assert titles(project) == ALL


@pytest.mark.parametrize(
    ("damage", "name"),
    [
        ("DROP TRIGGER memory_inserted", "schema: the trigger memory_inserted is missing"),
        ("DROP INDEX memory_time", "schema: the index memory_time is missing"),
        ("UPDATE meta SET value = x'00' WHERE key = 'tombstone_key'", "facts: the store's id"),
        ("PRAGMA user_version = 2", "schema: the file's head says 2"),
    ],
)
def test_the_schema_and_the_facts_of_a_store_are_compared_with_what_they_should_be(
    project: Path, guard: Guard, damage: str, name: str
) -> None:
    change(guard.path, damage)
    assert [one for one in problems(guard.examine()) if one.startswith(name)]
    assert problems(guard.repair()) == []
    assert titles(project) == ALL


def test_no_backup_is_made_of_a_store_with_damaged_rows(project: Path, guard: Guard) -> None:
    """It would in time take the place of the good ones; the failure is noted, so that `status` tells."""
    flip(guard, '["cache","redis"]')
    guard.back_up_daily()
    state = guard.backup_state()
    assert state.count == 1
    assert "is not as it was written" in str(state.failure)


def test_a_store_of_before_the_seals_gets_them_but_not_what_is_damaged_already(
    project: Path, guard: Guard
) -> None:
    change(
        guard.path,
        "UPDATE memory SET seal = NULL; UPDATE memory SET content = 'Never deploy on Xriday' WHERE seq = 2",
    )
    connection = apsw.Connection(str(guard.path))
    connection.close()
    with Holdfast.open(project) as memory:
        store = service_behind(memory)._scopes.project
        with store.writing():
            sealed.seal_rows(store._database)  # type: ignore[attr-defined]  # as above
    assert ask(guard.path, "SELECT seq FROM memory WHERE seal IS NULL") == [(2,)]
    assert [one for one in problems(guard.examine()) if "Never deploy" in one]
