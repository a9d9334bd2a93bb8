"""Memories written by hand that a person's later word changes, though no memory says so.

A thread notes them where that word stands: a brief then tells the thread and not the memory, which itself stays as
it is. What learning made a memory of is compared where it is added (`capture.relations`), and shown as a conflict.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from holdfast.capture.relations import announcement, is_rule, takes_the_place
from holdfast.embedding.common_words import idf
from holdfast.judge import Judge
from holdfast.model.kinds import PROMOTED, TOOL, USER
from holdfast.model.memory import Memory
from holdfast.model.search import Filters
from holdfast.model.thread import Thread, ThreadStatement
from holdfast.ports import Store
from holdfast.text.words import terms_of

SOUGHT_BY, LOOKED_AT, POSTINGS = 12, 10, 1_000
"""Words of a statement by which memories are looked for, how many of these are compared, and the index entries
read for them."""


def note_changed(
    threads: Sequence[Thread], texts: Mapping[str, str], store: Store, judge: Judge
) -> tuple[list[Thread], list[Thread]]:
    """Return a session's threads with the memories that they change, and earlier threads with theirs marked.

    A memory that joined an earlier thread is marked there: it is a statement of one thread alone.
    """
    own_session = {thread.session for thread in threads}
    newer_threads: list[Thread] = []
    earlier: dict[str, Thread] = {}
    for thread in threads:
        changes = _changes(thread, texts, store, judge)
        homes = store.threads.get(list(dict.fromkeys(store.threads.of_memories(list(changes)).values())))
        for home in (home for home in homes if home.session not in own_session):
            earlier[home.id] = _with_marked(earlier.get(home.id, home), changes, thread.id)
        joined_ids = {statement.memory for home in earlier.values() for statement in home.statements}
        alone = (change for memory_id, change in changes.items() if memory_id not in joined_ids)
        newer_threads.append(replace(thread, statements=(*thread.statements, *alone)))
    return newer_threads, list(earlier.values())


def _changes(thread: Thread, texts: Mapping[str, str], store: Store, judge: Judge) -> dict[str, ThreadStatement]:
    """Return the memories that a thread changes, each as a statement at the words that do."""
    changes: dict[str, ThreadStatement] = {}
    for statement in thread.standing:
        text = texts.get(statement.turn or "")
        if text is not None and statement.trust == USER and statement.memory is None:
            words = text[statement.start : statement.end]
            for memory in _changed_memories(words, thread.at, store, judge):
                changes[memory.id] = replace(
                    statement, memory=memory.id, trust=memory.trust, replaced_by=thread.id
                )
    return changes


def _changed_memories(words: str, at: int, store: Store, judge: Judge) -> list[Memory]:
    """Return the memories that a person's words replace: they must announce it, and the judge must agree."""
    terms = sorted(terms_of(words), key=lambda term: -idf(term.word.lower()))[:SOUGHT_BY]
    matches = store.memories.match(terms, Filters(current_at=at), LOOKED_AT, POSTINGS)
    older = [
        memory
        for memory in store.memories.get([candidate.id for candidate in matches.candidates])
        if memory.created_at < at
        and memory.trust != TOOL
        and PROMOTED not in memory.sources
        and is_rule(memory)
        and announcement(memory.content, words)
    ]
    relations = judge.relates([(memory.content, words) for memory in older]) if older else []
    return [
        memory
        for memory, relation in zip(older, relations, strict=True)
        if takes_the_place(memory.content, words, relation, noted=True)
    ]


def _with_marked(thread: Thread, changes: Mapping[str, ThreadStatement], newer_id: str) -> Thread:
    statements = (
        replace(statement, replaced_by=newer_id) if statement.memory in changes else statement
        for statement in thread.statements
    )
    return replace(thread, statements=tuple(statements))
