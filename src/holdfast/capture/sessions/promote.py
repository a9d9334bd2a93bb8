"""Findings become memories, through the same write path as everything else, and are judged again after a day.

Three tiers. A *rule* is confirmed: a person asked for it, took it over, said it again in another session, or
changed with it what is known. A statement that only the judge finds lasting is *said*: the person's words, as a
candidate. Other findings need points (`weigh`), after filters that no points make up for. A statement that says
the same as a memory is evidence of it, and confirms one that was only said. The link from a finding to its
memory is kept with the memory, a page in one transaction: a process that dies in between has promoted whole
pages, and the next one goes on with the rest.
"""

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from holdfast.capture.precedence import is_by_hand
from holdfast.capture.quote_check import spoken_for
from holdfast.capture.relations import narrows, says_again, takes_the_place
from holdfast.capture.sessions.voices import Demands, Voices, are_a_rule
from holdfast.errors import InvalidInput
from holdfast.judge import Judge
from holdfast.model.finding import (
    ACCEPTED,
    AMENDS,
    ASKED,
    DECISIVE,
    ERROR_RESOLUTION,
    HYPOTHESIS,
    LIKELY,
    MUST,
    REPEATED,
    RETRACTED,
    RULING,
    SAID,
    WORKING,
    Finding,
    Preset,
)
from holdfast.model.ids import new_id
from holdfast.model.kinds import (
    AGENT,
    CANDIDATE,
    CONFIRMED,
    PINNED,
    PROMOTED,
    QUARANTINE,
    READ_BY_PERSON,
    STATUSES,
    TIER,
    TOOL,
    USER,
)
from holdfast.model.limits import BATCH, QUARANTINE_MS
from holdfast.model.memory import SUPERSEDED, Added, Conflict, Memory
from holdfast.model.records import Event
from holdfast.model.requests import Draft
from holdfast.model.session import Session
from holdfast.ports import Store
from holdfast.stores.retry import again
from holdfast.text.words import topic

HIGH_IMPORTANCE = 0.7
POINTS = {
    "user-intent": 5,
    "explicit-pin": 5,
    "multi-session": 2,
    "error-resolution": 2,
    "settled": 2,
    "multi-agent": 1,
    "high-importance": 1,
}
"""What each signal is worth."""


class Sightings(Struct, frozen=True):
    """In how many sessions, by how many agents the same was found, this one counted; and who wanted it kept."""

    sessions: int = 1
    agents: int = 1
    remembered: bool = False
    """Whether a person asked to remember just this."""
    pinned: bool = False
    repeated: bool = False
    """Whether a person said the same, in whatever words, in another session."""
    known: str | None = None
    """The memory that says the same already."""
    amends: str | None = None
    """The memory that it changes, where it changes one."""
    amends_rule: bool = False
    """Whether that one is a rule: the change of a statement that was only said is only said, too."""
    disputes: str | None = None
    """The memory that it may change, where a person wrote that down, or where the statement is only noted."""


class Judgement(Struct, frozen=True):
    """Whether a finding is promoted, and what was counted for it."""

    promoted: bool
    points: int
    signals: tuple[str, ...]


def weigh(finding: Finding, sightings: Sightings, preset: Preset) -> Judgement:
    """Return whether a finding is promoted by itself, and what was counted for it."""
    signals = _signals(finding, sightings)
    points = sum(POINTS[signal] for signal in signals)
    earns_promotion = _passes(finding, preset) and points >= preset.points
    earns_promotion = earns_promotion or sightings.amends is not None or sightings.disputes is not None
    return Judgement(earns_promotion or by_a_person(finding, sightings) is not None, points, signals)


def by_a_person(finding: Finding, sightings: Sightings) -> str | None:
    """Return by what a person wants a finding kept, None where that is not clear or was taken back."""
    if RETRACTED in finding.signals:
        return None
    legs = {
        ASKED: ASKED in finding.signals,
        ACCEPTED: ACCEPTED in finding.signals,
        REPEATED: sightings.repeated,
        AMENDS: sightings.amends is not None and sightings.amends_rule,
    }
    return next((leg for leg, stands in legs.items() if stands), None)


