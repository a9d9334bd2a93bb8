"""Freeze a small store of each schema as text: `tests/migration/frozen/NNNN.sql`, opened by every later version.

Run when a migration is added. What is there already is never written again: it is what users have on their disks.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import apsw

from holdfast.model.finding import Evidence
from holdfast.model.ids import fingerprint, new_id
from holdfast.model.memory import Conflict
from holdfast.stores.hashes import ROOT, link
from holdfast.stores.sqlite import migrate
from holdfast.stores.sqlite.connection import APPLICATION_ID
from holdfast.stores.sqlite.rows import evidence_rows, row_of
from tests.contract.builders import a_finding, a_memory, a_session, a_turn

FOLDER = Path(__file__).parents[1] / "tests" / "migration" / "frozen"
AT = 1_794_700_000_000
_LATER_TEXT = "The walrus of the API listens on port 9090"

Row = Mapping[str, object]


def main() -> None:
    """Write what is not frozen yet."""
    FOLDER.mkdir(exist_ok=True)
    for version, _ in migrate.migrations():
        path = FOLDER / f"{version:04}.sql"
        if not path.exists():
            path.write_text("\n".join(dump(version)) + "\n", encoding="utf-8")
            print(f"froze {path.name}")


def dump(version: int) -> Iterator[str]:
    """Return the script that makes a store of a version, with a row of everything it knows."""
    connection = apsw.Connection(":memory:")
    for _ in connection.execute(migrate.schema_at(version)):
        pass
    yield f"-- A store of schema {version}, frozen: never edited."
    yield f"PRAGMA application_id = {APPLICATION_ID};"
    yield from _schema(connection)
    for table, row in rows():
        column_names = [
            str(name) for (name,) in connection.execute("SELECT name FROM pragma_table_info(?)", (table,))
        ]
        values = {name: value for name, value in row.items() if name in column_names}
        if values:
            columns = ", ".join(f'"{name}"' for name in values)
            texts = ", ".join(map(apsw.format_sql_value, values.values()))
            yield f"INSERT OR REPLACE INTO {table} ({columns}) VALUES ({texts});"
    yield f"PRAGMA user_version = {version};"


def _schema(connection: apsw.Connection) -> Iterator[str]:
    """Return what makes the schema; the tables behind a virtual one come with it."""
    shadows = "SELECT name FROM pragma_table_list WHERE type = 'shadow'"
    for (sql,) in connection.execute(
        f"SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' "
        f"AND tbl_name NOT IN ({shadows}) ORDER BY type = 'trigger', rowid"
    ):
        yield f"{sql};"
    for table in ("memory", "turn"):
        yield f"INSERT INTO {table}_fts ({table}_fts, rank) VALUES ('secure-delete', 1);"


def rows() -> Iterator[tuple[str, Row]]:
    """Return rows of today, from which a version takes the columns that it has."""
    facts = {
        "store_id": new_id(AT),
        "epoch": new_id(AT),
        "project": "p",
        "created_at": AT,
        "tombstone_key": b"k" * 32,
    }
    yield from (("meta", {"key": key, "value": value}) for key, value in facts.items())
    newer = a_memory(
        content=_LATER_TEXT, fingerprint=fingerprint(_LATER_TEXT), tags=("api",), files=("src/app.py",)
    )
    older = a_memory(valid_until=AT, superseded_by=newer.id)
    session = a_session(ref="one", summary="What was said", turns=1)
    turn = a_turn(session, "Remember that the walrus sleeps", files=("src/app.py",))
    finding = a_finding(session, memory=newer.id, evidence=(Evidence(turn=turn.id, start=0, end=8),))
    conflict = Conflict(id=new_id(AT), first=older.id, second=newer.id, kind="contradictory", detected_at=AT)
    for number, memory in enumerate((older, newer), 1):
        yield "memory", {"seq": number, **row_of(memory)}
        yield "change", {"target": "memory", "row": number, "action": "insert"}
    yield "session", {"seq": 1, **row_of(session)}
    yield "turn", {"seq": 1, **row_of(turn), "session": 1}
    yield "change", {"target": "turn", "row": 1, "action": "insert"}
    yield "finding", {"seq": 1, **row_of(finding)}
    for evidence in evidence_rows(finding):
        yield "evidence", {"finding": 1, **evidence}
    yield "conflict", {"seq": 1, **row_of(conflict)}
    yield "tombstone", {"mark": b"m" * 32}
    yield "audit", _event(newer.id)
    yield "access", {"memory": newer.id, "action": "get", "at": AT}
    yield "spooled", {"spool": "s", "sequence": 1, "at": AT}
    yield "alias", {"word": "db", "meaning": "database"}


def _event(memory: str) -> Row:
    hashed = link(ROOT, "add", "cli", AT, (memory,), {})
    return {"at": AT, "action": "add", "actor": "cli", "ids": json.dumps([memory]), "detail": "{}", "hash": hashed}


if __name__ == "__main__":
    main()
