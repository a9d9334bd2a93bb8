"""Threads that a prompt is about: how much of each fits, and the statements of it that can be told.

A statement fits by its own words and meaning, by its thread's (the prompt's words that its turns hold together,
and its nearest turn) and by how surely it lasts. What was replaced, or is no memory any more, is left out.
Must not live here: how a session is cut (`capture.sessions.threads`), and how many threads are told (`choose`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from holdfast.model.kinds import PINNED, TOOL_ROLES, USER
from holdfast.model.memory import Memory
from holdfast.model.search import Filters, Term
from holdfast.model.session import Turn
from holdfast.model.thread import Thread, ThreadStatement
from holdfast.model.vectors import TURN
from holdfast.recall.brief.relevance import (
    WORK,
    Floors,
    WordWeights,
    cosines_of,
    question_vector,
    talk_relevance,
    vector_for,
)
from holdfast.recall.stand_ins import widely
from holdfast.text.sentences import sentences
from holdfast.text.words import terms_of

if TYPE_CHECKING:
    from holdfast.ports import Store, Threads, Vector

POSTINGS = 1_000
"""Index entries read for one prompt: past it only its rarer words are looked for."""

POOL = 60
"""Turns taken by words."""

NEAREST_TURNS = 120
"""Turns taken by meaning; half of them are tools' and fall away."""

LOOKED_AT = 12
"""Threads whose statements are read."""

STATEMENT_CHARS, SUMMARY_CHARS = 420, 1_000
"""Characters that are told of one statement of a person's, and of a summary."""

WHOLE = 0.5
"""What a thread's own relevance adds to that of each of its statements."""

SURENESS = 0.3
"""What a statement counts that hardly lasts; its probability of lasting is added."""

FURTHER, ADDED = 0.1, 4
"""What so many further statements of a thread add to how well it fits."""

ENCODED = 24
"""Statements whose own meaning is compared with the prompt's."""

UNKNOWN_NEARNESS = 0.25
"""What meaning counts as where it is not known."""

NAMED = 2.0
"""What a statement's fit is multiplied by where it speaks of the very function or file that a prompt names."""


class BriefSearch(Struct, frozen=True):
    """What is looked for, and how far: the same for memories and for talk."""

    terms: Sequence[Term]
    vector: Vector | None = None
    aliases: Mapping[str, Sequence[str]] = field(default_factory=dict)
    but: frozenset[str] = frozenset()
    """Sessions that do not count: the one that asks."""
    names: frozenset[str] = frozenset()
    """The functions and files that the prompt names."""
    floors: Floors = WORK
    """The relevance from which on anything is told."""
    most: int = 500


class ToldStatement(Struct, frozen=True):
    """A statement with its words, and how well they fit a prompt."""

    id: str
    """The memory that it is, else the turn that says it."""
    text: str
    at: int
    lasts: float
    trust: str
    source: Memory | Turn
    turn: str | None = None
    """The turn that says it."""
    fit: float = 0.0
    """How much it has to do with a prompt, with its thread and with how surely it lasts."""


class RelevantThread(Struct, frozen=True):
    """A thread with the statements that can be told of it."""

    thread: Thread
    statements: tuple[ToldStatement, ...]

    @property
    def best(self) -> ToldStatement:
        """The statement that fits best."""
        return max(self.statements, key=lambda statement: statement.fit)

    @property
    def fit(self) -> float:
        """How well the thread fits as a whole: by its best statement, and more where others fit, too."""
        lesser_fits = sorted((statement.fit for statement in self.statements), reverse=True)[1 : 1 + ADDED]
        return round(self.best.fit + FURTHER * sum(lesser_fits), 4)


class _Fit(Struct):
    """What of a thread was found: the words that its turns hold together, and its nearest turn."""

    frequencies: list[float]
    cosine: float | None = None

    def add(self, frequencies: Sequence[float], cosine: float | None) -> None:
        """Count a turn in."""
        self.frequencies = [sum(pair) for pair in zip(self.frequencies, frequencies, strict=True)]
        if cosine is not None:
            self.cosine = cosine if self.cosine is None else max(self.cosine, cosine)


