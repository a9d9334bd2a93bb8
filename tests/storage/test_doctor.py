"""Each check finds what it is for, and says what to do."""

import os
import shutil
from pathlib import Path
from types import SimpleNamespace

import apsw
import pytest

from holdfast import Holdfast
from holdfast.machine import disk
from holdfast.model.care import Diagnosis
from holdfast.model.limits import DAY_MS
from holdfast.model.requests import Draft
from holdfast.storage import doctor
from holdfast.storage.guard import Guard
from holdfast.storage.open import open_service
from holdfast.storage.workspace import open_guard
from tests.conftest import FakeClock
from tests.embedders import Topics
from tests.faults.hostile import change, plant
from tests.faults.processes import database


@pytest.fixture
def guard(project: Path) -> Guard:
    with Holdfast.open(project) as memory:
        memory.add("One thing")
    return open_guard(project, actor="test")


def found(guard: Guard) -> dict[str, Diagnosis]:
    """Examine, by name."""
    return {one.name: one for one in guard.examine().diagnoses}


def test_a_sound_store_has_nothing_but_a_missing_backup(guard: Guard) -> None:
    """And examining changes no byte."""
    before = guard.path.read_bytes()
    assert {one.name: one.severity for one in guard.examine().diagnoses if one.severity != "ok"} == {
        "backups": "warning"
    }
    guard.back_up()
    assert {one.severity for one in guard.examine().diagnoses} == {"ok"}
    assert guard.path.read_bytes() == before


def test_every_trouble_comes_with_advice(guard: Guard, project: Path) -> None:
    """Nobody is left with a bare complaint."""
    os.chmod(guard.path, 0o644)
    change(guard.path, "UPDATE audit SET actor = 'eve'; DELETE FROM change;")
    (project / ".holdfast" / "config.toml").write_text('[store]\npath = "x.db"\n')
    bad = [one for one in open_guard(project, actor="test").examine().diagnoses if one.severity != "ok"]
    assert {one.name for one in bad} == {"audit-chain", "change-log", "modes", "settings", "backups"}
    assert [one.name for one in bad if not one.advice] == []


def test_an_altered_audit_event_is_named_and_not_repaired(guard: Guard) -> None:
    change(guard.path, "UPDATE audit SET actor = 'eve' WHERE seq = 1")
    assert found(guard)["audit-chain"].message.startswith("event 1 does not fit")
    repaired = guard.repair()
    assert not repaired.healthy
    assert repaired.repaired == ()


def test_files_that_others_can_read_are_found_and_closed(guard: Guard) -> None:
    os.chmod(guard.path, 0o644)
    guard.path.parent.chmod(0o755)
    assert "(0644)" in found(guard)["modes"].message
    repaired = guard.repair()
    assert repaired.healthy
    assert len(repaired.repaired) == 2
    assert [guard.path.stat().st_mode & 0o777, guard.path.parent.stat().st_mode & 0o777] == [0o600, 0o700]


def sidecar(guard: Guard) -> Path:
    """Make the file that holds the vectors of memories."""
    with Holdfast.open(guard.path.parent.parent) as memory:
        memory.flush()
    return guard.path.with_name("vectors-memory.bin")


def test_files_with_vectors_are_the_owner_s_alone_too(guard: Guard) -> None:
    os.chmod(sidecar(guard), 0o644)
    assert "vectors-memory.bin can be read by others (0644)" in found(guard)["modes"].message
    assert guard.repair().healthy
    assert sidecar(guard).stat().st_mode & 0o777 == 0o600


def test_a_damaged_file_with_vectors_is_named_and_removed(guard: Guard) -> None:
    path = sidecar(guard)
    assert found(guard)["vectors"].severity == "ok"
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    seen = found(guard)["vectors"]
    assert (seen.severity, seen.message) == (
        "warning", "vectors-memory.bin is damaged, and searches do without it",
    )  # fmt: skip
    assert len(guard.repair().repaired) == 1
    assert not path.exists()
    assert found(guard)["vectors"].severity == "ok"


def test_what_waits_for_a_vector_is_counted_and_a_failure_named(guard: Guard, project: Path) -> None:
    assert found(guard)["vectors"].message == "1 rows have those of hashing-fnv1a-v1"
    service = open_service(project, actor="test", embed_on_add=False)
    service.add(Draft(content="Not embedded yet"))
    service.close()
    assert found(guard)["vectors"] == Diagnosis(
        name="vectors", severity="ok", message="1 rows have those of hashing-fnv1a-v1, 1 wait for theirs"
    )
    down = Topics()
    down.down = True
    open_service(project, actor="test", embedder=down).reindex()
    seen = found(guard)["vectors"]
    assert seen.severity == "warning"
    assert seen.message.startswith("those of topics could not be made since 20")
    assert "the embedder is down" in seen.message
    assert guard.repair().repaired == ()


WRONG_VECTORS = (
    "DELETE FROM vector",
    "UPDATE vector SET embedding = x'00'",
    "INSERT INTO vector SELECT target, 99, chunk, embedding FROM vector",
    "INSERT INTO vector SELECT 'other', row, chunk, embedding FROM vector",
    "UPDATE vector SET embedding = CAST(substr(embedding, 1, 1) || x'7C' || substr(embedding, 3) AS BLOB)",
)


