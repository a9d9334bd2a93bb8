"""The one pipeline of a brief: what is looked for, in which order, and what becomes of it.

At a session's start: standing rules → how the last session ended. On a prompt: analyse → candidates (memories,
evidence) → score → floor → what is current → rerank → select → conflicts → each thing once → marks → budget →
text. Each step is a module of its own; this one puts them in order and watches the time. It reads the stores
through their ports and writes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack

from holdfast.errors import StoreSlow
from holdfast.model.conflict import Conflict
from holdfast.model.kinds import AGENT, PINNED, USER
from holdfast.model.limits import PINS
from holdfast.model.memory import Memory
from holdfast.model.search import Filters
from holdfast.model.type_hints import TYPE_CHECKING
from holdfast.model.value import Value
from holdfast.recall.brief.asking import AT_START, ON_PROMPT, alone
from holdfast.recall.brief.budget import allocate, allocate_start
from holdfast.recall.brief.candidates import Remembered, find_memories
from holdfast.recall.brief.choose import choose, each_once
from holdfast.recall.brief.evidence import Evidence, Search, find_evidence
from holdfast.recall.brief.fill import Filled, fill
from holdfast.recall.brief.notes import relevant_notes
from holdfast.recall.brief.parts import Shown, parts_of, rules_of
from holdfast.recall.brief.prompt import Prompt
from holdfast.recall.brief.relevance import FLOORS, LATER, Floors
from holdfast.recall.brief.request import Reach, Request
from holdfast.recall.brief.scoring import Chosen
from holdfast.recall.brief.start import standing_rules
from holdfast.recall.brief.tokens import estimate

if TYPE_CHECKING:
    from holdfast.ports import Store


class MadeBrief(Value):
    """A brief, and what has to be known about its making."""

    filled: Filled
    conflicts: tuple[Conflict, ...] = ()
    cut: bool = False


def make_brief(request: Request, reach: Reach) -> MadeBrief:
    """Make the brief for a prompt or, without one, for the start of a session."""
    pinned = _pinned(reach.stores, request.scene.now)
    if request.prompt is None:
        return _start_brief(request, reach, pinned)
    return _prompt_brief(request, request.prompt, reach, pinned)


def _start_brief(request: Request, reach: Reach, pinned: Sequence[Memory]) -> MadeBrief:
    rules = standing_rules(request, reach)
    conflicts = reach.conflicts([one.id for one in (*pinned, *rules)])
    bridge = relevant_notes(request.bridge, None, request.scene.files, [])
    shown = Shown(pinned, (), bridge, reach.summaries(), conflicts)
    filled = fill(
        request.page,
        allocate_start(request.page.total),
        parts_of(shown, request, reach),
        rules=rules_of(rules, request, reach, conflicts),
        conflicts=[one.marker for one in conflicts],
        request=AT_START if request.nudge else "",
    )
    return MadeBrief(filled, tuple(conflicts))


def _prompt_brief(request: Request, prompt: Prompt, reach: Reach, pinned: Sequence[Memory]) -> MadeBrief:
    always = {memory.id for memory in pinned}
    chosen, cut = _chosen(request, prompt, reach, always)
    conflicts = reach.conflicts([*always, *(one.id for one in chosen if isinstance(one.source, Memory))])
    chosen = each_once(chosen, conflicts)
    told = [one.statement for one in chosen]
    bridge = relevant_notes(request.bridge, prompt, request.scene.files, told)
    shown = Shown(pinned, chosen, bridge, (), conflicts)
    filled = fill(
        request.page,
        allocate(request.page.total),
        parts_of(shown, request, reach),
        conflicts=[one.marker for one in conflicts],
        request=ON_PROMPT if request.nudge else "",
    )
    if request.nudge and not filled.text:
        page = request.page
        text = alone(page.style, page.nonce, page.total)
        filled = Filled(text, estimate(text), ())
    return MadeBrief(filled, tuple(conflicts), cut)


def _chosen(request: Request, prompt: Prompt, reach: Reach, always: set[str]) -> tuple[Sequence[Chosen], bool]:
    """Return what is told about a prompt, and whether time cut the looking short."""
    floors = FLOORS.get(prompt.intent)
    if floors is None:
        return [], False
    floors = floors.raised(LATER) if request.later else floors
    memories, evidence, cut = _candidates(request, prompt, reach, floors)
    others = [one for one in memories if one.memory.id not in always]
    choice = choose(request, reach, others, evidence, floors)
    return choice.entries, cut or choice.cut


def _candidates(
    request: Request, prompt: Prompt, reach: Reach, floors: Floors
) -> tuple[list[Remembered], list[Evidence], bool]:
    """Look for memories, then for evidence, while there is time; what was found by then is what there is."""
    memories: list[Remembered] = []
    evidence: list[Evidence] = []
    search = Search(
        terms=prompt.terms,
        vector=request.vector,
        aliases=request.aliases,
        but=frozenset((request.session,) if request.session else ()),
        prompt=prompt.text,
        floors=floors,
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
    memories = [memory for store in stores for memory in store.memories.newest(filters, PINS)]
    return [memory for memory in memories if memory.trust in (USER, AGENT)][:PINS]