def find_threads(search: BriefSearch, store: Store, now: int) -> list[RelevantThread]:
    """Return the threads that fit a prompt best and have something to tell, best first."""
    search = replace(search, vector=vector_for(store, search.vector))
    matches = widely(
        lambda terms: store.turns.match(terms, Filters(said=True), min(POOL, search.most), POSTINGS),
        search.terms,
        search.aliases,
    )
    weights = WordWeights.of(search.terms, [matches])
    frequencies = {candidate.id: candidate.frequencies for candidate in matches.candidates}
    silent = (0.0,) * len(matches.document_frequencies)
    cosines = cosines_of(TURN, search.vector, store, Filters(), NEAREST_TURNS, list(frequencies))
    fits: dict[str, _Fit] = {}
    for turn_id, thread_id in _threads_of([*frequencies, *cosines], search.but, store).items():
        fit = fits.setdefault(thread_id, _Fit([0.0] * len(weights.shares)))
        fit.add(frequencies.get(turn_id, silent), cosines.get(turn_id))
    relevance = {
        thread_id: talk_relevance(weights.held(fit.frequencies), fit.cosine) for thread_id, fit in fits.items()
    }
    best = sorted(relevance, key=lambda thread_id: -relevance[thread_id])[:LOOKED_AT]
    chains = _chains(store.threads.get(best), store)
    turns, memories = rows_of([thread for chain in chains for thread in chain], store, now)
    relevant_threads = [
        RelevantThread(chain[-1], statements)
        for chain in chains
        if (statements := _rate_statements(chain, relevance, turns, memories, cosines, weights, search))
    ]
    return _by_meaning(relevant_threads, search)


def _rate_statements(
    chain: Sequence[Thread],
    relevance: Mapping[str, float],
    turns: Mapping[str, Turn],
    memories: Mapping[str, Memory],
    cosines: Mapping[str, float],
    weights: WordWeights,
    search: BriefSearch,
) -> tuple[ToldStatement, ...]:
    """Return what can be told of a chain of threads, each statement with how well it fits by words and turn."""
    whole = WHOLE * max(relevance.get(thread.id, 0.0) for thread in chain)
    shares = {term.stem: share for term, share in zip(search.terms, weights.shares, strict=True)}
    statements = []
    for record, statement in told_statements(chain, turns, memories):
        words = sum(shares.get(term.stem, 0.0) for term in terms_of(statement.text)) / 2
        own = talk_relevance(words, cosines.get(record.turn or ""))
        is_named = any(name in statement.text.lower() for name in search.names)
        statements.append(
            replace(statement, fit=(own + whole) * (SURENESS + statement.lasts) * (NAMED if is_named else 1.0))
        )
    return tuple(statements)


def _by_meaning(relevant_threads: Sequence[RelevantThread], search: BriefSearch) -> list[RelevantThread]:
    """Rate the best statements by their own meaning, too; threads come best first."""
    if search.vector is None:
        relevant_threads = [_nearer(thread, {}, UNKNOWN_NEARNESS) for thread in relevant_threads]
    else:
        best = sorted(
            (statement for thread in relevant_threads for statement in thread.statements),
            key=lambda statement: -statement.fit,
        )[:ENCODED]
        nearness = {id(statement): max(0.0, _cosine(search.vector, statement.text)) for statement in best}
        relevant_threads = [_nearer(thread, nearness, 0.0) for thread in relevant_threads]
    return sorted(relevant_threads, key=lambda thread: -thread.fit)


def _nearer(thread: RelevantThread, nearness: Mapping[int, float], else_near: float) -> RelevantThread:
    """Return a thread whose statements fit better by how near they are."""
    return replace(
        thread,
        statements=tuple(
            replace(
                statement,
                fit=statement.fit + nearness.get(id(statement), else_near) * (SURENESS + statement.lasts),
            )
            for statement in thread.statements
        ),
    )


def _cosine(vector: Vector, text: str) -> float:
    return float(sum(first * second for first, second in zip(vector, question_vector(text), strict=True)))


