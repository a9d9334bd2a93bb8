"""Whether a store's vectors fit its rows, and the files beside it that hold them; putting both right.

Must not live here: whether the vectors are those of the model in use, which is no matter of the file.
"""

from pathlib import Path
from typing import TYPE_CHECKING, cast

from holdfast.model.care import OK, PROBLEM, WARNING, Diagnosis
from holdfast.model.ids import new_id
from holdfast.model.times import iso
from holdfast.model.vectors import VECTOR_TARGETS
from holdfast.stores.sqlite import sidecar
from holdfast.stores.sqlite.connection import Database
from holdfast.stores.sqlite.opening import schema_of
from holdfast.stores.sqlite.queries import latest_schema
from holdfast.stores.sqlite.vector_seals import damaged_vectors
from holdfast.stores.sqlite.vectors import SqliteVectors

if TYPE_CHECKING:
    from holdfast.stores.sqlite.connection import Row

_WRONG = (
    "length(embedding) IS NOT 2 * (SELECT value FROM meta WHERE key = 'vector_dimensions') "
    "OR (target = 'memory' AND row NOT IN (SELECT seq FROM memory)) "
    "OR (target = 'turn' AND row NOT IN (SELECT seq FROM turn)) "
    "OR target NOT IN ('memory', 'turn')"
)
"""Vectors of another size than the model's, or of a row that is gone: of no table that has vectors, at that."""


def diagnose_vectors(database: Database) -> Diagnosis:
    """Say whether every row has its vectors or waits for them, and whether the files that hold them are whole."""
    if not _has_vector_table(database):
        return _diagnosis(OK, "none yet: an older holdfast made this store")
    advice = "`holdfast doctor --repair` lets those rows wait for vectors again"
    if astray := _astray(database):
        return _diagnosis(PROBLEM, f"{astray:,} rows have wrong ones, or neither have any nor wait", advice)
    if unlike := _damaged(database):
        return _diagnosis(PROBLEM, f"those of {len(unlike):,} rows are not as they were made", advice)
    bad_files = damaged_files(database)
    if bad_files:
        advice = "`holdfast doctor --repair` removes it; `holdfast reindex --pending` makes it anew"
        return _diagnosis(WARNING, f"{bad_files[0].name} is damaged, and searches do without it", advice)
    return _progress(SqliteVectors(database), database)


def wrong_vectors(database: Database) -> bool:
    """Say whether there is anything to repair: a failing embedder is nothing that a store can put right."""
    return _has_vector_table(database) and bool(_astray(database) or _damaged(database) or damaged_files(database))


def repair_vectors(database: Database) -> None:
    """Let go of vectors that are wrong, let every row without any wait, and remove files that are damaged."""
    with database.writing():
        database.rows(
            "DELETE FROM vector WHERE (target, row) IN (SELECT target, row FROM vector WHERE " + _WRONG + ")"
        )
        database.many("vector_damaged", ({"target": target, "row": row} for target, row in _damaged(database)))
        for target in VECTOR_TARGETS:
            database.rows(
                _missing_statement(target, f"INSERT INTO unembedded (target, row) SELECT '{target}', seq")
            )
            database.rows(
                f"DELETE FROM unembedded WHERE target = '{target}' AND row NOT IN (SELECT seq FROM {target})"
            )
        # Whoever has the vectors in memory reads them anew.
        generation = int.from_bytes(bytes.fromhex(new_id(0)[-8:]), "big")
        database.all("meta_set", {"key": "vector_generation", "value": generation})
    for path in damaged_files(database):
        sidecar.sweep(str(path))


def damaged_files(database: Database) -> list[Path]:
    """Return the files beside the store that should hold vectors and are not whole."""
    beside = sorted(Path(database.path).parent.glob("vectors*"))
    return [path for path in beside if not path.is_file() or sidecar.read(str(path)) is None]


def _progress(vectors: SqliteVectors, database: Database) -> Diagnosis:
    failure, model, waiting_rows = vectors.failure(), vectors.model(), sum(vectors.waiting().values())
    if failure:
        message = f"those of {failure.model} could not be made since {iso(failure.since)}: {failure.problem}"
        return _diagnosis(WARNING, message, "put that right, then run `holdfast reindex --pending`")
    rows = sum(_count(database, f"SELECT count(*) FROM {target}") for target in VECTOR_TARGETS)
    there = f"{rows - waiting_rows:,} rows have those of {model.name}" if model else "none yet"
    return _diagnosis(OK, f"{there}, {waiting_rows:,} wait for theirs" if waiting_rows else there)


def _has_vector_table(database: Database) -> bool:
    return bool(database.rows("SELECT 1 FROM sqlite_schema WHERE name = 'vector'"))


def _damaged(database: Database) -> "list[Row]":
    """Return the rows whose vectors are not as they were made; an older store's have no seals yet."""
    return damaged_vectors(database) if schema_of(database) == latest_schema() else []


def _astray(database: Database) -> int:
    wrong = _count(database, "SELECT count(*) FROM (SELECT DISTINCT target, row FROM vector WHERE " + _WRONG + ")")
    return wrong + sum(
        _count(database, _missing_statement(target, "SELECT count(*)")) for target in VECTOR_TARGETS
    )


def _missing_statement(target: str, verb: str) -> str:
    """Return a statement about the rows that neither have vectors nor wait for them."""
    return (
        f"{verb} FROM {target} WHERE seq NOT IN (SELECT row FROM vector WHERE target = '{target}') "
        f"AND seq NOT IN (SELECT row FROM unembedded WHERE target = '{target}')"
    )


def _count(database: Database, query: str) -> int:
    return cast(int, database.rows(query)[0][0])


def _diagnosis(severity: str, message: str, advice: str = "") -> Diagnosis:
    return Diagnosis(name="vectors", severity=severity, message=message, advice=advice)
