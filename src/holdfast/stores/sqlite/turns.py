"""The turns of an embedded store, and what was found in them: what changes them."""

from collections.abc import Sequence

from holdfast.model.finding import Finding
from holdfast.model.ids import time_of
from holdfast.model.session import Turn
from holdfast.model.type_hints import TYPE_CHECKING
from holdfast.stores.sql.sessions import SqlFindings, SqlTurns
from holdfast.stores.sqlite.connection import Database
from holdfast.stores.sqlite.matching import Matcher, dead_words_stay
from holdfast.stores.sqlite.rows import SCRUB_PENDING, SqliteTables, evidence_rows
from holdfast.stores.weights import TURN_WEIGHTS

if TYPE_CHECKING:
    from holdfast.stores.sqlite.connection import Value

_ORDER_COLUMNS = 2
"""Columns behind those of a turn that only say where it stands."""


class SqliteTurns(SqlTurns):
    """`ports.Turns` on SQLite."""

    def __init__(self, database: Database, postings_budget: int) -> None:
        tables = SqliteTables(database)
        super().__init__(tables, Matcher(tables, "turns", TURN_WEIGHTS, postings_budget))
        self._database = database

    def around(self, ids: Sequence[str], before: int, after: int) -> list[Turn]:
        params = {"ids": self._tables.ids(ids), "before": before, "after": after}
        rows = self._tables.all("turns_around", params)
        return self._tables.values(Turn, [row[:-_ORDER_COLUMNS] for row in rows])

    def insert(self, turns: Sequence[Turn]) -> None:
        self._tables.put("turn_insert", turns)
        self._database.many("turn_counted", map(_turn_counts, turns))
        self._log("insert", [turn.id for turn in turns])

    def replace(self, turn: Turn) -> None:
        self._database.all("turn_replace", self._tables.row(turn))
        self._log("update", [turn.id])
        self._tables.note(SCRUB_PENDING, 1)

    def delete(self, ids: Sequence[str]) -> None:
        params = {"ids": self._tables.ids(ids)}
        with dead_words_stay(self._database, "turn"):
            self._database.all("findings_unfounded", params)
            self._log("delete", ids)
            self._database.all("turns_delete", params)

    def _log(self, action: str, ids: Sequence[str]) -> None:
        self._database.all("turns_changed", {"ids": self._tables.ids(ids), "action": action})


class SqliteFindings(SqlFindings):
    """`ports.Findings` on SQLite."""

    def delete(self, ids: Sequence[str]) -> None:
        super().delete(ids)
        self._tables.note(SCRUB_PENDING, 1)

    def _put_evidence(self, findings: Sequence[Finding]) -> None:
        self._tables.many("evidence_clear", ({"id": finding.id} for finding in findings))
        self._tables.many("evidence_put", (row for finding in findings for row in evidence_rows(finding)))


def _turn_counts(turn: Turn) -> "dict[str, Value]":
    return {"session": turn.session, "tool": turn.tool, "at": turn.at, "heard": time_of(turn.id)}
