"""From transcripts to sessions: the turns that are not known yet are recorded, and the session is ended.

What hooks would have kept of a message is kept of it here, under the same name. A session that is active has hooks
that record it: it is left to them, unless a run that was interrupted began it. What a helper did for an agent is a
session of its own below the other's, under the name of the two, so that what both found counts as found by two.

Which transcripts were read is kept in the user's data directory, one file for each store. What it says is believed
while the store has the sessions that were made of the file, and a transcript that is read twice adds nothing. It
also tells the sessions that a run began and did not finish from those that hooks record.

A session that hooks heard live is known by the names of its turns where the agent gives its hooks and its
transcript the same, and otherwise by their words. New is everything after its last message that is known. What
hooks left out in the middle stays out: put behind what was said after it, it would be read as the later word.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from holdfast.agents import claude, codex, copilot, gemini, opencode
from holdfast.agents.events import PROMPT, entry_of, is_unrecorded, plain_id
from holdfast.agents.transcripts import Past, Source
from holdfast.capture.derivation import MASK
from holdfast.errors import HoldfastError, InvalidInput, NotRedacted, StoreError, SwitchedOff
from holdfast.machine import disk, paths
from holdfast.model.ids import session_ref
from holdfast.model.ingest import TranscriptsIngested
from holdfast.model.kinds import ACTIVE, COMPLETED
from holdfast.model.limits import NAME_CHARS
from holdfast.model.requests import Message
from holdfast.model.session import Session, Turn
from holdfast.service.service import Service

TurnCounts = Mapping[str, int]
"""The sessions that were made of a file, by ref, with the number of their turns."""

_BEGUN_MARK = "begun"
"""What stands in place of a file's stamp until all of its sessions are finished."""

_LATE_MS = 60_000
"""How much later than its hook an agent may note a message. Only the words of one that was forgotten are gone."""


