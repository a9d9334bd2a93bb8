"""Notes that come with the user's own words: looked up, and where the user said them, taken as the user's word.

Lives here: which turns prove a note, and what is kept of it. How words are compared is in `capture/quote_check`,
whose turns count in `service.user_words`.
"""

from collections.abc import Callable, Sequence

from holdfast.capture.check import check_draft
from holdfast.capture.prepare import WriteContext, named_item
from holdfast.capture.quote_check import QUOTE, covers, tie, weakness
from holdfast.model.finding import Evidence
from holdfast.model.ids import fingerprint
from holdfast.model.kinds import PINNED, PROMOTED, USER
from holdfast.model.memory import Added
from holdfast.model.requests import Draft
from holdfast.model.session import Session
from holdfast.model.value import Value, replace
from holdfast.service.add import Intake
from holdfast.service.scopes import Scopes
from holdfast.service.user_words import UserTurn, UserWords, Witness
from holdfast.stores.retry import again

NOT_SAID = "stands in nothing that the user said in this session; copy their words exactly, or ask them"
NOT_HEARD = (
    "stands in nothing that the user said: nothing they say to this agent is recorded, so the note stays a "
    "candidate until they confirm it"
)


class Attestation(Value):
    """A draft, the turn in which the user says what it rests on, and else why there is none."""

    draft: Draft
    witness: Witness | None = None
    problem: str | None = None


class QuotedNotes:
    """Looks up quotes, and ties what rests on them to its evidence."""

    def __init__(
        self, scopes: Scopes, user_words: UserWords, intake: Intake, begin: Callable[[UserTurn], str]
    ) -> None:
        self._scopes = scopes
        self._user_words = user_words
        self._intake = intake
        self._begin = begin
        """Makes the session of a turn that is still on its way, and returns its id."""

    def take(self, drafts: Sequence[Draft], context: WriteContext, session: Session | None = None) -> list[Added]:
        """Write drafts; their quotes are looked up in what runs just now, or in one session that is over.

        Of such a session only what the user said is written, and what nothing was made of yet: nobody waits for an
        answer who could say it better.
        """
        attestations = []
        for place, draft in enumerate(drafts):
            with named_item(place, len(drafts)):
                attestations.append(self._attest(draft, context, session))
        if session:
            attestations = [
                attestation
                for attestation in attestations
                if attestation.witness and self._made_of(attestation.witness) is None
            ]
        proven = {place for place, attestation in enumerate(attestations) if attestation.witness}
        results = self._intake.take([attestation.draft for attestation in attestations], context, proven)
        return [
            self._tie_to_evidence(attestation, result)
            for attestation, result in zip(attestations, results, strict=True)
        ]

    def _attest(self, draft: Draft, context: WriteContext, session: Session | None) -> Attestation:
        if draft.quote is None or not str(draft.quote).strip():
            return Attestation(draft)
        check_draft(draft)
        problem = weakness(context.cleaner.text(draft.quote), context.cleaner.text(draft.content))
        if problem:
            return Attestation(draft, problem=problem)
        if session:
            witness = self._user_words.witness_in(session, draft.quote)
        else:
            witness = self._user_words.witness(draft.quote, context.actor.agent)
        if witness:
            return Attestation(self._proven(draft, witness), witness)
        is_heard = session is not None or self._user_words.hears(context.actor.agent)
        return Attestation(draft, problem=NOT_SAID if is_heard else NOT_HEARD)

    def _made_of(self, witness: Witness) -> str | None:
        """Return the memory that was made of these words already, by rule or by a note."""
        turn, span = witness
        if turn.id is None:
            return None
        place = Evidence(turn=turn.id, start=span.start, end=span.end)
        findings = self._scopes.project.findings.from_turns([turn.id])
        return next(
            (
                finding.memory
                for finding in findings
                if finding.memory
                and any(covers(where, place) or covers(place, where) for where in finding.evidence)
            ),
            None,
        )

    def _said_worse(self, draft: Draft, witness: Witness) -> str | None:
        """Return what was learnt by rule of the same words a moment ago: the note says it better."""
        store = self._scopes.project
        memories = store.memories.get([made]) if (made := self._made_of(witness)) else []
        new_print = fingerprint(draft.content)
        worse = [
            memory
            for memory in memories
            if PROMOTED in memory.sources and memory.status != PINNED and memory.fingerprint != new_print
        ]
        return next((memory.id for memory in worse if not memory.superseded), None)

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

    def _tie_to_evidence(self, attestation: Attestation, result: Added) -> Added:
        """Tie what was written to its evidence; return the result with what became of its quote."""
        if attestation.problem:
            return replace(result, unproven=attestation.problem)
        if attestation.witness is None or result.id is None:
            return result
        self._tie(result.id, attestation.witness)
        return replace(result, proven=True)

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
