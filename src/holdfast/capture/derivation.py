"""Following what was derived from what, to take it back: turn → finding → memory, and from findings to summaries.

A finding knows the characters it was read from and the memory it became; a fork's copies name the same characters.
So what is forgotten is cut out of its turns wherever it was said, findings made of those characters go, and what
else was made of them is made anew without it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from holdfast.capture.fingerprint import fingerprint
from holdfast.capture.noted import quote_of
from holdfast.capture.sum_up import sum_up
from holdfast.model.finding import Evidence, Finding
from holdfast.model.kinds import BEFORE_EDIT, PERSON_ROLES
from holdfast.model.memory import Memory
from holdfast.model.session import Turn
from holdfast.model.title import title_of
from holdfast.ports import Store

MASK = "[forgotten]"
MASKED_FROM = 20
"""Shorter contents are not hunted for in turns: masking every "yes" would destroy more than it hides."""

SLICE = 500
"""Turns asked about at once."""

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Cut:
    """What was taken out of the evidence."""

    turns: int
    fingerprints: tuple[str, ...] = ()
    """Of findings that went and said it in other words: they must not be found again."""


def cut_out(store: Store, memories: Sequence[Memory]) -> Cut:
    """Take the words of memories out of turns, findings, summaries and of what was made of those findings."""
    made_of = _unique(
        [
            *store.findings.behind([memory.id for memory in memories]),
            *store.findings.saying([memory.fingerprint for memory in memories]),
        ]
    )
    spans = _spans(store, made_of, [text for memory in memories for text in _texts(memory)])
    touched = store.findings.from_turns(list(spans))
    gone = _unique([*made_of, *(one for one in touched if _overlaps(one, spans))])
    turns = {turn.id: turn for turn in store.turns.get(list(spans))}
    words = [memory.content for memory in memories] + [
        turn.text[start:end] for turn in turns.values() for start, end in spans[turn.id]
    ]
    for turn in turns.values():
        store.turns.replace(replace(turn, text=masked(turn.text, spans[turn.id])))
    _move(store, [one for one in touched if one not in gone], spans)
    _rewrite(store, {one.memory for one in gone if one.memory} - {memory.id for memory in memories}, words)
    store.findings.delete([finding.id for finding in gone])
    _sum_up_anew(store, {*(one.session for one in gone), *(turn.session for turn in turns.values())})
    said = {memory.fingerprint for memory in memories}
    return Cut(len(turns), tuple(one.fingerprint for one in made_of if one.fingerprint not in said))


def holds_persons_words(store: Store, memory: Memory) -> bool:
    """Say whether forgetting a memory would cut something out of what a person said in a session."""
    made_of = [*store.findings.behind([memory.id]), *store.findings.saying([memory.fingerprint])]
    spans = _spans(store, made_of, _texts(memory))
    return any(turn.role.lower() in PERSON_ROLES for turn in store.turns.get(list(spans)))


def derived_memories(store: Store, session_id: str) -> list[Memory]:
    """Return the memories that what was said in a session became, by whichever of its forks."""
    ids = [turn.id for turn in store.turns.of(session_id)]
    return store.memories.get(sorted({one.memory for one in _from(store, ids) if one.memory}))


def uproot(store: Store, turns: Sequence[str]) -> None:
    """Remove every finding that was read from these turns, and sum up anew the sessions that had it."""
    gone = _from(store, turns)
    store.findings.delete([finding.id for finding in gone])
    _sum_up_anew(store, {finding.session for finding in gone})


def _from(store: Store, turns: Sequence[str]) -> list[Finding]:
    slices = (turns[start : start + SLICE] for start in range(0, len(turns), SLICE))
    return _unique(finding for some in slices for finding in store.findings.from_turns(some))


def masked(text: str, spans: Iterable[Span]) -> str:
    """Put the mask in place of these characters."""
    kept, position = [], 0
    for start, end in spans:
        kept += [text[position:start], MASK]
        position = end
    return "".join((*kept, text[position:]))


def _spans(store: Store, findings: Sequence[Finding], contents: Sequence[str]) -> dict[str, list[Span]]:
    """Return the characters to mask by turn: where findings were read, and wherever a content stands literally."""
    places: dict[str, list[Span]] = {}
    for place in (place for finding in findings for place in finding.evidence):
        places.setdefault(place.turn, []).append((place.start, place.end))
    for content in contents:
        if len(content) >= MASKED_FROM:
            for turn in store.turns.containing(content):
                places.setdefault(turn.id, []).extend(_occurrences(turn, content))
    return {turn: _merged(spans) for turn, spans in places.items()}


def _texts(memory: Memory) -> list[str]:
    """Return what of a memory is hunted for in turns: what it says, and the words that it rests on."""
    quote = quote_of(memory)
    return [memory.content, *([quote] if quote else [])]


def _occurrences(turn: Turn, content: str) -> Iterable[Span]:
    start = turn.text.find(content)
    while start >= 0:
        yield start, start + len(content)
        start = turn.text.find(content, start + len(content))


def _merged(spans: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _overlaps(finding: Finding, spans: dict[str, list[Span]]) -> bool:
    return any(
        start < place.end and place.start < end
        for place in finding.evidence
        for start, end in spans.get(place.turn, [])
    )


def _move(store: Store, findings: Sequence[Finding], spans: dict[str, list[Span]]) -> None:
    """Let findings point to where their words stand now that others before them are gone."""
    moved = [replace(one, evidence=tuple(_shifted(place, spans) for place in one.evidence)) for one in findings]
    store.findings.put([after for before, after in zip(findings, moved, strict=True) if before != after])


def _shifted(place: Evidence, spans: dict[str, list[Span]]) -> Evidence:
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


def _sum_up_anew(store: Store, session_ids: Iterable[str]) -> None:
    for session_id in sorted(session_ids):
        session = store.sessions.get(session_id)
        if session and session.summary:
            store.sessions.replace(replace(session, summary=sum_up(store, session)))


def _unique(findings: Iterable[Finding]) -> list[Finding]:
    return list({finding.id: finding for finding in findings}.values())
