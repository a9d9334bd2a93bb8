"""The user's own words: the turns of persons, in the spool and in the store, and the notes that quote them.

The turns prove that a command was typed. A turn is proof of one thing once, so that nobody repeats in the user's
name what they said a minute ago. A note whose quote stands in a turn is taken as the user's word, and tied to that
turn. How quotes are compared is in `capture/quote_check`.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from holdfast.agents import spool
from holdfast.capture.check import check_draft
from holdfast.capture.prepare import WriteContext, named_item
from holdfast.capture.quote_check import QUOTE, Span, covers, span_of, tie, weakness
from holdfast.capture.text.clean import Cleaner
from holdfast.model.finding import Evidence
from holdfast.model.ids import digest, fingerprint, session_ref
from holdfast.model.kinds import ACTIVE, PERSON_ROLES, PINNED, PROMOTED, TOOL_ROLE, USER
from holdfast.model.limits import DAY_MS
from holdfast.model.memory import Added
from holdfast.model.requests import Draft
from holdfast.model.session import Session, Turn
from holdfast.ports import Clock, Store
from holdfast.service.scopes import Scopes
from holdfast.stores.retry import again

if TYPE_CHECKING:
    from holdfast.service.parts import ServiceParts

SESSIONS = 20
"""Of the newest sessions, how many are looked at."""

TURNS = 400
"""Of each, how many of the last turns: most are the answers of tools."""

SPOOL_BYTES = 8 << 20
"""Of what waits in the spool, how much is read: it is drained long before, and most of it is what tools said."""

_CLAIM = "proof"
_SPELLING = re.compile(r"\w+|[^\w\s\"'`\\]")
_END = "end"
_TYPED_PREFIX = "typed-"
"""Under which name a store notes the seal of a command that was not recorded."""

NOT_SAID = "stands in nothing that the user said in this session; copy their words exactly, or ask them"
NOT_HEARD = (
    "stands in nothing that the user said: nothing they say to this agent is recorded, so the note stays a "
    "candidate until they confirm it"
)


class UserTurn(NamedTuple):
    """Something that a person said to an agent."""

    key: str
    """What it is known by, in the spool and in the store alike."""
    text: str
    at: int
    session: str
    """The ref of its session, or, where it has none, its id."""
    agent: str = ""
    """Who it was said to."""
    id: str | None = None
    """Its id, once it is in the store."""
    session_id: str | None = None


class Witness(NamedTuple):
    """A turn in which the user said something, and where in it."""

    turn: UserTurn
    span: Span


def note_seal(store: Store, seal: str, at: int) -> None:
    """Note in a transaction that a command was typed which is not recorded."""
    store.spooled.claim(f"{_TYPED_PREFIX}{seal}", 0, at)


class UserWords:
    """The user's own words."""

    def __init__(self, scopes: Scopes, clock: Clock, root: Path | None, cleaner: Cleaner) -> None:
        self._scopes = scopes
        self._clock = clock
        self._root = root
        self._cleaner = cleaner

    def turns(self, within_ms: int) -> list[UserTurn]:
        """Return what the user said in the last while, the newest first, each turn once."""
        since = self._clock.now() - within_ms
        turns_by_key = {
            turn.key: turn
            for turn in (*self._said_in(self._recent(since)), *_spooled_turns(self._spool_entries()))
            if turn.at >= since
        }
        return sorted(turns_by_key.values(), key=lambda turn: turn.at, reverse=True)

    def comparable(self, words: str) -> str:
        """Return words as a typed command is compared; what may not be kept is taken out of both.

        Signs count: C++ is not C#, and `a != b` not `a = b`. Quotation marks do not, which shells take away.
        """
        spelt = unicodedata.normalize("NFKC", self._cleaner.text(words)).casefold()
        return " ".join(_SPELLING.findall(spelt))

    def take(self, turn: UserTurn, use: str) -> bool:
        """Use a turn as proof of something; return whether it was not used for that before."""
        return self.take_seal(turn.key, use)

    @again
    def take_seal(self, seal: str, use: str) -> bool:
        """Use a seal as proof of something; return whether it was not used for that before."""
        store = self._scopes.project
        with store.writing():
            return store.spooled.claim(f"{_CLAIM}-{digest(f'{use} {seal}')[:32]}", 0, self._clock.now())

    def seals(self, within_ms: int) -> list[str]:
        """Return the seals of commands to forget that the user typed in the last while: they are no turns."""
        since = self._clock.now() - within_ms
        entries = [
            (name, at) for name, _, at in self._scopes.project.spooled.noted() if name.startswith(_TYPED_PREFIX)
        ]
        seal_times = {name.removeprefix(_TYPED_PREFIX): at for name, at in entries}
        for entry in spool.waiting_entries(str(self._root), without="tool") if self._root else []:
            seal, at = entry.get("seal"), entry.get("at")
            if isinstance(seal, str) and isinstance(at, int):
                seal_times[seal] = at
        return [seal for seal, at in seal_times.items() if at >= since]

    def witness(self, quote: str, agent: str | None, session: Session | None = None) -> Witness | None:
        """Return the latest turn in which the user says a quote: in a session, else to an agent that works now.

        Where one session of that agent runs, it is the one; where several run, what was said in any of them in the
        last day counts, and where none of that agent does, in those of others.
        """
        words = self._cleaner.text(quote)
        if session:
            turns = _by_persons(self._scopes.project.turns.of(session.id), [session])[::-1]
        else:
            turns = self._running_turns(agent)
        for turn in turns:
            if (span := span_of(words, turn.text)) is not None:
                return Witness(turn, span)
        return None

    def hears(self, agent: str | None) -> bool:
        """Say whether anything is recorded that the user says just now: to an agent, or, for None, to any."""
        return any(agent in (None, turn.agent) for turn in self._running_turns(agent))

    def _running_turns(self, agent: str | None) -> list[UserTurn]:
        """Return what the user said in the sessions that run, newest first, each turn once."""
        since = self._clock.now() - DAY_MS
        entries = self._spool_entries()
        last_kinds = {_session(entry): entry.get("kind") for entry in entries}
        over = {session for session, kind in last_kinds.items() if kind == _END}
        recent = [
            session
            for session in self._recent(since)
            if session.status == ACTIVE and (session.ref or session.id) not in over
        ]
        stored_turns = {turn.key: turn for turn in self._said_in(recent)}
        spooled_turns = {turn.key: turn for turn in _spooled_turns(entries) if turn.session not in over}
        turns = {
            **stored_turns,
            **spooled_turns,
            **stored_turns,
        }  # the stored ones come first, and know their session
        own = [turn for turn in turns.values() if turn.agent == agent] or list(turns.values())
        alone = len({turn.session for turn in own}) == 1
        current = [turn for turn in own if alone or turn.at >= since]
        return sorted(current, key=lambda turn: turn.at, reverse=True)

    def _recent(self, since: int) -> list[Session]:
        """Return the sessions of persons that were heard of lately; what a helper was told, an agent told it."""
        recent = self._scopes.project.sessions.newest(None, SESSIONS)
        helps = [session.id for session in recent if session.parent and not session.forked_at]
        return [session for session in recent if (session.last_turn_at or 0) >= since and session.id not in helps]

    def _said_in(self, sessions: Sequence[Session]) -> list[UserTurn]:
        turns = self._scopes.project.turns
        latest = turns.get(turns.last([session.id for session in sessions], TURNS)) if sessions else []
        return _by_persons(latest, sessions)

    def _spool_entries(self) -> list[spool.Entry]:
        return spool.waiting_entries(str(self._root), without=TOOL_ROLE, most=SPOOL_BYTES) if self._root else []


