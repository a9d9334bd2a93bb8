"""Rows and their scores become hits: what a caller sees, and of what was said only what no memory tells.

The same is told once, and what holds now comes first: a rule that was given up leaves default search as a
memory, but its words are still there as a turn, and would answer "which style do we use?" with the old one. A
long text is shown by its best excerpt.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, TypedDict

from msgspec.structs import replace

from holdfast.model.finding import RETRACTED, Finding
from holdfast.model.memory import Memory, title_of
from holdfast.model.search import Hit, Term
from holdfast.model.session import Session, Turn
from holdfast.recall.brief.weights import turn_trust
from holdfast.recall.rating import Rating
from holdfast.stores.analyser import words

if TYPE_CHECKING:
    from holdfast.ports import Store


class _RatedFields(TypedDict):
    """What every hit shows of how it was found."""

    score: float
    why: dict[str, float]
    snippet: str


BEHIND = 0.001
"""How far an outdated turn stays behind what took its place."""

LONGEST_CHAIN = 20
"""Memories that took each other's place, one after another, that are followed."""


def memory_hit(memory: Memory, rating: Rating, terms: Sequence[Term]) -> Hit:
    """Show a memory."""
    return Hit(
        id=memory.id,
        ref=None,
        session=memory.session,
        title=memory.title,
        kind=memory.kind,
        created_at=memory.created_at,
        source=memory.source,
        trust=memory.trust,
        status=memory.status,
        file=memory.files[0] if memory.files else None,
        **_rated_fields(rating, memory.content, terms),
    )


def turn_hit(turn: Turn, rating: Rating, terms: Sequence[Term]) -> Hit:
    """Show a turn; who spoke decides its trust."""
    return Hit(
        id=turn.id,
        ref=turn.ref,
        session=turn.session,
        title=title_of(turn.text),
        kind="turn",
        created_at=turn.at,
        source=turn.role,
        trust=turn_trust(turn),
        status=None,
        file=turn.files[0] if turn.files else None,
        **_rated_fields(rating, turn.text, terms),
    )


def session_hit(session: Session, rating: Rating, terms: Sequence[Term]) -> Hit:
    """Show a session."""
    return Hit(
        id=session.id,
        ref=session.ref,
        session=session.id,
        title=title_of(session.summary) or f"{session.agent} session",
        kind="session",
        created_at=session.started_at,
        source=session.agent,
        trust="agent",
        status=session.status,
        **_rated_fields(rating, session.summary, terms),
    )


def _rated_fields(rating: Rating, text: str, terms: Sequence[Term]) -> _RatedFields:
    """Return what every hit shows of how it was found."""
    why = {name: round(value, 4) for name, value in rating.why.items()}
    return {"score": round(rating.score, 4), "why": why, "snippet": snippet(text, terms)}


def with_threads(hits: Sequence[Hit], stores: Sequence[Store]) -> list[Hit]:
    """Return hits with the titles of the threads that they are from."""
    turn_ids = [hit.id for hit in hits if hit.kind == "turn"]
    memory_ids = [hit.id for hit in hits if hit.kind not in ("turn", "session")]
    titles_by_hit: dict[str, str] = {}
    for store in stores:
        home = {**store.threads.of_turns(turn_ids), **store.threads.of_memories(memory_ids)}
        titles = {thread.id: thread.title for thread in store.threads.get(list(dict.fromkeys(home.values())))}
        titles_by_hit |= {hit_id: titles[thread_id] for hit_id, thread_id in home.items()}
    return [replace(hit, thread=titles_by_hit.get(hit.id)) for hit in hits]


def beside_memories(turns: Sequence[Hit], memories: Sequence[Hit], store: Store, now: int | None) -> list[Hit]:
    """Return the turns that say something beside these memories, best first.

    A turn whose words a memory has is left out. One none of whose memories holds any more (superseded, taken back,
    expired by `now`) comes after what took their place; where nothing did, or that was not found, it is left out.
    """
    findings = store.findings.from_turns([hit.id for hit in turns])
    made_of = _memories_of(findings, store)
    taken_back = {finding.turn for finding in findings if RETRACTED in finding.signals} - made_of.keys()
    hits_by_id = {hit.id: hit for hit in memories}
    placed_turns = [
        _placed(hit, made_of.get(hit.id, ()), hits_by_id, store, now or 0)
        for hit in turns
        if hit.id not in taken_back
    ]
    return sorted((hit for hit in placed_turns if hit), key=lambda hit: -hit.score)


def _memories_of(findings: Sequence[Finding], store: Store) -> Mapping[str, list[Memory]]:
    """Return the memories that were made of each turn."""
    ids = {finding.memory for finding in findings if finding.memory}
    memories = {memory.id: memory for memory in store.memories.get(list(ids))}
    made_of: dict[str, list[Memory]] = {}
    for finding in findings:
        if memory := memories.get(finding.memory or ""):
            made_of.setdefault(finding.turn, []).append(memory)
    return made_of


