"""One flipped bit anywhere in a store's file: harmless, named by `doctor` or a clear error, and restored."""

from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.errors import StoreDamaged
from holdfast.interfaces.cli.main import run
from holdfast.model.care import PROBLEM, Checkup
from holdfast.storage.guard import Guard
from holdfast.storage.workspace import open_guard
from tests.faults.flips import Specimen, places, summary
from tests.faults.hostile import change
from tests.faults.processes import inconsistencies


@pytest.mark.parametrize(
    ("count", "seed", "model"),
    [
        (8, 11, "hashing"),
        pytest.param(1_000, 2026, "minilm", marks=pytest.mark.soak, id="a thousand"),
        pytest.param(200, 7, "hashing", marks=pytest.mark.soak, id="two hundred"),
    ],
)
def test_a_flipped_bit_is_named_or_one_value_reads_otherwise_and_a_restore_brings_everything_back(
    project: Path, count: int, seed: int, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_EMBEDDING_MODEL", model)
    specimen = Specimen(project)
    outcomes = [specimen.flip(place, bit) for place, bit in places(specimen.pristine, count, seed)]
    assert [(one.place, one.raw) for one in outcomes if one.raw] == []
    assert [(one.place, one.missing) for one in outcomes if one.silent] == []
    assert [(one.place, one.unrepaired) for one in outcomes if one.unrepaired] == []
    assert [(one.place, one.unrestored) for one in outcomes if one.unrestored] == []
    print(f"\n{count} flips, {summary(outcomes)}")


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


DAMAGE = {
    "the list is no JSON": ('["cache","redis"]', 0, "rows: memory "),
    "the content is not UTF-8": ("Use Redis for the cache", 7, "rows: it holds text that is not UTF-8"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_row_is_named_and_the_newest_backup_restored(project: Path, guard: Guard, damage: str) -> None:
    text, bit, line = DAMAGE[damage]
    flip(guard, text, bit)
    examined = guard.examine()
    assert [one for one in problems(examined) if one.startswith(line)], problems(examined)
    assert all(
        "restores the newest good backup, of 20" in one.advice for one in examined.diagnoses if one.name == "rows"
    )
    repaired = guard.repair()
    assert problems(repaired) == []
    assert repaired.repaired[0].startswith("set the damaged store aside as ")
    [loss] = repaired.lost
    assert loss.startswith("what was written since 20")
    assert ": 1 memories and 0 turns; it is in " in loss
    assert titles(project) == ALL[:3]
    assert inconsistencies(project) == []


def test_a_command_that_meets_a_damaged_row_fails_and_names_doctor(
    project: Path, guard: Guard, capsys: pytest.CaptureFixture[str]
) -> None:
    """It neither leaves the row out in silence nor ends in a traceback; what does not read the row works."""
    flip(guard, '["cache","redis"]')
    assert run(["list", "--json", "--project", str(project)]) != 0
    out, err = capsys.readouterr()
    assert out == ""
    assert "is damaged (memory " in err
    assert "`holdfast doctor` says what is wrong" in err
    assert run(["search", "deploy on Friday", "--mode", "keyword", "--project", str(project)]) == 0


def test_a_column_of_another_type_is_damage(project: Path, guard: Guard) -> None:
    change(guard.path, "UPDATE memory SET title = x'41' WHERE seq = 1")
    with pytest.raises(StoreDamaged, match=r"memory \S+ cannot be read"):
        titles(project)
    change(guard.path, "UPDATE memory SET title = 'seven', reads = 'two' WHERE seq = 1")
    with pytest.raises(StoreDamaged, match=r"memory \S+ cannot be read"):
        titles(project)


def test_where_there_is_no_backup_the_file_is_left_as_it_is(guard: Guard) -> None:
    for backup in guard.backups():
        Path(backup.path).unlink()
    flip(guard, '["cache","redis"]')
    damaged = guard.path.read_bytes()
    repaired = guard.repair()
    assert all("there is no backup" in one.advice for one in repaired.diagnoses if one.name == "rows")
    assert (repaired.repaired, repaired.lost) == ((), ())
    assert guard.path.read_bytes() == damaged
    assert guard.begin_anew()


def test_every_damaged_row_has_a_line_of_its_own(guard: Guard) -> None:
    change(guard.path, "UPDATE memory SET content = content || '!' WHERE seq < 3")
    assert len([one for one in problems(guard.examine()) if one.startswith("rows: memory ")]) == 2


def test_text_that_is_no_text_in_the_log_does_not_end_the_doctor(guard: Guard) -> None:
    change(guard.path, "UPDATE audit SET actor = CAST(x'FF41' AS TEXT) WHERE seq = 2")
    assert "audit-chain: it holds text that is not UTF-8" in problems(guard.examine())


@pytest.mark.parametrize(
    ("damage", "name"),
    [
        ("DROP TRIGGER memory_inserted", "schema: the trigger memory_inserted is missing"),
        ("DROP INDEX memory_time", "schema: the index memory_time is missing"),
    ],
)
def test_the_schema_of_a_store_is_compared_with_what_it_should_be(
    project: Path, guard: Guard, damage: str, name: str
) -> None:
    change(guard.path, damage)
    assert name in problems(guard.examine())
    assert problems(guard.repair()) == []
    assert titles(project) == ALL[:3]


def test_no_backup_is_made_of_a_store_with_damaged_rows(guard: Guard) -> None:
    """It would in time take the place of the good ones; the failure is noted, so that `status` tells."""
    flip(guard, '["cache","redis"]')
    guard.back_up_daily()
    state = guard.backup_state()
    assert state.count == 1
    assert "cannot be read, so no backup was made" in str(state.failure)