def _signals(finding: Finding, sightings: Sightings) -> tuple[str, ...]:
    is_telling = finding.kind in DECISIVE or ERROR_RESOLUTION in finding.signals
    present = {
        "user-intent": sightings.remembered,
        "explicit-pin": sightings.pinned,
        "settled": finding.settled,
        "multi-session": is_telling and sightings.sessions >= 2,
        "multi-agent": is_telling and sightings.agents >= 2,
        "error-resolution": ERROR_RESOLUTION in finding.signals,
        "high-importance": finding.importance >= HIGH_IMPORTANCE,
    }
    return tuple(signal for signal in POINTS if present.get(signal))


def _passes(finding: Finding, preset: Preset) -> bool:
    """Return whether a finding passes the filters that no points make up for: doubt, retraction, triviality.

    What the judge is sure of may be short: "use bun, never npm".
    """
    if {HYPOTHESIS, RETRACTED} & set(finding.signals):
        return False
    is_sure = LIKELY in finding.signals and finding.importance >= HIGH_IMPORTANCE
    return finding.importance >= preset.importance and (is_sure or len(finding.content) >= preset.characters)


WritePath = Callable[[Sequence[Draft]], tuple[list[Added], list[Memory]]]
"""Drafts in; out what became of each, and the memories that are new."""

PAGE = 200
"""Findings judged in one transaction."""

MOST_ANCESTORS = 1_000

COMPARED = 8
"""Memories nearest in topic that a statement is compared with."""

KEPT_IMPORTANCE = 0.7
"""The least importance of what a person wants kept."""


class PromotionTerms(Struct, frozen=True):
    """How findings become memories: by which preset, through which write path, in whose name."""

    preset: Preset
    write: WritePath
    judge: Judge
    actor: str
    now: int


def promote(store: Store, session: Session, terms: PromotionTerms) -> Iterator[list[str]]:
    """Remember what a session found and what deserves it; yield the new memories of each page, kept by then."""
    last: str | None = None
    while page := store.findings.of(session.id, last, PAGE):
        last = page[-1].id
        yield promote_page(store, session, [finding.id for finding in page], terms)


def promote_page(store: Store, session: Session, ids: Sequence[str], terms: PromotionTerms) -> list[str]:
    """Remember those of some findings that deserve it, in one transaction; return the memories that are new."""
    while (new_ids := _promote_judged(store, session, ids, terms)) is None:
        pass  # another writer changed what was judged
    return new_ids


@again
def _promote_judged(store: Store, session: Session, ids: Sequence[str], terms: PromotionTerms) -> list[str] | None:
    """Judge some findings and write what they become; None where what was judged is no longer what is stored.

    The judging is done outside the transaction: other writers do not wait for the judge, nor for rows that are
    only looked at.
    """
    open_findings = [finding for finding in store.findings.get(ids) if finding.memory is None]
    witnesses = _Witnesses(store, session.project, open_findings, terms)
    page = _judge_page(witnesses, open_findings, terms)
    if not page.promotions and not page.links:
        return []
    with store.writing():
        if not witnesses.hold([*(finding for finding, _ in page.links), *(one[0] for one in page.promotions)]):
            return None
        memory_ids, new_ids = _write_page(witnesses, page, terms)
        if memory_ids:
            store.audit.record(Event(action="promote", actor=terms.actor, at=terms.now, ids=memory_ids))
    return new_ids


class _Page(Struct, frozen=True):
    """What is to be written for some findings."""

    promotions: list[tuple[Finding, Sightings, Judgement]]
    links: list[tuple[Finding, str]]
    """Findings that are evidence of a memory that is there."""
    confirming: frozenset[str]
    """Those of the linked findings that say the same as their memory."""


def _judge_page(witnesses: "_Witnesses", findings: Sequence[Finding], terms: PromotionTerms) -> _Page:
    """Return which findings are to become memories, and which belong to a memory that is there."""
    judgements = [
        (finding, sightings, weigh(finding, sightings, terms.preset))
        for finding, sightings in witnesses.of_all(findings)
    ]
    told_elsewhere = {
        finding.id: sightings.known
        for finding, sightings, verdict in judgements
        if sightings.known and (verdict.promoted or finding.settled)
    } | witnesses.noted(findings)
    return _Page(
        promotions=[
            judgement
            for judgement in judgements
            if judgement[2].promoted and judgement[0].id not in told_elsewhere
        ],
        links=[
            (finding, told_elsewhere[finding.id])
            for finding, sightings, verdict in judgements
            if finding.id in told_elsewhere and (verdict.promoted or sightings.known)
        ],
        confirming=frozenset(finding.id for finding, sightings, _ in judgements if sightings.known),
    )