def test_vectors_that_do_not_fit_their_rows_are_found_and_made_anew(guard: Guard, project: Path) -> None:
    wrong = []
    for damage in WRONG_VECTORS:
        change(guard.path, damage)
        before, repaired, after = found(guard)["vectors"], guard.repair(), found(guard)["vectors"]
        with Holdfast.open(project) as memory:
            memory.flush()
            hits = [hit.title for hit in memory.search("thing", mode="vector")]
        if (before.severity, repaired.healthy, after.severity, hits) != ("problem", True, "ok", ["One thing"]):
            wrong.append((damage, before, after, hits))
    assert wrong == []


def test_a_damaged_or_incomplete_model_is_named(
    guard: Guard, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert found(guard)["model"].message == "hashing-fnv1a-v1 makes vectors"
    monkeypatch.setenv("HOLDFAST_EMBEDDING_MODEL", "minilm")
    assert found(open_guard(project, actor="test"))["model"].severity == "ok"
    monkeypatch.setattr("holdfast.storage.options.damaged_files", lambda record: ["model.onnx"])
    seen = found(open_guard(project, actor="test"))["model"]
    assert (seen.severity, seen.message) == (
        "problem", "model.onnx of the bundled models is not what was shipped",
    )  # fmt: skip
    monkeypatch.setenv("HOLDFAST_EMBEDDING_MODEL", "remote")
    assert "embedding.remote_model is needed" in found(open_guard(project, actor="test"))["model"].message
    monkeypatch.setenv("HOLDFAST_EMBEDDING_MODEL", "none")
    assert found(open_guard(project, actor="test"))["model"].severity == "ok"


def test_too_little_space_is_a_warning(guard: Guard, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda place: SimpleNamespace(free=50 * 1_048_576))
    assert found(guard)["disk-space"] == Diagnosis(
        name="disk-space", severity="warning", message="50 MB free", advice="make room: 100 MB should be free"
    )


def test_a_shared_folder_is_a_warning(guard: Guard, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk, "_mounts", lambda path: [("/", "nfs4")])
    assert "nfs4" in found(guard)["mount"].message
    assert found(guard)["mount"].severity == "warning"


def test_old_backups_are_a_warning(project: Path, clock: FakeClock) -> None:
    Holdfast.open(project).close()
    guard = open_guard(project, actor="test", clock=clock)
    guard.back_up()
    clock.advance(8 * DAY_MS)
    assert "8 days ago" in found(guard)["backups"].message


def test_a_newer_schema_is_a_problem_of_versions(guard: Guard) -> None:
    change(guard.path, "PRAGMA user_version = 99")
    seen = found(guard)
    assert seen["versions"].severity == "problem"
    assert "schema 99" in seen["versions"].message
    assert "upgrade holdfast" in seen["versions"].advice


def test_bytes_that_wait_for_a_reader_are_named_and_then_driven_out(guard: Guard, project: Path) -> None:
    reader = apsw.Connection(str(guard.path))
    with Holdfast.open(project) as memory:
        added = memory.add("Wanted no more, this long text").id or ""
        reader.execute("BEGIN")
        list(reader.execute("SELECT * FROM memory"))
        memory.forget(added)
    assert found(guard)["scrub"].severity == "warning"
    reader.execute("COMMIT")
    reader.close()
    assert "drove what was forgotten out of the index, the vectors and the log" in guard.repair().repaired
    assert found(guard)["scrub"].severity == "ok"


def test_marks_that_could_not_be_kept_are_found_and_written(guard: Guard, project: Path, tmp_path: Path) -> None:
    """The forget itself worked all the same."""
    (tmp_path / "data" / "backups").touch()
    with Holdfast.open(project) as memory:
        memory.forget(memory.add("Wanted no more").id or "")
    assert found(guard)["forgotten"].severity == "warning"
    (tmp_path / "data" / "backups").unlink()
    assert "kept the marks of forgotten things beside the backups" in guard.repair().repaired
    assert found(guard)["forgotten"].severity == "ok"


def test_a_stranger_s_store_is_named_and_neither_opened_nor_repaired(project: Path) -> None:
    path = plant(project)
    os.chmod(path, 0o600)
    os.chmod(path.parent, 0o700)
    before = path.read_bytes()
    guard = open_guard(project, actor="test")
    seen = found(guard)
    assert (seen["registry"].severity, seen["registry"].message) == ("problem", "you did not make it")
    assert "integrity" not in seen
    assert not guard.repair().healthy
    assert path.read_bytes() == before


def test_a_lost_store_is_named_with_the_way_back(guard: Guard, project: Path) -> None:
    guard.back_up()
    shutil.rmtree(project / ".holdfast")
    assert "`holdfast restore` brings it back" in found(guard)["registry"].message


def test_where_there_is_no_store_nothing_is_wrong(project: Path) -> None:
    checkup = open_guard(project, actor="test").examine()
    assert checkup.healthy
    assert not database(project).exists()


def test_the_user_s_own_store_is_examined_by_its_place(project: Path) -> None:
    with Holdfast.open(project) as memory:
        memory.add("Mine everywhere", scope="user")
    guard = open_guard(project, actor="test", user=True)
    assert found(guard)["full-text"].message == "1 rows are indexed"
    guard.back_up()
    guard.path.write_bytes(b"")
    assert not guard.examine().healthy
    assert guard.repair().healthy
    with Holdfast.open(project) as memory:
        assert [one.content for one in memory.list()] == ["Mine everywhere"]


def test_every_check_names_its_diagnosis_after_itself(guard: Guard) -> None:
    patient = doctor.Patient(admission=guard.admission, now=guard.clock.now())
    assert [check(patient).name for check in doctor.AROUND.values()] == list(doctor.AROUND)
