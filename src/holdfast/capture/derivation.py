"""Following what was derived from what, to take it back: turn → finding → memory, and from findings to summaries.

A finding knows the characters it was read from and the memory it became; a fork's copies name the same characters.
So what is forgotten is cut out of its turns wherever it was said, and said again in other words; findings made of
those characters go, and what else was made of them is made anew without it. `plan_cut` says what would go, `cut`
does it.
"""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from holdfast.capture.quote_check import quote_of
from holdfast.capture.restatement import Span, Wording, forget_told, meets, merge_spans, pieces
from holdfast.capture.sessions.summary import sum_up
from holdfast.capture.sessions.threads import files_of, title_of_talk
from holdfast.capture.sessions.voices import demands_like
from holdfast.model.finding import Evidence, Finding
from holdfast.model.ids import fingerprint
from holdfast.model.kinds import BEFORE_EDIT, PERSON_ROLES, TOOL_ROLE
from holdfast.model.memory import Excerpt, Memory, title_of
from holdfast.model.records import Sealed
from holdfast.model.search import Filters
from holdfast.model.session import Turn
from holdfast.model.thread import ThreadStatement
from holdfast.ports import Store
from holdfast.stores.sql.records import mark_of
from holdfast.text.words import terms_of

MASK = "[forgotten]"
MASKED_FROM = 20
"""Shorter contents are not hunted for in turns: masking every "yes" would destroy more than it hides."""

FULL_TURN = 1 << 40
"""A character behind the last one of any turn."""

SLICE = 500
"""Turns asked about at once."""

CANDIDATES = 500
"""Turns that are looked at for other wordings: those that share most of its words."""

Places = dict[str, list[Span]]
"""Characters by turn."""


class CutPlan(Struct, frozen=True):
    """What goes from the evidence with some memories."""

    memories: tuple[Memory, ...]
    made_of: tuple[Finding, ...]
    turns: Mapping[str, Turn]
    spans: Places

    @property
    def excerpts(self) -> tuple[Excerpt, ...]:
        """The words that go, in the order they were said."""
        return tuple(
            Excerpt(session=turn.session, turn=turn.id, role=turn.role, text=turn.text[start:end])
            for turn in self.turns.values()
            for start, end in self.spans[turn.id]
        )


class CutReport(Struct, frozen=True):
    """What was taken out of the evidence."""

    turns: int
    excerpts: tuple[Excerpt, ...] = ()
    fingerprints: tuple[str, ...] = ()
    """Of what went and said it in other words: it must not be found again."""


def plan_cut(store: Store, memories: Sequence[Memory]) -> CutPlan:
    """Say which words of turns go with memories, and which findings were made of them."""
    wording = Wording(memory.content for memory in memories)
    made_of = _unique(
        [
            *store.findings.behind([memory.id for memory in memories]),
            *store.findings.saying([memory.fingerprint for memory in memories]),
        ]
    )
    spans = _spans(store, made_of, [text for memory in memories for text in _texts(memory)])
    _add(spans, _restatements(store, wording, {memory.id for memory in memories}))
    alike = [finding for finding in demands_like(store, wording.texts) if not _overlaps(finding, spans)]
    _add(spans, _places(alike))
    ordered_turns = sorted(store.turns.get(sorted(spans)), key=lambda turn: (turn.at, turn.text, turn.id))
    turns = {turn.id: turn for turn in ordered_turns}
    return CutPlan(tuple(memories), (*made_of, *alike), turns, {turn: spans[turn] for turn in turns})


def _add(spans: Places, more: Places) -> None:
    for turn, new_spans in more.items():
        spans[turn] = merge_spans([*spans.get(turn, []), *new_spans])