def _write_page(witnesses: "_Witnesses", page: _Page, terms: PromotionTerms) -> tuple[tuple[str, ...], list[str]]:
    """Return the memories that findings became or support now, and those among them that are new."""
    for finding, memory_id in page.links:
        witnesses.link(finding, memory_id, confirms=finding.id in page.confirming)
    drafts = [
        _draft(finding, verdict, sightings, witnesses.voices.of(finding))
        for finding, sightings, verdict in page.promotions
    ]
    results, new_memories = _write_drafts(drafts, terms.write) if drafts else ([], [])
    for (finding, sightings, _), addition in zip(page.promotions, results, strict=True):
        if addition is not None and addition.id is not None:
            is_accepted = addition.created and ACCEPTED in finding.signals and witnesses.voices.of(finding) == USER
            witnesses.link(finding, addition.id, confirms=is_accepted)
            if sightings.disputes:
                witnesses.dispute(sightings.disputes, addition.id, terms.now)
    memory_ids = tuple(
        dict.fromkeys(addition.id for addition in results if addition is not None and addition.id is not None)
    )
    return memory_ids, [memory.id for memory in new_memories]


def _write_drafts(drafts: Sequence[Draft], write: WritePath) -> tuple[list[Added | None], list[Memory]]:
    """Write drafts; one that is refused, None, holds back itself and no other."""
    try:
        results, new_memories = write(drafts)
        return [*results], new_memories
    except InvalidInput:
        if len(drafts) == 1:
            return [None], []
        outcomes = [_write_drafts([draft], write) for draft in drafts]
        return [addition for results, _ in outcomes for addition in results], [
            memory for _, new_memories in outcomes for memory in new_memories
        ]