def _placed(
    turn: Hit, made_of: Sequence[Memory], hits_by_id: Mapping[str, Hit], store: Store, now: int
) -> Hit | None:
    if any(_same_words(turn, hits_by_id.get(memory.id)) for memory in made_of):
        return None
    if not made_of or any(memory.holds(now) for memory in made_of):
        return turn
    successors = [
        hits_by_id[memory_id]
        for memory_id in (_current(memory, store) for memory in made_of)
        if memory_id in hits_by_id
    ]
    if not successors:
        return None
    return _behind(turn, min(hit.score for hit in successors) - BEHIND)


def _same_words(turn: Hit, memory: Hit | None) -> bool:
    """Say whether a memory shows all that a turn says; a longer one may say more."""
    return memory is not None and memory.snippet == turn.snippet and GAP not in turn.snippet


def _current(memory: Memory, store: Store) -> str:
    """Return the id of what holds in a memory's place."""
    for _ in range(LONGEST_CHAIN):
        following = store.memories.get([memory.superseded_by]) if memory.superseded_by else []
        if not following:
            break
        [memory] = following
    return memory.id


def _behind(turn: Hit, most: float) -> Hit:
    """Return a turn that scores no more than this; `why` says that it is outdated, and what it lost by that."""
    score = min(turn.score, most)
    return replace(turn, score=score, why={**turn.why, "outdated": score - turn.score})


CHARS = 160
"""Characters of a snippet, marks and dots aside."""

READ = 20_000
"""Characters of a text that are looked at."""

PLACES = 200
"""Words of a text that are looked at because they begin as a term does."""

MARK = "**"
GAP = "…"
_BEFORE = CHARS // 4
"""Characters shown before the first marked word, at least where there are so many."""

_LEAD = 4
"""Letters that a word shares with its stem: endings change, beginnings do not."""

_WHITE = re.compile(r"\s+")
_BOLD = re.compile(r"(?<!\w)\*\*(?=\S)([^*]+?)(?<=\S)\*\*(?!\w)")
"""Words that the text itself has in bold; `src/**/*.py` and `f(**options)` are none."""

Place = tuple[int, int, str]
"""Where a word begins and ends, and the stem that it is a form of."""


def snippet(text: str, terms: Sequence[Term], most: int = CHARS) -> str:
    """Return the part of a text that holds most of the terms, each marked; its beginning where it holds none."""
    flat = _WHITE.sub(" ", _BOLD.sub(r"\1", text[:READ])).strip()
    places = list(islice(_places(flat, {term.stem for term in terms}), PLACES))
    start, end = _window(flat, places, most)
    whole = end >= len(flat) and len(text) <= READ
    return ("" if start == 0 else GAP) + _marked(flat, start, end, places).strip() + ("" if whole else GAP)


def _places(text: str, stems: set[str]) -> Iterator[Place]:
    """Find the words that are a form of a stem, or that have one as a part."""
    if not stems:
        return
    for match in _leads(frozenset(stems)).finditer(text):
        start = _word_start(text, match.start())
        stem = next((form for _, form in words(text[start : match.end()]) if form in stems), None)
        if stem:
            yield start, match.end(), stem


@lru_cache(16)
def _leads(stems: frozenset[str]) -> re.Pattern[str]:
    """Return what words that are a form of a stem, or have one as a part, look like from there on."""
    leads = "|".join(sorted(re.escape(stem[:_LEAD]) for stem in stems))
    return re.compile(rf"(?:{leads})\w*", re.IGNORECASE)


def _word_start(text: str, place: int) -> int:
    """Return where the word begins that this place is in; a pattern that begins with any letters is slow."""
    while place and (text[place - 1].isalnum() or text[place - 1] == "_"):
        place -= 1
    return place


def _window(text: str, places: Sequence[Place], most: int) -> tuple[int, int]:
    """Return where to begin and end, at words' ends: where most different terms stand near each other."""
    if not places or len(text) <= most:
        return 0, _word_end(text, most)
    best = max(places, key=lambda first: _worth(first, places, most))
    start = max(0, min(best[0] - _BEFORE, len(text) - most))
    start = start and (text.find(" ", start, best[0]) + 1 or best[0])
    return start, _word_end(text, start + most)


def _worth(first: Place, places: Sequence[Place], most: int) -> tuple[int, int]:
    """Count the different terms from one on as far as a snippet reaches; of equal places the first counts."""
    reach = first[0] + most - _BEFORE
    return len({stem for start, end, stem in places if first[0] <= start and end <= reach}), -first[0]


def _word_end(text: str, most: int) -> int:
    if len(text) <= most:
        return len(text)
    blank = text.rfind(" ", most - CHARS // 2, most)
    return blank if blank > 0 else most


def _marked(text: str, start: int, end: int, places: Sequence[Place]) -> str:
    parts, last = [], start
    for first, after, _ in places:
        if start <= first and after <= end:
            parts += [text[last:first], MARK, text[first:after], MARK]
            last = after
    return "".join([*parts, text[last:end]])