def cut(store: Store, plan: CutPlan) -> CutReport:
    """Take the words of memories out of turns, findings, summaries and of what was made of those findings."""
    touched_findings = store.findings.from_turns(list(plan.spans))
    removed_findings = _unique(
        [*plan.made_of, *(finding for finding in touched_findings if _overlaps(finding, plan.spans))]
    )
    words = [memory.content for memory in plan.memories] + [excerpt.text for excerpt in plan.excerpts]
    for turn in plan.turns.values():
        store.turns.replace(replace(turn, text=mask_spans(turn.text, plan.spans[turn.id])))
    _move(store, [finding for finding in touched_findings if finding not in removed_findings], plan.spans)
    _rewrite(
        store,
        {finding.memory for finding in removed_findings if finding.memory}
        - {memory.id for memory in plan.memories},
        words,
    )
    store.findings.delete([finding.id for finding in removed_findings])
    _cut_threads(store, plan.spans)
    finding_ids = {finding.id for finding in removed_findings}
    forget_told(store, {memory.id for memory in plan.memories} | plan.turns.keys() | finding_ids, words)
    _sum_up_anew(
        store,
        {*(finding.session for finding in removed_findings), *(turn.session for turn in plan.turns.values())},
    )
    own_fingerprints = {memory.fingerprint for memory in plan.memories}
    prints = dict.fromkeys([*(finding.fingerprint for finding in removed_findings), *_prints(plan.excerpts)])
    return CutReport(
        len(plan.turns), plan.excerpts, tuple(mark for mark in prints if mark not in own_fingerprints)
    )


def plan_marked(turns: Sequence[Turn], tombstones: Sealed) -> CutPlan:
    """Say which words of turns were forgotten, known by the marks alone: word for word, sentence by sentence."""
    spans_by_turn: Places = {}
    for turn in turns:
        spans = [
            (a, b)
            for a, b in pieces(turn.text)
            if mark_of(tombstones.key, fingerprint(turn.text[a:b])) in tombstones.marks
        ]
        if spans:
            spans_by_turn[turn.id] = merge_spans(spans)
    return CutPlan((), (), {turn.id: turn for turn in turns if turn.id in spans_by_turn}, spans_by_turn)


def _prints(excerpts: Iterable[Excerpt]) -> list[str]:
    """Return the fingerprints of excerpts as a whole and of what `pieces` takes them apart into."""
    texts = [excerpt.text for excerpt in excerpts]
    return [fingerprint(text) for text in texts] + [
        fingerprint(text[start:end]) for text in texts for start, end in pieces(text)
    ]


def holds_persons_words(plan: CutPlan) -> bool:
    """Say whether forgetting would cut something out of what a person said in a session."""
    return any(turn.role.lower() in PERSON_ROLES for turn in plan.turns.values())


def derived_memories(store: Store, session_id: str) -> list[Memory]:
    """Return the memories that what was said in a session became, by whichever of its forks."""
    ids = [turn.id for turn in store.turns.of(session_id)]
    return store.memories.get(sorted({finding.memory for finding in _from(store, ids) if finding.memory}))


def uproot(store: Store, turns: Sequence[str]) -> None:
    """Remove every finding that was read from these turns, and sum up anew the sessions that had it."""
    removed_findings = _from(store, turns)
    store.findings.delete([finding.id for finding in removed_findings])
    _cut_threads(store, {turn: [(0, FULL_TURN)] for turn in turns})
    _sum_up_anew(store, {finding.session for finding in removed_findings})


def _from(store: Store, turns: Sequence[str]) -> list[Finding]:
    slices = (turns[start : start + SLICE] for start in range(0, len(turns), SLICE))
    return _unique(finding for turn_slice in slices for finding in store.findings.from_turns(turn_slice))


def mask_spans(text: str, spans: Iterable[Span]) -> str:
    """Put the mask in place of these characters."""
    parts, position = [], 0
    for start, end in spans:
        parts += [text[position:start], MASK]
        position = end
    return "".join((*parts, text[position:]))


def _restatements(store: Store, wording: Wording, forgotten_ids: set[str]) -> Places:
    """Return where turns say it in other words, but for the words that another memory rests on."""
    terms = terms_of(" ".join(wording.texts)) if wording else ()
    candidates = store.turns.match(terms, Filters(), CANDIDATES).candidates if terms else ()
    turns = store.turns.get([candidate.id for candidate in candidates])
    spans_by_turn = {
        turn.id: spans
        for turn in turns
        if (spans := wording.spans(turn.text, loosely=turn.tool is None and turn.role.lower() != TOOL_ROLE))
    }
    other_findings = [
        finding
        for finding in _from(store, list(spans_by_turn))
        if finding.memory and finding.memory not in forgotten_ids
    ]
    protected_spans = _places(other_findings)
    free = {
        turn: [span for span in spans if not meets(span, protected_spans.get(turn, []))]
        for turn, spans in spans_by_turn.items()
    }
    return {turn: spans for turn, spans in free.items() if spans}