class _Witnesses:
    """Who else found the same, who asked to remember it, what is known of it, and from whom it comes."""

    def __init__(self, store: Store, project: str, page: Sequence[Finding], terms: PromotionTerms) -> None:
        self._store = store
        self._judge = terms.judge
        self._memory_by_fingerprint = store.memories.saying(
            project, [page_finding.fingerprint for page_finding in page]
        )
        self.voices = Voices(store, page)
        self._sessions: dict[str, Session | None] = {}
        self._findings_by_fingerprint: dict[str, list[Finding]] = {}
        for finding in store.findings.saying([page_finding.fingerprint for page_finding in page]):
            self._findings_by_fingerprint.setdefault(finding.fingerprint, []).append(finding)
        self._demands = Demands(store, page, terms.judge)
        self._repeats: dict[str, list[Finding]] = {}
        statements = [finding for finding in page if _states(finding)]
        texts = [finding.content for finding in statements]
        akin = store.memories.akin(project, texts, terms.now, COMPARED) if texts else []
        self._akin = {finding.id: rivals for finding, rivals in zip(statements, akin, strict=True)}
        self._standing: dict[str, list[Memory]] = {}

    def hold(self, findings: Sequence[Finding]) -> bool:
        """Hold the rows that some findings write, in one order; return whether they are still as they were judged.

        Two sessions that end at once and repeat each other write each other's findings.
        """
        judged_findings = {
            same_finding.id: same_finding
            for finding in findings
            for same_finding in (*self._findings_by_fingerprint[finding.fingerprint], *self._repeats[finding.id])
        }
        judged_memories = {memory.id: memory for finding in findings for memory in self._standing[finding.id]}
        held_findings = self._store.findings.get([*judged_findings])
        held_memories = self._store.memories.get([*judged_memories])
        return held_findings == [*judged_findings.values()] and held_memories == [*judged_memories.values()]

    def of_all(self, findings: Sequence[Finding]) -> list[tuple[Finding, Sightings]]:
        """Return findings with what speaks for them."""
        return [(finding, self.of(finding)) for finding in findings]

    def of(self, finding: Finding) -> Sightings:
        """Count sessions and agents that stand by it; a fork says nothing that its parent has not said."""
        same_findings = [
            same_finding
            for same_finding in self._findings_by_fingerprint[finding.fingerprint]
            if not {HYPOTHESIS, RETRACTED} & set(same_finding.signals)
        ]
        memory = self._memory_by_fingerprint.get(finding.fingerprint)
        here = self._root(finding.session)
        known_memory, amended_memory = self._standing_of(finding)
        disputes = amended_memory is not None and _is_beyond(finding, amended_memory)
        self._standing[finding.id] = [one for one in (known_memory, amended_memory) if one is not None]
        self._repeats[finding.id] = [
            demand for demand in self._demands.like(finding) if self._root(demand.session) != here
        ]
        return Sightings(
            sessions=len({self._root(same_finding.session) for same_finding in same_findings}),
            agents=len(
                {
                    session.agent
                    for same_finding in same_findings
                    if (session := self._session(same_finding.session))
                }
            ),
            remembered=memory is not None and memory.trust == USER,
            pinned=memory is not None and memory.status == PINNED,
            repeated=bool(self._repeats[finding.id]),
            known=known_memory.id if known_memory else None,
            amends=amended_memory.id if amended_memory and not disputes else None,
            amends_rule=amended_memory is not None and amended_memory.status != CANDIDATE,
            disputes=amended_memory.id if amended_memory and disputes else None,
        )

    def _standing_of(self, finding: Finding) -> tuple[Memory | None, Memory | None]:
        """Return the memory that says the same as a finding, and the one that it changes, where there are such."""
        words = topic(finding.content)
        if self.voices.of(finding) != USER:
            return None, None
        rivals = [
            rival
            for rival in self._akin.get(finding.id, ())
            if rival.fingerprint != finding.fingerprint and topic(rival.content) & words
        ]
        relations = self._judge.relates([(rival.content, finding.content) for rival in rivals])
        known_memory: Memory | None = None
        amended_memory: Memory | None = None
        for rival, relation in zip(rivals, relations, strict=True):
            by_person = rival.trust == USER or PROMOTED in rival.sources
            texts = (rival.content, finding.content)
            if rival.trust == USER and says_again(*texts, relation):
                known_memory = known_memory or rival
            elif (
                by_person
                and _may_change(finding, rival)
                and takes_the_place(*texts, relation, noted=not finding.settled)
            ):
                amended_memory = amended_memory or rival
        return known_memory, amended_memory if known_memory is None else None

    def noted(self, findings: Sequence[Finding]) -> dict[str, str]:
        """Return, by finding, the memory that an agent's note made of the same words."""
        return spoken_for(self._store, findings)

    def dispute(self, standing_id: str, memory_id: str, now: int) -> None:
        """Let a memory and what it may change be told together, until a person says which holds."""
        if standing_id != memory_id:
            conflict = Conflict(
                id=new_id(now), first=standing_id, second=memory_id, kind=SUPERSEDED, detected_at=now
            )
            self._store.conflicts.record([conflict])

    def link(self, finding: Finding, memory_id: str, *, confirms: bool) -> None:
        """Let every finding that says the same know the memory it became; a person's repetition confirms that.

        Statements of other sessions that the judge took for the same are evidence, too, and are forgotten with it.
        """
        for memory in self._store.memories.get([memory_id]) if confirms else ():
            is_repeated = memory.status == CANDIDATE and memory.session != finding.session
            if ACCEPTED in finding.signals or (is_repeated and are_a_rule(finding, memory, self._judge)):
                self._store.memories.replace(
                    _as_rule(memory, ACCEPTED if ACCEPTED in finding.signals else REPEATED)
                )
        repeats = self._store.findings.get([demand.id for demand in self._repeats[finding.id]])
        unlinked_findings = {
            same_finding.id: replace(same_finding, memory=memory_id)
            for same_finding in (*self._findings_by_fingerprint[finding.fingerprint], *repeats)
            if same_finding.memory is None
        }
        self._store.findings.put([*unlinked_findings.values()])

    def _root(self, session_id: str) -> str:
        for _ in range(MOST_ANCESTORS):
            session = self._session(session_id)
            if session is None or session.parent is None:
                break
            session_id = session.parent
        return session_id

    def _session(self, session_id: str) -> Session | None:
        if session_id not in self._sessions:
            self._sessions[session_id] = self._store.sessions.peek(session_id)
        return self._sessions[session_id]


