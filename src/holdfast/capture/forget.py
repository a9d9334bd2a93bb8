"""Forgetting: the entry goes, its words go from the evidence, and a mark keeps it from coming back by itself."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from holdfast.capture.derivation import MASK, CutReport, cut, plan_cut, uproot
from holdfast.capture.restatement import forget_told_since
from holdfast.model.limits import FORGOTTEN_AT_ONCE
from holdfast.model.memory import Excerpt, Forgotten, Memory
from holdfast.model.records import Event
from holdfast.model.session import Turn
from holdfast.model.upkeep import FORGOTTEN_AT
from holdfast.ports import Store
from holdfast.stores.retry import again


class Retraction(Struct, frozen=True, kw_only=True):
    """Who retracts, when, and which store holds the evidence: the turns."""

    evidence: Store
    actor: str
    now: int

    def event(self, action: str, ids: Sequence[str], **detail: object) -> Event:
        """Return what the journal says of it."""
        return Event(action=action, actor=self.actor, at=self.now, ids=tuple(ids), detail=detail)


def forget(home: Store, memories: Sequence[Memory], by: Retraction) -> Forgotten:
    """Retract memories from their home store, and their words from the turns of the evidence store.

    Of two stores the evidence comes first: a crash in between leaves the memory, which can be forgotten again.
    The bytes leave the files with the scrub at the end, or, when another process is reading, by a later one.
    """
    slices = range(0, len(memories), FORGOTTEN_AT_ONCE)
    cuts = [_forget_some(home, memories[start : start + FORGOTTEN_AT_ONCE], by) for start in slices]
    stores = ([home] if home is by.evidence else [by.evidence, home]) if memories else []
    pending_scrubs = [store.scrub() for store in stores]
    return Forgotten(
        ids=tuple(memory.id for memory in memories),
        masked_turns=sum(cut_report.turns for cut_report in cuts),
        excerpts=tuple(excerpt for cut_report in cuts for excerpt in cut_report.excerpts),
        pending=any(pending_scrubs),
    )


def forget_source(home: Store, memories: Sequence[Memory], source: str, by: Retraction) -> Forgotten:
    """Take back what a source said: what nobody else said goes, the rest only loses that source."""
    alone = [memory for memory in memories if set(memory.sources) == {source}]
    shared_memories = [memory for memory in memories if set(memory.sources) > {source}]
    _take_source(home, [memory.id for memory in shared_memories], source, by)
    return replace(forget(home, alone, by), kept=tuple(memory.id for memory in shared_memories))


@again
def _take_source(home: Store, ids: Sequence[str], source: str, by: Retraction) -> None:
    with home.writing():
        if ids:
            home.audit.record(by.event("update", ids, sources=1))
        for memory in home.memories.get(ids):
            home.memories.replace(_without_source(memory, source, by.now))


def forget_turns(session_id: str, by: Retraction) -> Forgotten:
    """Mask everything that was said in a session; its turns stay, so that they are not recorded anew."""
    masked_excerpts = _mask_turns(session_id, by)
    return Forgotten(
        ids=(), masked_turns=len(masked_excerpts), excerpts=tuple(masked_excerpts), pending=by.evidence.scrub()
    )


def turns_left(store: Store, session_id: str) -> list[Excerpt]:
    """Return what of a session is not masked yet."""
    turns = [turn for turn in store.turns.of(session_id) if turn.text != MASK]
    return [_whole(turn) for turn in turns]


def _whole(turn: Turn) -> Excerpt:
    return Excerpt(session=turn.session, turn=turn.id, role=turn.role, text=turn.text)


@again
def _mask_turns(session_id: str, by: Retraction) -> list[Excerpt]:
    store, last = by.evidence, None
    masked_excerpts: list[Excerpt] = []
    with store.writing():
        session = store.sessions.get(session_id)
        store.audit.record(by.event("remove", [session_id], turns=session.turns if session else 0))
        store.upkeep.note(FORGOTTEN_AT, by.now)
        while page := store.turns.following(session_id, last, FORGOTTEN_AT_ONCE):
            last = page[-1].id
            turns = [turn for turn in page if turn.text != MASK]
            for turn in turns:
                store.turns.replace(replace(turn, text=MASK, files=()))
            uproot(store, [turn.id for turn in turns])
            masked_excerpts += map(_whole, turns)
        session = store.sessions.get(session_id)
        if session:
            forget_told_since(store, session.started_at)
        if session and session.summary:
            store.sessions.replace(replace(session, summary=""))
    return masked_excerpts


def _forget_some(home: Store, memories: Sequence[Memory], by: Retraction) -> CutReport:
    if by.evidence is home:
        return _remove(home, memories, by)
    elsewhere = _clear_alone(by.evidence, memories)
    _remove(home, memories, by)
    return elsewhere


@again
def _clear_alone(evidence: Store, memories: Sequence[Memory]) -> CutReport:
    with evidence.writing():
        return _clear(evidence, memories)


@again
def _remove(home: Store, memories: Sequence[Memory], by: Retraction) -> CutReport:
    ids = tuple(dict.fromkeys(memory.id for memory in memories))
    with home.writing():
        home.audit.record(by.event("remove", ids))
        home.upkeep.note(FORGOTTEN_AT, by.now)
        cut_report = _clear(home, memories) if by.evidence is home else CutReport(0)
        home.memories.delete(ids)
        home.tombstones.add(_unsaid(home, memories, [memory.fingerprint for memory in memories]))
    return cut_report


def _clear(evidence: Store, memories: Sequence[Memory]) -> CutReport:
    """Take the words of memories out of turns, findings, summaries and logged queries."""
    evidence.accesses.forget([memory.id for memory in memories])
    cut_report = cut(evidence, plan_cut(evidence, memories))
    evidence.tombstones.add(_unsaid(evidence, memories, cut_report.fingerprints))
    return cut_report


def _unsaid(store: Store, memories: Sequence[Memory], prints: Sequence[str]) -> list[str]:
    """Return the fingerprints that no other entry still says: going back to an old decision is no return."""
    ids = {memory.id for memory in memories}
    still: set[str] = set()
    for project in dict.fromkeys(memory.project for memory in memories):
        memory_by_fingerprint = store.memories.saying(project, prints)
        still |= {mark for mark, memory in memory_by_fingerprint.items() if memory.id not in ids}
    return [mark for mark in dict.fromkeys(prints) if mark not in still]


def _without_source(memory: Memory, source: str, now: int) -> Memory:
    return replace(memory, sources=tuple(name for name in memory.sources if name != source), updated_at=now)