def _places(findings: Iterable[Finding]) -> Places:
    """Return the characters that findings were read from."""
    places: Places = {}
    for place in (place for finding in findings for place in finding.evidence):
        places.setdefault(place.turn, []).append((place.start, place.end))
    return places


def _spans(store: Store, findings: Sequence[Finding], contents: Sequence[str]) -> Places:
    """Return the characters to mask by turn: where findings were read, and wherever a content stands literally."""
    places = _places(findings)
    for content in contents:
        if len(content) >= MASKED_FROM:
            for turn in store.turns.containing(content):
                places.setdefault(turn.id, []).extend(_occurrences(turn, content))
    return {turn: merge_spans(spans) for turn, spans in places.items()}


def _texts(memory: Memory) -> list[str]:
    """Return what of a memory is hunted for in turns: what it says, and the words that it rests on."""
    quote = quote_of(memory)
    return [memory.content, *([quote] if quote else [])]


def _occurrences(turn: Turn, content: str) -> Iterable[Span]:
    start = turn.text.find(content)
    while start >= 0:
        yield start, start + len(content)
        start = turn.text.find(content, start + len(content))


def _overlaps(finding: Finding, spans: Places) -> bool:
    return any(meets((place.start, place.end), spans.get(place.turn, [])) for place in finding.evidence)


def _move(store: Store, findings: Sequence[Finding], spans: Places) -> None:
    """Let findings point to where their words stand now that others before them are gone."""
    moved_findings = [
        replace(finding, evidence=tuple(_shift(place, spans) for place in finding.evidence))
        for finding in findings
    ]
    store.findings.put([after for before, after in zip(findings, moved_findings, strict=True) if before != after])


def _shift(place: Evidence, spans: Places) -> Evidence:
    by = sum(len(MASK) - (end - start) for start, end in spans.get(place.turn, []) if end <= place.start)
    return replace(place, start=place.start + by, end=place.end + by)


def _rewrite(store: Store, ids: set[str], words: Sequence[str]) -> None:
    """Take the words out of other memories that were made of the same characters."""
    for memory in store.memories.get(sorted(ids)):
        content = memory.content
        for word in words:
            content = content.replace(" ".join(word.split()), MASK)
        if content != memory.content and not store.memories.saying(memory.project, [fingerprint(content)]):
            metadata = {key: value for key, value in memory.metadata.items() if key != BEFORE_EDIT}
            store.memories.replace(
                replace(
                    memory,
                    content=content,
                    title=title_of(content),
                    fingerprint=fingerprint(content),
                    metadata=metadata,
                )
            )


def _cut_threads(store: Store, spans: Places) -> None:
    """Take statements whose words are gone out of threads, move the others, and title the threads anew."""
    of_turns = store.threads.of_turns(list(spans))
    changed = []
    for thread in store.threads.get(list(dict.fromkeys(of_turns.values()))):
        turns = store.turns.of(thread.session) if thread.session else []
        its = store.threads.of_turns([turn.id for turn in turns])
        said = [turn for turn in turns if its.get(turn.id) == thread.id]
        standing = [
            one
            for one in thread.statements
            if one.turn is None or not meets((one.start, one.end), spans.get(one.turn, []))
        ]
        statements = tuple(one if one.turn is None else _moved(one, one.turn, spans) for one in standing)
        changed.append(replace(thread, statements=statements, title=title_of_talk(said), files=files_of(said)))
    store.threads.put(changed)


def _moved(statement: ThreadStatement, turn: str, spans: Places) -> ThreadStatement:
    place = _shift(Evidence(turn=turn, start=statement.start, end=statement.end), spans)
    return replace(statement, start=place.start, end=place.end)


def _sum_up_anew(store: Store, session_ids: Iterable[str]) -> None:
    for session_id in sorted(session_ids):
        session = store.sessions.get(session_id)
        if session and session.summary:
            store.sessions.replace(replace(session, summary=sum_up(store, session)))


def _unique(findings: Iterable[Finding]) -> list[Finding]:
    return list({finding.id: finding for finding in findings}.values())