def _chains(threads: Sequence[Thread], store: Store) -> list[list[Thread]]:
    """Put threads together with those that amended them, in order: what holds of the older one comes first."""
    threads_by_id = {thread.id: thread for thread in threads}
    frontier = list(threads)
    while frontier:
        later = {
            statement.replaced_by
            for thread in frontier
            for statement in thread.statements
            if statement.replaced_by
        } - threads_by_id.keys()
        frontier = store.threads.get(sorted(later))
        threads_by_id |= {thread.id: thread for thread in frontier}
    head = {thread_id: thread_id for thread_id in threads_by_id}
    for thread in sorted(threads_by_id.values(), key=lambda thread: thread.at):
        for statement in thread.statements:
            if statement.replaced_by in threads_by_id:
                old, new = head[thread.id], head[statement.replaced_by]
                head = {thread_id: new if its == old else its for thread_id, its in head.items()}
    chains: dict[str, list[Thread]] = {}
    for thread in sorted(threads_by_id.values(), key=lambda thread: thread.at):
        chains.setdefault(head[thread.id], []).append(thread)
    return list(chains.values())


def _threads_of(turn_ids: Sequence[str], but: Collection[str], store: Store) -> dict[str, str]:
    """Return the threads of turns that somebody said, but for some sessions'."""
    said_ids = [
        place.id
        for place in store.turns.places(list(dict.fromkeys(turn_ids)))
        if place.role.lower() not in TOOL_ROLES and place.session not in but
    ]
    return dict(store.threads.of_turns(said_ids))


def replaced_memories(memories: Sequence[Memory], threads: Threads) -> set[str]:
    """Return the memories in whose place a later thread's statement stands; a pinned one is told all the same."""
    ids = [memory.id for memory in memories if memory.status != PINNED]
    homes = threads.get(list(dict.fromkeys(threads.of_memories(ids).values())))
    replaced_ids = {
        statement.memory for thread in homes for statement in thread.statements if statement.replaced_by
    }
    return {memory_id for memory_id in ids if memory_id in replaced_ids}


def rows_of(threads: Sequence[Thread], store: Store, now: int) -> tuple[dict[str, Turn], dict[str, Memory]]:
    """Return the turns of statements, and the memories among them that hold."""
    standing = [statement for thread in threads for statement in thread.standing]
    turns = store.turns.get(list(dict.fromkeys(statement.turn for statement in standing if statement.turn)))
    memories = store.memories.get(
        list(dict.fromkeys(statement.memory for statement in standing if statement.memory))
    )
    holding = {memory.id: memory for memory in memories if memory.current(now)}
    return {turn.id: turn for turn in turns}, holding


def told_statements(
    chain: Sequence[Thread], turns: Mapping[str, Turn], memories: Mapping[str, Memory]
) -> Iterator[tuple[ThreadStatement, ToldStatement]]:
    """Yield the statements of threads that stand, with their words as they are today; what is gone is left out."""
    for statement in (statement for thread in chain for statement in thread.standing):
        turn = turns.get(statement.turn or "")
        if statement.memory is not None:
            memory = memories.get(statement.memory)
            if memory is not None:
                at = turn.at if turn else memory.created_at
                yield (
                    statement,
                    ToldStatement(
                        memory.id, memory.content, at, statement.lasts, memory.trust, memory, statement.turn
                    ),
                )
        elif turn is not None:
            most = STATEMENT_CHARS if statement.trust == USER else SUMMARY_CHARS
            text = _prose(turn.text[statement.start : statement.end], most)
            if text:
                yield (
                    statement,
                    ToldStatement(turn.id, text, turn.at, statement.lasts, statement.trust, turn, statement.turn),
                )


def _prose(text: str, most: int) -> str:
    """Return a text on one line; of a long one its first whole sentences, without what it shows."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    line_text = ""
    for piece in sentences(text):
        if len(line_text) + len(piece.text) > most:
            break
        line_text += f" {piece.text}"
    return line_text.strip() or line[:most].rpartition(" ")[0]