def _by_persons(turns: Iterable[Turn], sessions: Sequence[Session]) -> list[UserTurn]:
    of = {session.id: session for session in sessions}
    return [
        UserTurn(
            turn.ref or f"{turn.at}:{turn.text}",
            turn.text,
            turn.at,
            of[turn.session].ref or turn.session,
            of[turn.session].agent,
            turn.id,
            turn.session,
        )
        for turn in turns
        if turn.role.lower() in PERSON_ROLES and turn.tool is None
    ]


def _spooled_turns(entries: Iterable[spool.Entry]) -> list[UserTurn]:
    turns = []
    for entry in entries:
        role, text, at = entry.get("role"), entry.get("text"), entry.get("at")
        if isinstance(role, str) and role.lower() in PERSON_ROLES and isinstance(text, str):
            at = at if isinstance(at, int) else 0
            key = entry.get("ref")
            name = key if isinstance(key, str) else f"{at}:{text}"
            turns.append(UserTurn(name, text, at, _session(entry), str(entry.get("agent", ""))))
    return turns


def _session(entry: spool.Entry) -> str:
    return session_ref(str(entry.get("client", "")), str(entry.get("session", "")))


class Attestation(Struct, frozen=True):
    """A draft, the turn in which the user says what it rests on, and else why there is none."""

    draft: Draft
    witness: Witness | None = None
    problem: str | None = None


class QuotedNotes:
    """Looks up quotes, and ties what rests on them to its evidence."""

    def __init__(self, parts: "ServiceParts") -> None:
        self._parts = parts
        self._project = parts.scopes.project
        self._user_words = parts.user_words

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
        results = self._parts.intake.take([attestation.draft for attestation in attestations], context, proven)
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
        witness = self._user_words.witness(draft.quote, context.actor.agent, session)
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
        findings = self._project.findings.from_turns([turn.id])
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
        store = self._project
        memories = store.memories.get([memory_id]) if (memory_id := self._made_of(witness)) else []
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
        session = draft.session or turn.session_id or self._begin_session(turn)
        return replace(
            draft,
            trust=USER,
            session=session,
            supersedes=draft.supersedes or self._said_worse(draft, witness),
            metadata={**(draft.metadata or {}), QUOTE: words},
        )

    def _begin_session(self, turn: UserTurn) -> str:
        """Make the session of a turn that is still on its way; return its id."""
        return self._parts.recorder.start(turn.agent or "unknown", turn.at, turn.session).id

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
        store = self._project
        turn_id = witness.turn.id
        if turn_id is None:
            return
        with store.writing():
            for memory, turn in zip(store.memories.get([memory_id]), store.turns.get([turn_id]), strict=False):
                tie(store, memory, turn, witness.span)
