"""Reading in full what a brief shows beside memories: turns, findings, summaries, and what waits in the spool.

Only the project's store has sessions. Must not live here: memories, whose reads are counted (`read`).
"""

from collections.abc import Callable, Sequence
from pathlib import Path

from holdfast.capture.text.clean import echo
from holdfast.errors import AmbiguousId, InvalidInput
from holdfast.model.finding import Finding
from holdfast.model.ids import is_full_id, tail_of
from holdfast.model.session import ENDED, FOUND, SAID, Quote, Session, Turn
from holdfast.ports import Store
from holdfast.recall.brief.notes import overheard


class Quotes:
    """What can be quoted from a project's store."""

    def __init__(self, store: Store, root: Path | None) -> None:
        self._store = store
        self._root = root

    def get(self, ids: Sequence[str]) -> list[Quote]:
        """Return what has these ids, which may be short, in the order asked; unknown ids are left out."""
        return [quote for quote_id in ids if (quote := self._quote(quote_id))]

    def _quote(self, quote_id: str) -> Quote | None:
        if not isinstance(quote_id, str):
            raise InvalidInput(field="ids", problem=f"must be ids as text, not {type(quote_id).__name__}.")
        matches = self._matching_quotes(quote_id.strip().lower())
        if len(matches) > 1:
            raise AmbiguousId(
                field="id", id=echo(quote_id), matches=", ".join(sorted(quote.id for quote in matches))
            )
        return matches[0] if matches else None

    def _matching_quotes(self, quote_id: str) -> list[Quote]:
        store, tail = self._store, tail_of(quote_id)
        if tail is None:
            return []

        def ids_of(ending: Callable[[str], list[str]]) -> list[str]:
            return [quote_id] if is_full_id(quote_id) else ending(tail)

        quotes = [_turn_quote(turn) for turn in store.turns.get(ids_of(store.turns.ending))]
        quotes += [self._finding_quote(finding) for finding in store.findings.get(ids_of(store.findings.ending))]
        sessions = (store.sessions.get(session_id) for session_id in ids_of(store.sessions.ending))
        quotes += [_session_quote(session) for session in sessions if session]
        return quotes or self._spooled_quotes(tail)

    def _finding_quote(self, finding: Finding) -> Quote:
        turns = self._store.turns.get([finding.turn])
        return Quote(
            id=finding.id,
            source=FOUND,
            kind=finding.kind,
            content=finding.content,
            created_at=finding.created_at,
            session=finding.session,
            role=turns[0].role if turns else None,
            files=finding.files,
            memory=finding.memory,
        )

    def _spooled_quotes(self, tail: str) -> list[Quote]:
        """Return what other sessions just said and no store has yet."""
        notes = overheard(str(self._root), None) if self._root else []
        return [
            Quote(id=note.id, source=SAID, kind=note.kind, content=note.text, created_at=note.at, role=note.trust)
            for note in notes
            if note.id.endswith(tail)
        ]


def _turn_quote(turn: Turn) -> Quote:
    return Quote(
        id=turn.id,
        source=SAID,
        kind="turn",
        content=turn.text,
        created_at=turn.at,
        session=turn.session,
        role=turn.role,
        tool=turn.tool,
        files=turn.files,
    )


def _session_quote(session: Session) -> Quote:
    return Quote(
        id=session.id,
        source=ENDED,
        kind="session",
        content=session.summary,
        created_at=session.ended_at or session.started_at,
        session=session.id,
        role=session.agent,
    )
