"""The read pipeline of a brief, in one place: what is looked for, in which order, and what becomes of it.

analyse → candidates (memories, evidence) → score → floor → what is current → rerank → select → conflicts →
each thing once → marks → budget → text. Each step is a module of its own; this one puts them in order and watches
the time. It reads the stores through their ports and writes nothing.
"""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from holdfast.errors import StoreSlow
from holdfast.model.conflict import Conflict
from holdfast.model.kinds import AGENT, PINNED, USER
from holdfast.model.limits import PINS
from holdfast.model.memory import Memory
from holdfast.model.search import Filters
from holdfast.ports import Store
from holdfast.recall.brief.candidates import Remembered, find_memories
from holdfast.recall.brief.choose import choose, each_once
from holdfast.recall.brief.evidence import Evidence, find_evidence
from holdfast.recall.brief.fill import Filled, fill
from holdfast.recall.brief.keywords import Asked
from holdfast.recall.brief.looking import Search
from holdfast.recall.brief.notes import relevant_notes
from holdfast.recall.brief.parts import Shown, parts_of
from holdfast.recall.brief.request import Reach, Request
from holdfast.recall.brief.scoring import floor_of
from holdfast.recall.brief.start import touching


@dataclass(frozen=True, slots=True)
class Made:
    """A brief, and what has to be known about its making."""

    filled: Filled
    conflicts: tuple[Conflict, ...] = ()
    cut: bool = False


def make_brief(request: Request, reach: Reach) -> Made:
    """Make the brief for a prompt or, without one, for the start of a session."""
    pinned = _pinned(reach.stores, request.scene.now)
    always = {memory.id for memory in pinned}
    cut = False
    if request.asked is None:
        chosen = touching(request, reach, always)
    else:
        memories, evidence, cut = _candidates(request, request.asked, reach)
        chosen = choose(request, reach, [one for one in memories if one.memory.id not in always], evidence)
    memories_told = [memory.id for one in chosen for memory in one.memories]
    conflicts = reach.conflicts([*always, *memories_told])
    chosen = each_once(chosen, conflicts)
    shown = Shown(
        pinned=pinned,
        chosen=chosen,
        bridge=relevant_notes(
            request.bridge, request.asked, request.scene.files, [one.statement for one in chosen]
        ),
        summaries=reach.summaries() if request.asked is None else (),
        conflicts=conflicts,
    )
    parts, lines = parts_of(shown, request, reach)
    return Made(fill(request.page, parts, lines), tuple(conflicts), cut)


def _candidates(request: Request, asked: Asked, reach: Reach) -> tuple[list[Remembered], list[Evidence], bool]:
    """Look for memories, then for evidence, while there is time; what was found by then is what there is."""
    memories: list[Remembered] = []
    evidence: list[Evidence] = []
    search = Search(
        terms=asked.terms,
        vector=request.vector,
        aliases=request.aliases,
        but=frozenset((request.session,) if request.session else ()),
        prompt=asked.text,
        enough=floor_of(asked),
        most=request.limits.candidates,
    )
    try:
        with ExitStack() as stack:
            for store in reach.stores:
                stack.enter_context(store.reading(request.limit_ms))
            memories = find_memories(search, reach.stores, request.scene.now)
            evidence = find_evidence(search, reach.stores[0])
    except StoreSlow:
        return memories, evidence, True
    return memories, evidence, False


def _pinned(stores: Sequence[Store], now: int) -> list[Memory]:
    """Return what every brief carries. What came from files or the web stays out, whoever pinned it."""
    filters = Filters(statuses=(PINNED,), current_at=now)
    found = [memory for store in stores for memory in store.memories.newest(filters, PINS)]
    return [memory for memory in found if memory.trust in (USER, AGENT)][:PINS]