def _as_rule(memory: Memory, leg: str) -> Memory:
    """Return a memory confirmed by a person, no longer only said, with what confirms it."""
    known_signals = memory.metadata.get("signals")
    signals = [*known_signals] if isinstance(known_signals, list) else []
    metadata = {name: value for name, value in memory.metadata.items() if name != TIER}
    if leg not in signals:
        metadata["signals"] = [*signals, leg]
    return replace(memory, status=max(memory.status, CONFIRMED, key=STATUSES.index), metadata=metadata)


def _states(finding: Finding) -> bool:
    return finding.kind in RULING and not {ACCEPTED, RETRACTED} & set(finding.signals)


def _is_beyond(finding: Finding, rival: Memory) -> bool:
    """Return whether a statement may only be told beside a memory: a person's own note, for a noted one a rule."""
    if narrows(rival.content, finding.content):
        return True
    if is_by_hand(rival):
        return ASKED not in finding.signals
    return not finding.settled and rival.status != CANDIDATE


def _may_change(finding: Finding, rival: Memory) -> bool:
    """Return whether a statement comes after a memory that it changes, and that memory is not pinned."""
    return rival.status != PINNED and rival.session != finding.session and rival.valid_from <= finding.created_at


def _draft(finding: Finding, verdict: Judgement, sightings: Sightings, voice: str) -> Draft:
    """Make a memory of a finding: a rule where a person stands behind it, else the person's words as said.

    Only a person's words take the place of what is known.
    """
    leg = None if voice == TOOL else by_a_person(finding, sightings)
    states = finding.kind in RULING and leg != ACCEPTED
    trust = TOOL if voice == TOOL else USER if states and voice == USER else AGENT
    signals = [*verdict.signals, *([leg] if leg else [])]
    metadata: dict[str, object] = {"finding": finding.id, "signals": signals, "points": verdict.points}
    if trust == USER:
        probabilities = {"lasts": finding.confidence} | {
            name: True for name in (MUST, WORKING) if name in finding.signals
        }
        metadata |= {"judged": probabilities} | ({} if leg else {TIER: SAID})
    return Draft(
        content=finding.content,
        kind=finding.kind,
        files=finding.files,
        importance=max(finding.importance, KEPT_IMPORTANCE) if leg else finding.importance,
        confidence=finding.confidence,
        source=PROMOTED,
        trust=trust,
        supersedes=sightings.amends if trust == USER else None,
        session=finding.session,
        metadata=metadata,
        at=finding.created_at,
    )


UNREAD_FACTOR = 0.8
"""What is left of the importance of something that no person read in its first day."""


@again
def release(store: Store, actor: str, now: int) -> int:
    """Judge promoted memories whose first day is over, a batch at most; return how many there were."""
    if not store.memories.quarantined(now - QUARANTINE_MS, 1):
        return 0
    with store.writing():
        quarantined_memories = store.memories.quarantined(now - QUARANTINE_MS, BATCH)
        judged_memories = [after_quarantine(memory, now) for memory in quarantined_memories]
        read_ids = [memory.id for memory in judged_memories if memory.status == CONFIRMED]
        unread_ids = [memory.id for memory in judged_memories if memory.status != CONFIRMED]
        for action, ids in (("confirm", read_ids), ("update", unread_ids)):
            if ids:
                detail = {"quarantine": len(ids)}
                store.audit.record(Event(action=action, actor=actor, at=now, ids=tuple(ids), detail=detail))
        for memory in judged_memories:
            store.memories.replace(memory)
    return len(judged_memories)


def after_quarantine(memory: Memory, now: int) -> Memory:
    """Return a memory as its quarantine leaves it; the same one while that lasts, and ever after."""
    waits = now - memory.renewed_at < QUARANTINE_MS
    if memory.status != CANDIDATE or memory.source != PROMOTED or QUARANTINE in memory.metadata or waits:
        return memory
    if READ_BY_PERSON in memory.metadata:
        if memory.metadata.get(TIER) == SAID:  # who opens a guess, to drop it perhaps, has not confirmed it
            return replace(memory, metadata={**memory.metadata, QUARANTINE: "read"}, updated_at=now)
        return replace(memory, status=CONFIRMED, updated_at=now)
    metadata = {**memory.metadata, QUARANTINE: "unread"}
    return replace(
        memory, importance=round(memory.importance * UNREAD_FACTOR, 4), metadata=metadata, updated_at=now
    )