class ReadMarks(Struct):
    """The transcripts that were read into one store."""

    path: Path
    _files: dict[str, tuple[str, TurnCounts]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        try:
            stored_marks = json.loads(self.path.read_text("utf-8"))
            self._files = {
                name: (str(mark), dict(turn_counts)) for name, (mark, turn_counts) in stored_marks.items()
            }
        except (OSError, ValueError, TypeError, AttributeError):
            self._files = {}

    def made_of(self, source: Source) -> TurnCounts | None:
        """Return what was made of a file, if it was read as it is now."""
        mark, turn_counts = self._files.get(source.name, ("", {}))
        return turn_counts if mark == source.stamp else None

    def begun_of(self, source: Source) -> TurnCounts:
        """Return the sessions that were begun of a file and not finished: whoever read it was interrupted."""
        mark, turn_counts = self._files.get(source.name, ("", {}))
        return turn_counts if mark == _BEGUN_MARK else {}

    def begin(self, source: Source, ref: str) -> None:
        """Write down, before anything is recorded, that a session comes of a file."""
        self._files[source.name] = (_BEGUN_MARK, {**self.begun_of(source), ref: 0})
        self.save()

    def note(self, source: Source, turn_counts: TurnCounts) -> None:
        """Remember that a file was read, and its sessions finished."""
        self._files[source.name] = (source.stamp, turn_counts)

    def save(self) -> None:
        """Write it down."""
        paths.make_private(str(self.path.parent))
        disk.replace_file(self.path, json.dumps(self._files))


class TranscriptMessage(NamedTuple):
    """One message of a transcript as it would be kept."""

    role: str
    text: str
    ref: str
    at: int
    tool: str | None = None
    files: tuple[str, ...] = ()


def unheard(messages: Sequence[TranscriptMessage], turns: Sequence[Turn]) -> list[TranscriptMessage]:
    """Return the messages after the last one that is among a session's turns."""
    refs, message_refs = {turn.ref for turn in turns}, {message.ref for message in messages}
    words = Counter(_words(turn.role, turn.text) for turn in turns if turn.ref not in message_refs)
    masked_counts = Counter(turn.role for turn in turns if MASK in turn.text)
    latest = max((turn.at for turn in turns), default=0)
    last = -1
    for place, message in enumerate(messages):
        wording = _words(message.role, message.text)
        if message.ref in refs or message.at < latest:
            last = place
        elif words[wording] > 0:
            words[wording] -= 1
            last = place
        elif masked_counts[message.role] > 0 and message.at < latest + _LATE_MS:
            masked_counts[message.role] -= 1
            last = place
    return list(messages[last + 1 :])


def _words(role: str, text: str) -> tuple[str, str]:
    return role, " ".join(text.split())


AGENTS = {
    "claude": claude.AGENT,
    "codex": codex.AGENT,
    "gemini": gemini.AGENT,
    "opencode": opencode.AGENT,
    "copilot": copilot.AGENT,
}
"""What each client's agent is called in memory, as its hooks have it."""

BATCH = 50
"""Turns of one transaction: others want to write, too."""

Step = Callable[[int], None]


class Transcripts(Struct):
    """What takes in transcripts; what was read is accounted for."""

    service: Service
    seen: ReadMarks
    dry_run: bool = False
    new_ids: list[str] = field(default_factory=list)
    """The memories that came of it."""
    _counts: Counter[str] = field(default_factory=Counter)
    _agents: Counter[str] = field(default_factory=Counter)
    _skipped: dict[str, str] = field(default_factory=dict)

    def ingest(self, sources: Sequence[Source], step: Step = lambda count: None) -> TranscriptsIngested:
        """Take in sessions, the oldest first; what cannot be read is named, and holds up no other."""
        try:
            for source in sorted(sources, key=lambda candidate: candidate.touched):
                self._try(source)
                step(1)
        finally:
            if not self.dry_run:
                self.seen.save()
        return TranscriptsIngested(
            dry_run=self.dry_run,
            transcripts=len(sources),
            sessions=self._counts["sessions"],
            helpers=self._counts["helpers"],
            turns=self._counts["turns"],
            findings=self._counts["findings"],
            memories=self._counts["memories"],
            agents=dict(self._agents),
            skipped=self._skipped,
        )

    def _try(self, source: Source) -> None:
        """Take in one transcript; whatever came into it, the others shall not wait for it."""
        try:
            self._source(source)
        except (StoreError, SwitchedOff, NotRedacted):
            raise
        except Exception as error:
            self.leave_out(source.name, error)

    def leave_out(self, name: str, error: Exception) -> None:
        """Note what could not be read or kept, and why."""
        self._skipped[name] = _reason(error)

    def _source(self, source: Source) -> None:
        known_counts = self.seen.made_of(source)
        if known_counts is not None and self._has(known_counts):
            return
        turn_counts: dict[str, int] = {}
        begun_sessions: list[Session] = []
        for past in source.read():
            known_session = self._past(past, source, begun_sessions)
            if known_session:
                turn_counts[known_session.ref or ""] = known_session.turns
        self._finish(begun_sessions)
        for session in begun_sessions:
            turn_counts[session.ref or ""] = self.service.session(session.id).turns
        self.seen.note(source, turn_counts)

    def _has(self, turn_counts: TurnCounts) -> bool:
        """Say whether the store still has what was made of a file: it may have been restored since."""
        there = {ref: self.service.exchange.session_with(ref) for ref in turn_counts}
        return all(
            (session := there[ref]) is not None and session.turns >= turns for ref, turns in turn_counts.items()
        )

    def _past(self, past: Past, source: Source, begun_sessions: list[Session]) -> Session | None:
        """Take in one session, and add it to those that are to be finished; return what was known of it."""
        exchange = self.service.exchange
        messages = list(_messages(past, self.service))
        ref, parent = _ref(past.client, past.session), self._parent(past)
        session = exchange.session_with(ref)
        if session is None and parent and _heard_live(messages, self.service, parent):
            return None
        if session and ref in self.seen.begun_of(source):
            session = replace(session, status=COMPLETED)
        new = unheard(messages, self.service.turns(session.id) if session else ())
        if not new:
            return self._complete_known(session, source, begun_sessions)
        self._counts["helpers" if past.helper else "sessions"] += 1
        self._counts["turns"] += len(new)
        agent = _agent(past)
        self._agents[agent] += 1
        if self.dry_run:
            return session
        if session is None or session.status != ACTIVE:
            self.seen.begin(source, ref)
        started_session = self.service.start_session(agent, new[0].at, ref, parent.id if parent else None)
        begun_sessions.append(session or replace(started_session, status=COMPLETED))
        self._record(started_session, new, source)
        return None

    def _complete_known(
        self, session: Session | None, source: Source, begun_sessions: list[Session]
    ) -> Session | None:
        """See to a session of which everything is recorded: an interrupted one is still to be finished."""
        if session is None or self.dry_run or session.ref not in self.seen.begun_of(source):
            return session
        begun_sessions.append(session)
        return None

    def _parent(self, past: Past) -> Session | None:
        return self.service.exchange.session_with(_ref(past.client, past.parent)) if past.parent else None

    def _record(self, session: Session, messages: Sequence[TranscriptMessage], source: Source) -> None:
        for start in range(0, len(messages), BATCH):
            with self.service.exchange.together():
                for place, message in enumerate(messages[start : start + BATCH], start + 1):
                    self._message(session, message, f"{source.name}, message {place}")

    def _message(self, session: Session, message: TranscriptMessage, where: str) -> None:
        """Record one message; one that cannot be kept holds back itself and no other."""
        try:
            self.service.record(session.id, Message(**message._asdict()))
        except InvalidInput as error:
            self.leave_out(where, error)
            self._counts["turns"] -= 1

    def _finish(self, begun_sessions: Sequence[Session]) -> None:
        """Read what was said in sessions, all of them before the first is judged; then end those that are over."""
        for session in begun_sessions:
            self.service.checkpoint(session.id)
        for session in begun_sessions:
            if session.status != ACTIVE:
                self.service.end_session(session.id)
        for session in begun_sessions:
            findings = self.service.findings(session.id)
            self._counts["findings"] += len(findings)
            self.new_ids += dict.fromkeys(finding.memory for finding in findings if finding.memory)
            self._counts["memories"] += len({finding.memory for finding in findings if finding.memory})


def _messages(past: Past, service: Service) -> Iterator[TranscriptMessage]:
    """Return what would be kept of a session; private blocks reach from one message to the next."""
    depth, now, latest = 0, service.moment("0m", "now") or 0, 0
    forgetting = False
    for moment in past.moments:
        moment.at = min(moment.at or latest or now, now)
        latest = moment.at
        entry, depth = entry_of(past.client, past.client, moment, service.exchange.cleaner, depth)
        if moment.kind == PROMPT and entry is not None:
            forgetting = is_unrecorded(entry)
        if entry is None or not entry.get("text") or forgetting:
            continue
        files = entry.get("files")
        yield TranscriptMessage(
            role=str(entry["role"]),
            text=str(entry["text"]),
            ref=str(entry["ref"]),
            at=moment.at,
            tool=str(entry["tool"]) if entry.get("tool") else None,
            files=tuple(map(str, files)) if isinstance(files, list) else (),
        )


def _reason(error: Exception) -> str:
    """Say what was wrong; of what is no error of ours its sort only, for its words may hold what was said."""
    if isinstance(error, OSError):
        return f"cannot be read: {error.strerror or error}"
    return str(error) if isinstance(error, HoldfastError) else f"cannot be understood ({type(error).__name__})"


def _heard_live(messages: Sequence[TranscriptMessage], service: Service, parent: Session) -> bool:
    """Say whether hooks recorded a helper's words with those of the agent it worked for."""
    refs = {turn.ref for turn in service.turns(parent.id)}
    return any(message.ref in refs for message in messages)


def _ref(client: str, session: str) -> str:
    """Return the ref of a session as hooks make it; a helper's stands behind that."""
    head, _, tail = session.partition("/")
    return session_ref(client, "/".join(filter(None, (plain_id(head), plain_id(tail) if tail else ""))))


def _agent(past: Past) -> str:
    agent = AGENTS[past.client]
    return f"{agent}/{past.helper}"[:NAME_CHARS] if past.helper else agent
