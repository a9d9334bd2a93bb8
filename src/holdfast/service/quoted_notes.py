"""Notes that come with the user's own words: looked up, and where the user said them, taken as the user's word.

Lives here: which turns prove a note, and what is kept of it. How words are compared is in `capture/quoting`, whose
turns count in `service.user_words`.
"""

from collections.abc import Callable, Sequence

from holdfast.capture.check import check_draft
from holdfast.capture.prepare import Desk, named_item
from holdfast.capture.quote_check import weakness
from holdfast.capture.sessions.quoted_note import QUOTE, covers, tie
from holdfast.capture.text.fingerprint import fingerprint
from holdfast.model.finding import Evidence
from holdfast.model.kinds import PINNED, PROMOTED, USER
from holdfast.model.memory import Added, Draft
from holdfast.model.session import Session
from holdfast.model.value import Value, replace
from holdfast.service.add import Intake
from holdfast.service.scopes import Scopes
from holdfast.service.user_words import Testimony, UserTurn, Witness
from holdfast.stores.retry import again

NOT_SAID = "stands in nothing that the user said in this session; copy their words exactly, or ask them"


class Attested(Value):
    """A draft, the turn in which the user says what it rests on, and else why there is none."""

    draft: Draft
    witness: Witness | None = None
    problem: str | None = None


class Attesting:
    """Looks up quotes, and ties what rests on them to its evidence."""

    def __init__(
        self, scopes: Scopes, testimony: Testimony, intake: Intake, begin: Callable[[UserTurn], str]
    ) -> None:
        self._scopes = scopes
        self._testimony = testimony
        self._intake = intake
        self._begin = begin
        """Makes the session of a turn that is still on its way, and returns its id."""

    def take(self, drafts: Sequence[Draft], desk: Desk, session: Session | None = None) -> list[Added]:
        """Write drafts; their quotes are looked up in what runs just now, or in one session that is over.

        Of such a session only what the user said is written, and what nothing was made of yet: nobody waits for an
        answer who could say it better.
        """
        attested = []
        for place, draft in enumerate(drafts):
            with named_item(place, len(drafts)):
                attested.append(self._attest(draft, desk, session))
        if session:
            attested = [one for one in attested if one.witness and self._made_of(one.witness) is None]
        proven = {place for place, one in enumerate(attested) if one.witness}
        results = self._intake.take([one.draft for one in attested], desk, proven)
        return [self._kept(one, added) for one, added in zip(attested, results, strict=True)]

    def _attest(self, draft: Draft, desk: Desk, session: Session | None) -> Attested:
        if draft.quote is None or not str(draft.quote).strip():
            return Attested(draft)
        check_draft(draft)
        problem = weakness(desk.cleaner.text(draft.quote), desk.cleaner.text(draft.content))
        if problem:
            return Attested(draft, problem=problem)
        if session:
            witness = self._testimony.witness_in(session, draft.quote)
        else:
            witness = self._testimony.witness(draft.quote, desk.actor.agent)
        return Attested(self._proven(draft, witness), witness) if witness else Attested(draft, problem=NOT_SAID)

    def _made_of(self, witness: Witness) -> str | None:
        """Return the memory that was made of these words already, by rule or by a note."""
        turn, span = witness
        if turn.id is None:
            return None
        place = Evidence(turn=turn.id, start=span.start, end=span.end)
        made = self._scopes.project.findings.from_turns([turn.id])
        return next(
            (
                one.memory
                for one in made
                if one.memory and any(covers(where, place) or covers(place, where) for where in one.evidence)
            ),
            None,
        )

    def _said_worse(self, draft: Draft, witness: Witness) -> str | None:
        """Return what was learnt by rule of the same words a moment ago: the note says it better."""
        store = self._scopes.project
        known = store.memories.get([made]) if (made := self._made_of(witness)) else []
        same = fingerprint(draft.content)
        worse = [
            one for one in known if PROMOTED in one.sources and one.status != PINNED and one.fingerprint != same
        ]
        return next((one.id for one in worse if not one.superseded), None)

    def _proven(self, draft: Draft, witness: Witness) -> Draft:
        turn, span = witness
        words = turn.text[span.start : span.end]
        session = draft.session or turn.session_id or self._begin(turn)
        return replace(
            draft,
            trust=USER,
            session=session,
            supersedes=draft.supersedes or self._said_worse(draft, witness),
            metadata={**(draft.metadata or {}), QUOTE: words},
        )

    def _kept(self, attested: Attested, added: Added) -> Added:
        """Tie what was written to its evidence; return the result with what became of its quote."""
        if attested.problem:
            return replace(added, unproven=attested.problem)
        if attested.witness is None or added.id is None:
            return added
        self._tie(added.id, attested.witness)
        return replace(added, proven=True)

    @again
    def _tie(self, memory_id: str, witness: Witness) -> None:
        """Keep where the user said it; what is in another store, or still on its way, is known by its words."""
        store = self._scopes.project
        turn_id = witness.turn.id
        if turn_id is None:
            return
        with store.writing():
            for memory, turn in zip(store.memories.get([memory_id]), store.turns.get([turn_id]), strict=False):
                tie(store, memory, turn, witness.span)
