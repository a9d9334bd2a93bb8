"""Sessions, turns and findings on PostgreSQL: what changes them, and what is held against other writers."""

from collections.abc import Sequence

from holdfast.model.finding import Finding
from holdfast.model.ids import time_of
from holdfast.model.session import Session, Turn
from holdfast.model.vectors import TURN
from holdfast.stores.postgres.database import Database
from holdfast.stores.postgres.matching import Matcher, turn_document
from holdfast.stores.postgres.rows import PostgresTables, known_ids, value_of
from holdfast.stores.postgres.stats import Stats
from holdfast.stores.session_words import turn_size
from holdfast.stores.sql.sessions import SqlFindings, SqlSessions, SqlTurns
from holdfast.stores.weights import TURN_WEIGHTS

_ORDER_COLUMNS = 2
"""Columns before those of a turn that only say where it stands."""


class PostgresSessions(SqlSessions):
    """`ports.Sessions` on PostgreSQL: what is read in order to be changed is held, and its version remembered."""

    def __init__(self, database: Database, postings_budget: int) -> None:
        super().__init__(PostgresTables(database), postings_budget)
        self._database = database

    def peek(self, session_id: str) -> Session | None:
        row = self._database.one("session_peek", {"id": self._tables.id(session_id)})
        return value_of(Session, row) if row else None

    def insert(self, session: Session) -> None:
        self._database.all("session_insert", self._tables.row(session))

    def replace(self, session: Session) -> None:
        row = self._database.one("session_version", {"id": session.id})
        if row:
            self._database.check_unchanged(session.id, row[0])
        super().replace(session)
        self._database.changed([session.id])


class PostgresTurns(SqlTurns):
    """`ports.Turns` on PostgreSQL."""

    _index: Matcher

    def __init__(self, database: Database, postings_budget: int) -> None:
        index = Matcher(database, "turns", TURN, TURN_WEIGHTS, postings_budget)
        super().__init__(PostgresTables(database), index)
        self._database = database
        self._stats = Stats(database)

    def around(self, ids: Sequence[str], before: int, after: int) -> list[Turn]:
        if not ids:
            return []
        params = {"ids": known_ids(ids), "before": before, "after": after}
        rows = self._database.all("turns_around", params)
        return self._tables.values(Turn, [row[_ORDER_COLUMNS:] for row in rows])

    def insert(self, turns: Sequence[Turn]) -> None:
        numbers: dict[str, int] = dict(
            self._database.put("turn_insert", [self._tables.row(turn) for turn in turns])
        )
        numbered_turns = [(numbers[turn.id], turn) for turn in turns]
        self._index.put({number: turn_document(turn) for number, turn in numbered_turns})
        self._database.let_wait(TURN, numbers.values())
        self._database.remember_rows(TURN, numbers)
        for session in sorted({turn.session for turn in turns}):
            session_turns = [turn for turn in turns if turn.session == session]
            self._database.all("session_counted", _session_counts(session, session_turns))

    def replace(self, turn: Turn) -> None:
        turns_by_number = self._lock_by_number([turn.id])
        if not turns_by_number:
            self._database.raced(f"{turn.id} is gone")
        [(number, before)] = turns_by_number.items()
        self._database.all("turn_replace", self._tables.row(turn))
        self._index.change(number, turn_document(before), turn_document(turn))
        if (before.text, before.role) != (turn.text, turn.role):
            self._stats.drop_vectors(TURN, [number])
            self._database.let_wait(TURN, [number])
        self._resize(turn.session, turn_size(turn) - turn_size(before))

    def delete(self, ids: Sequence[str]) -> None:
        turns_by_number = self._lock_by_number(known_ids(ids))
        self._index.drop({number: turn_document(turn) for number, turn in turns_by_number.items()})
        self._stats.drop_vectors(TURN, list(turns_by_number))
        self._database.waiting_rows(TURN).difference_update(turns_by_number)
        self._database.all("unembedded_done", {"target": TURN, "seqs": list(turns_by_number)})
        for step in ("findings_unfounded", "turns_delete"):
            self._database.all(step, {"ids": known_ids(ids)})
        for session in sorted({turn.session for turn in turns_by_number.values()}):
            self._resize(
                session, -sum(turn_size(turn) for turn in turns_by_number.values() if turn.session == session)
            )

    def _lock_by_number(self, ids: Sequence[str]) -> dict[int, Turn]:
        """Return turns by the numbers of their rows, held against others who would change them."""
        rows = self._database.all("turns_hold", {"ids": list(ids)})
        turns_by_id = {turn.id: turn for turn in self.get([turn_id for turn_id, _ in rows])}
        return {number: turns_by_id[turn_id] for turn_id, number in rows}

    def _resize(self, session: str, size: int) -> None:
        """Note that the texts of a session became longer or shorter; what it counted stays."""
        growth = {"turns": 0, "tools": 0, "size": size, "at": None, "heard": None}
        self._database.all("session_counted", {"id": session, **growth})


def _session_counts(session: str, turns: Sequence[Turn]) -> dict[str, object]:
    return {
        "id": session,
        "turns": len(turns),
        "tools": sum(turn.tool is not None for turn in turns),
        "size": sum(turn_size(turn) for turn in turns),
        "at": max(turn.at for turn in turns),
        "heard": max(time_of(turn.id) for turn in turns),
    }


class PostgresFindings(SqlFindings):
    """`ports.Findings` on PostgreSQL: each holds its evidence; a table of its own leads there from turns."""

    def _put_evidence(self, findings: Sequence[Finding]) -> None:
        self._tables.all("evidence_clear", {"ids": [finding.id for finding in findings]})
        pairs = [(evidence.turn, finding.id) for finding in findings for evidence in finding.evidence]
        turns, ids = zip(*pairs, strict=True) if pairs else ((), ())
        self._tables.all("evidence_put", {"turns": list(turns), "findings": list(ids)})
