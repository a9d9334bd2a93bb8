"""The turns of a store on PostgreSQL."""

from collections.abc import Mapping, Sequence

from holdfast.model.ids import time_of
from holdfast.model.kinds import AGENT_ROLES
from holdfast.model.search import Filters, Matches, Term, TurnPlace
from holdfast.model.session import Turn
from holdfast.model.vectors import TURN
from holdfast.stores.postgres import bulk
from holdfast.stores.postgres.connection import Database
from holdfast.stores.postgres.matching import Matcher
from holdfast.stores.postgres.rows import document, id_or_none, known_ids, sought, turn_of, turn_row, turn_texts
from holdfast.stores.walk_ends import Ends
from holdfast.stores.weights import TURN_WEIGHTS


class PostgresTurns:
    """`ports.Turns` on PostgreSQL."""

    def __init__(self, database: Database, postings_budget: int) -> None:
        self._database = database
        self._ends = Ends()
        self.index = Matcher(database, "turns", TURN, TURN_WEIGHTS, postings_budget)

    def get(self, ids: Sequence[str]) -> list[Turn]:
        found = {turn.id: turn for turn in self._select("turns_get", {"ids": known_ids(ids)})}
        return [found[turn_id] for turn_id in ids if turn_id in found]

    def ending(self, tail: str) -> list[str]:
        rows = self._database.all("turns_ending", {"tail": tail[-8:]})
        return [full for (full,) in rows if full.replace("-", "").endswith(tail)]

    def walk(self, after: str | None, limit: int) -> list[Turn]:
        params = {"after": id_or_none(after), "ended": self._ends.of(after), "limit": limit}
        rows = self._database.all("turns_walk", params)
        if rows:
            self._ends.note(rows[-1][1], rows[-1][0])
        return [turn_of(row[1:]) for row in rows]

    def of(self, session_id: str) -> list[Turn]:
        return self._select("turns_of", {"session": id_or_none(session_id)})

    def following(self, session_id: str, after: str | None, limit: int) -> list[Turn]:
        params = {"session": id_or_none(session_id), "after": id_or_none(after), "limit": limit}
        return self._select("turns_following", params)

    def leading(self, session_id: str, upto: str, limit: int) -> list[Turn]:
        params = {"session": id_or_none(session_id), "upto": id_or_none(upto), "limit": limit}
        return self._select("turns_leading", params)[::-1]

    def with_ref(self, session_id: str, ref: str) -> Turn | None:
        found = self._select("turn_with_ref", {"session": id_or_none(session_id), "ref": sought(ref)})
        return found[0] if found else None

    def containing(self, text: str) -> list[Turn]:
        return self._select("turns_containing", {"text": sought(text)})

    def match(
        self, terms: Sequence[Term], filters: Filters, limit: int, most_postings: int | None = None
    ) -> Matches:
        return self.index.match(terms, filters, limit, most_postings)

    def words(self, lead: str) -> dict[str, int]:
        return self.index.words(lead)

    def places(self, ids: Sequence[str]) -> list[TurnPlace]:
        rows = self._database.all("turns_places", {"ids": known_ids(ids)})
        found = {row[0]: TurnPlace(*row) for row in rows}
        return [found[turn_id] for turn_id in ids if turn_id in found]

    def around(self, ids: Sequence[str], before: int, after: int) -> list[Turn]:
        params = {"ids": known_ids(ids), "before": before, "after": after}
        return [turn_of(row[2:]) for row in self._database.all("turns_around", params)]

    def last(self, sessions: Sequence[str], limit: int) -> list[str]:
        rows = self._database.all("turns_last", {"sessions": known_ids(sessions), "limit": limit})
        return [turn_id for (turn_id,) in rows]

    def insert(self, turns: Sequence[Turn]) -> None:
        numbers = self._database.arrivals(len(turns))
        numbered = list(zip(numbers, turns, strict=True))
        rows = [turn_row(turn) | {"seq": number} for number, turn in numbered]
        bulk.insert(self._database, "turn_insert", "turn", rows)
        self.index.put({number: document(turn_texts(turn)) for number, turn in numbered})
        self._database.all("wait", {"target": TURN, "seqs": numbers})
        for session in sorted({turn.session for turn in turns}):
            said = [turn for turn in turns if turn.session == session]
            self._database.all("session_counted", _counted(session, said))

    def replace(self, turn: Turn) -> None:
        held = self._held([turn.id])
        if not held:
            self._database.raced(f"{turn.id} is gone")
        [(number, before)] = held.items()
        self._database.all("turn_replace", turn_row(turn))
        self.index.drop({number: document(turn_texts(before))})
        self.index.put({number: document(turn_texts(turn))})
        if (before.text, before.role) != (turn.text, turn.role):
            self._database.all("vectors_gone", {"target": TURN, "seqs": [number]})
            self._database.all("wait", {"target": TURN, "seqs": [number]})
        self._resize(turn.session, _size(turn) - _size(before))

    def delete(self, ids: Sequence[str]) -> None:
        gone = self._held(known_ids(ids))
        self.index.drop({number: document(turn_texts(turn)) for number, turn in gone.items()})
        rows = {"target": TURN, "seqs": list(gone)}
        self._database.all("vectors_gone", rows)
        self._database.all("unembedded_done", rows)
        for step in ("findings_unfounded", "turns_delete"):
            self._database.all(step, {"ids": known_ids(ids)})
        for session in sorted({turn.session for turn in gone.values()}):
            self._resize(session, -sum(_size(turn) for turn in gone.values() if turn.session == session))

    def _held(self, ids: Sequence[str]) -> dict[int, Turn]:
        """Return turns by the numbers of their rows, held against others who would change them."""
        rows = self._database.all("turns_hold", {"ids": list(ids)})
        held = {turn.id: turn for turn in self.get([turn_id for turn_id, _ in rows])}
        return {number: held[turn_id] for turn_id, number in rows}

    def _resize(self, session: str, size: int) -> None:
        """Note that the texts of a session became longer or shorter; what it counted stays."""
        grown = {"turns": 0, "tools": 0, "size": size, "at": None, "heard": None}
        self._database.all("session_counted", {"id": session, **grown})

    def _select(self, query: str, params: Mapping[str, object]) -> list[Turn]:
        return [turn_of(row) for row in self._database.all(query, params)]


def _counted(session: str, turns: Sequence[Turn]) -> dict[str, object]:
    return {
        "id": session,
        "turns": len(turns),
        "tools": sum(turn.tool is not None for turn in turns),
        "size": sum(_size(turn) for turn in turns),
        "at": max(turn.at for turn in turns),
        "heard": max(time_of(turn.id) for turn in turns),
    }


def _size(turn: Turn) -> int:
    return len(turn.text) * (1 if turn.role.lower() in AGENT_ROLES else 10)
