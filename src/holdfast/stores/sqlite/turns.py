"""The turns of an embedded store."""

from collections.abc import Sequence

from holdfast.model.ids import time_of
from holdfast.model.search import Filters, Matches, Term, TurnPlace
from holdfast.model.session import Turn
from holdfast.model.type_hints import TYPE_CHECKING, cast
from holdfast.stores.sqlite.connection import Database
from holdfast.stores.sqlite.matching import Matcher
from holdfast.stores.sqlite.rows import to_json, turn_of, turn_row
from holdfast.stores.sqlite.seals import readable
from holdfast.stores.sqlite.upkeep import dead_words_stay
from holdfast.stores.walk_ends import Ends
from holdfast.stores.weights import TURN_WEIGHTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.stores.sqlite.connection import Row, Value


class SqliteTurns:
    """`ports.Turns` on SQLite."""

    def __init__(self, database: Database, postings_budget: int) -> None:
        self._database = database
        self._ends = Ends()
        self._matcher = Matcher(database, "turns", TURN_WEIGHTS, postings_budget)

    def get(self, ids: Sequence[str]) -> list[Turn]:
        found = {turn.id: turn for turn in self._select("turns_get", {"ids": to_json(list(ids))})}
        return [found[turn_id] for turn_id in ids if turn_id in found]

    def ending(self, tail: str) -> list[str]:
        rows = self._database.all("turns_ending", {"tail": tail[-8:]})
        return [full for (full,) in cast("list[tuple[str]]", rows) if full.replace("-", "").endswith(tail)]

    def walk(self, after: str | None, limit: int) -> list[Turn]:
        start, ended = after, self._ends.of(after)
        while rows := self._database.all("turns_walk", {"after": start, "ended": ended, "limit": limit}):
            start, ended = None, cast(int, rows[-1][0])
            walked = readable(self._database, "turn", turn_of, [row[1:] for row in rows])
            if walked:
                self._ends.note(walked[-1].id, ended)
                return walked
        return []

    def of(self, session_id: str) -> list[Turn]:
        return self._select("turns_of", {"session": session_id})

    def following(self, session_id: str, after: str | None, limit: int) -> list[Turn]:
        return self._select("turns_following", {"session": session_id, "after": after, "limit": limit})

    def leading(self, session_id: str, upto: str, limit: int) -> list[Turn]:
        return self._select("turns_leading", {"session": session_id, "upto": upto, "limit": limit})[::-1]

    def with_ref(self, session_id: str, ref: str) -> Turn | None:
        return next(iter(self._select("turn_with_ref", {"session": session_id, "ref": ref})), None)

    def containing(self, text: str) -> list[Turn]:
        return self._select("turns_containing", {"text": text})

    def match(
        self, terms: Sequence[Term], filters: Filters, limit: int, most_postings: int | None = None
    ) -> Matches:
        return self._matcher.match(terms, filters, limit, most_postings)

    def words(self, lead: str) -> dict[str, int]:
        return self._matcher.words(lead)

    def places(self, ids: Sequence[str]) -> list[TurnPlace]:
        rows = self._database.all("turns_places", {"ids": to_json(list(ids))})
        found = {str(row[0]): _place(row) for row in rows}
        return [found[turn_id] for turn_id in ids if turn_id in found]

    def around(self, ids: Sequence[str], before: int, after: int) -> list[Turn]:
        params: dict[str, Value] = {"ids": to_json(list(ids)), "before": before, "after": after}
        rows = self._database.all("turns_around", params)
        return readable(self._database, "turn", turn_of, [row[:-2] for row in rows])

    def last(self, sessions: Sequence[str], limit: int) -> list[str]:
        params: dict[str, Value] = {"sessions": to_json(list(sessions)), "limit": limit}
        return [str(row[0]) for row in self._database.all("turns_last", params)]

    def insert(self, turns: Sequence[Turn]) -> None:
        self._database.many("turn_insert", map(turn_row, turns))
        self._database.many("turn_counted", map(_counted, turns))
        self._log("insert", turns)

    def replace(self, turn: Turn) -> None:
        self._database.all("turn_replace", turn_row(turn))
        self._log("update", [turn])
        self._database.all("meta_set", {"key": "scrub_pending", "value": 1})

    def delete(self, ids: Sequence[str]) -> None:
        params: dict[str, Value] = {"ids": to_json(list(ids))}
        with dead_words_stay(self._database, "turn"):
            self._database.all("findings_unfounded", params)
            self._database.all("turns_changed", params | {"action": "delete"})
            self._database.all("turns_delete", params)

    def _select(self, query: str, params: "Mapping[str, Value]") -> list[Turn]:
        return readable(self._database, "turn", turn_of, self._database.all(query, params))

    def _log(self, action: str, turns: Sequence[Turn]) -> None:
        ids = to_json([turn.id for turn in turns])
        self._database.all("turns_changed", {"ids": ids, "action": action})


def _counted(turn: Turn) -> "dict[str, Value]":
    return {"session": turn.session, "tool": turn.tool, "at": turn.at, "heard": time_of(turn.id)}


def _place(row: "Row") -> TurnPlace:
    return TurnPlace(*row[:-1], bool(row[-1]))  # type: ignore[arg-type, call-arg]  # as selected
