"""A session's talk cut into threads: where the subject changes, with a title and with what was settled, in order.

A person's turn that shares hardly a word with the talk so far, or comes hours later, begins a thread. Its
statements are the session's findings, weaker remarks of the person, and what an agent summed up: an answer that
the person accepted, or one that ends the talk in the person's words. No text is kept but the title, so a thread is
made anew from turns and findings at any time.
Must not live here: what is told of a thread (`recall.brief.threads`).
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from msgspec.structs import replace

from holdfast.capture.sessions.changed_rules import note_changed
from holdfast.capture.sessions.talk import asks, by_person, last_reply, remarks_of, speaker
from holdfast.embedding.common_words import idf
from holdfast.judge import Judge, light_judge
from holdfast.model.finding import ACCEPTED, RETRACTED, RULING, Finding
from holdfast.model.ids import id_from
from holdfast.model.kinds import AGENT, COMPLETED, TOOL, USER
from holdfast.model.limits import NO_LIMIT
from holdfast.model.memory import Memory
from holdfast.model.patterns import regex
from holdfast.model.search import Filters
from holdfast.model.session import Session, Turn
from holdfast.model.thread import TITLE_CHARS, Thread, ThreadStatement
from holdfast.ports import Store
from holdfast.text.names import FILE
from holdfast.text.sentences import sentences
from holdfast.text.words import numbers, terms_of, topic

CUT_TO = "threads_cut_to"
"""Under which name a store remembers how, and up to which session, its threads were cut."""

PAGE = 20
"""Sessions that are cut between two notes of how far that is."""

JOINED_BY, JOINED = 12, 0.6
"""Words of a memory by which its thread is looked for, and the share of a title's words that must be in it."""

VERSION = 1
"""How threads are cut: a store whose threads were cut otherwise is cut again."""

SAME_SUBJECT = 0.2
"""The share of a turn's words that the talk so far must hold for the turn to go on with its subject."""

MOST_FILES = 8
"""Files that a thread names."""

REPLY_CHARS = 600
"""Characters of the answer that say, too, what a turn is about."""

SAME_DIALOGUE = 0.05
"""The same where the agent answered at once, without work in between."""

LEAST_WORDS = 4
"""Telling words without which a turn begins no subject."""

PAUSE_MS = 4 * 3_600_000
"""After so long something else begins."""

SUMMARY_CHARS, ACCEPTED_CHARS = 900, 2_200
"""The longest summary that nobody answers, and the longest that a person accepts."""

SAID_BACK, TALKED_OF = 0.35, 0.4
"""The share of a summary's words that the person used; of an accepted one's that stand anywhere in the talk."""

REMARK_LASTS = 0.06
"""The light judge's probability from which on a sentence that is no finding can be told."""

SUMMARY_LASTS = 0.6
"""What counts for a summary, which the judge is not trained on."""

ACCEPTING_WORDS = 14
"""A turn of more words goes on talking: it accepts nothing."""

RESTATED = 0.65
"""The probability that a later statement repeats or replaces an earlier one, from which on it alone is told: of
two summaries the judge takes the newer one for a repetition even where it changes a value."""

SUBJECT = 0.2
"""The share of an earlier thread's words that a later one must hold to amend it."""

LEAST_SHARED, SHARED = 2, 0.2
"""Words, and the share of its words, that an earlier statement has in common with one that takes its place."""

LOOKED_AT, POSTINGS = 60, 2_000
COMPARED_THREADS, COMPARED = 8, 32
"""Turns, with the index entries read for them, among which earlier threads on the subject are found; how many of
these, and how many pairs of statements, are compared."""

_ACCEPTS = regex(
    r"(?:right|yes|yep|exactly|correct|perfect|that's (?:the|it|right|what)|that\b|agreed|ship it|sounds good|"
    r"fine|works|merged|good|great|nice|leave it|keep it|ok(?:ay)?|done|do that|approved|lgtm|confirmed)\b"
)
_NARRATES = regex(r"\b(?:i'll|i will|i'm|i've|i have|i can|i need|let me|let's|looking at|here's)\b")
_NAME = regex(r"`([\w./-]{3,60})`|\b([a-z]+(?:_[a-z0-9]+)+|[a-z]+[A-Z]\w+|[A-Z][a-z0-9]+[A-Z]\w+)\b")


def cut_session(store: Store, session: Session, judge: Judge) -> None:
    """Cut a session anew, and mark in earlier threads what its statements replace. Reads outside a transaction."""
    turns = store.turns.of(session.id)
    findings = [finding for finding in store.findings.of(session.id, None, NO_LIMIT) if _states(finding)]
    texts = {turn.id: turn.text for turn in turns}
    threads = cut(session, turns, findings, light_judge() or judge)
    amended_threads_by_id = {
        thread.id: thread for newer in threads for thread in _amended_by(newer, texts, store, judge) if thread
    }
    threads, earlier_threads = note_changed(threads, texts, store, judge)
    for thread in earlier_threads:
        amended_threads_by_id[thread.id] = _with_marks(amended_threads_by_id.get(thread.id, thread), thread)
    threads_with_history = _with_histories(store.threads.of(session.id), threads)
    with store.writing():
        store.threads.delete([thread.id for thread in store.threads.of(session.id)])
        store.threads.put([*threads_with_history, *amended_threads_by_id.values()])


def cut_all(store: Store, judge: Judge, most: int) -> int:
    """Cut the sessions that are over and were never cut as today; return how many were, at most so many."""
    progress = str(store.upkeep.fact(CUT_TO) or "")
    version, _, last = progress.partition(" ")
    after = last or None if version == str(VERSION) else None
    count = 0
    while count < most and (page := store.sessions.walk(after, min(PAGE, most - count))):
        for session in page:
            if session.status == COMPLETED and (not store.threads.of(session.id) or version != str(VERSION)):
                cut_session(store, session, judge)
        after, count = page[-1].id, count + len(page)
        with store.writing():
            store.upkeep.note(CUT_TO, f"{VERSION} {after}")
    return count


def join_thread(store: Store, memory: Memory) -> None:
    """Let a memory that was added by hand join the thread about its subject, where there is one.

    Called inside a transaction. Its files or most of a thread's title must be in it; otherwise it stands alone.
    """
    words = topic(f"{memory.title} {memory.content}")
    terms = sorted(terms_of(memory.content), key=lambda term: -idf(term.word.lower()))[:JOINED_BY]
    matches = store.turns.match(terms, Filters(said=True), LOOKED_AT, POSTINGS)
    homes = store.threads.of_turns([candidate.id for candidate in matches.candidates])
    for thread in store.threads.get(list(dict.fromkeys(homes.values()))):
        title = topic(thread.title)
        by_file = bool(set(memory.files) & set(thread.files)) and bool(title & words)
        if thread.standing and (by_file or len(title & words) >= max(2, JOINED * len(title))):
            statement = ThreadStatement(turn=None, trust=memory.trust, memory=memory.id)
            store.threads.put([replace(thread, statements=(*thread.statements, statement))])
            return


def cut(session: Session, turns: Sequence[Turn], findings: Sequence[Finding], light: Judge) -> list[Thread]:
    """Return the threads of a session's turns, those in which nothing was settled too: they end others."""
    spoken_turns = [turn for turn in turns if speaker(turn) != TOOL]
    answers = _direct_answers(turns)
    remarks = _other_remarks(spoken_turns, findings, light)
    return [_thread(session, stretch, findings, answers, remarks) for stretch in _stretches(spoken_turns, answers)]


def _states(finding: Finding) -> bool:
    return finding.kind in RULING and RETRACTED not in finding.signals


def _stretches(turns: Sequence[Turn], answers: frozenset[str]) -> Iterator[list[Turn]]:
    """Yield the turns of one subject after the other."""
    stretch: list[Turn] = []
    words: set[str] = set()
    for place, turn in enumerate(turns):
        if (
            stretch
            and by_person(turn)
            and _begins(turn, stretch[-1], turns[place + 1 : place + 2], words, answers)
        ):
            yield stretch
            stretch, words = [], set()
        stretch.append(turn)
        words |= topic(turn.text)
    if stretch:
        yield stretch


def _begins(turn: Turn, before: Turn, following: Sequence[Turn], words: set[str], answers: frozenset[str]) -> bool:
    """Return whether a person's turn begins another subject; in a dialogue without work hardly one does."""
    own = topic(turn.text)
    if turn.at - before.at > PAUSE_MS:
        return bool(own)
    if len(own) < LEAST_WORDS or asks(before.text):
        return False
    reply = "" if not following or by_person(following[0]) else following[0].text[:REPLY_CHARS]
    about = own | topic(reply)
    share = SAME_DIALOGUE if before.id in answers else SAME_SUBJECT
    return len(about & words) < share * len(about)


def _thread(
    session: Session,
    stretch: Sequence[Turn],
    findings: Sequence[Finding],
    answers: frozenset[str],
    remarks: Sequence[ThreadStatement],
) -> Thread:
    places = {turn.id: place for place, turn in enumerate(stretch)}
    statements = [
        *(statement for finding in findings for statement in _statements_of(finding, places)),
        *(remark for remark in remarks if remark.turn in places),
        *_summaries(stretch, answers),
    ]
    statements.sort(key=lambda statement: (places[statement.turn or ""], statement.start))
    first = stretch[0]
    return Thread(
        id=id_from(first.at, hashlib.sha256(f"thread {session.id} {first.id}".encode()).digest()),
        session=session.id,
        first=first.id,
        title=title_of_talk(stretch),
        at=stretch[-1].at,
        files=files_of(stretch),
        statements=tuple(statements),
    )


def files_of(turns: Sequence[Turn]) -> tuple[str, ...]:
    """Return the files that turns touch, as many as a thread keeps."""
    return tuple(dict.fromkeys(file for turn in turns for file in turn.files))[:MOST_FILES]


def _other_remarks(turns: Sequence[Turn], findings: Sequence[Finding], light: Judge) -> list[ThreadStatement]:
    """Return what persons said that no finding holds and that may be worth telling where a prompt is about it."""
    known_places: dict[str, list[tuple[int, int]]] = {}
    for place in (place for finding in findings for place in finding.evidence):
        known_places.setdefault(place.turn, []).append((place.start, place.end))
    statements: list[ThreadStatement] = []
    for number, turn in enumerate(turns):
        remarks = remarks_of(turn, last_reply(turns[:number])) if by_person(turn) else []
        verdicts = light.lasts([remark.placed for remark in remarks]) if remarks else []
        for remark, verdict in zip(remarks, verdicts, strict=True):
            piece = remark.sentence
            is_known = any(start < piece.end and piece.start < end for start, end in known_places.get(turn.id, ()))
            if (
                verdict.lasts >= REMARK_LASTS
                and not is_known
                and not asks(piece.text)
                and len(topic(piece.text)) >= 2
            ):
                statements.append(
                    ThreadStatement(
                        turn=turn.id, start=piece.start, end=piece.end, lasts=round(verdict.lasts, 3), trust=USER
                    )
                )
    return statements


def _statements_of(finding: Finding, places: dict[str, int]) -> Iterator[ThreadStatement]:
    """Yield where a finding stands in a stretch; of an accepted proposal the agent's words, not the "yes"."""
    accepted = ACCEPTED in finding.signals
    for number, place in enumerate(finding.evidence[:1] if accepted else finding.evidence):
        if place.turn in places:
            yield ThreadStatement(
                turn=place.turn,
                start=place.start,
                end=place.end,
                lasts=finding.confidence,
                trust=AGENT if accepted else USER,
                memory=None if number else finding.memory,
            )


def _summaries(stretch: Sequence[Turn], answers: frozenset[str]) -> Iterator[ThreadStatement]:
    """Yield what an agent summed up and the person took, or left as the end of the talk."""
    of_person: set[str] = set()
    of_all: set[str] = set()
    for place, turn in enumerate(stretch):
        words = topic(turn.text) | numbers(turn.text)
        if by_person(turn):
            of_person |= words
        elif words and _sums_up(stretch, place, _share(words, of_person), _share(words, of_all), answers):
            yield ThreadStatement(turn=turn.id, end=len(turn.text), lasts=SUMMARY_LASTS, trust=AGENT)
        of_all |= words


def _share(words: frozenset[str], other_words: set[str]) -> float:
    return len(words & other_words) / len(words)


def _sums_up(
    stretch: Sequence[Turn], place: int, of_person: float, of_all: float, answers: frozenset[str]
) -> bool:
    turn, following = stretch[place], stretch[place + 1 : place + 2]
    if asks(turn.text) or len(turn.text) > ACCEPTED_CHARS:
        return False
    if following and by_person(following[0]) and _accepts(following[0].text):
        return of_all >= TALKED_OF
    plain = len(turn.text) <= SUMMARY_CHARS and "```" not in turn.text and not turn.text.rstrip().endswith(":")
    return (
        not following
        and plain
        and not asks(stretch[place - 1].text)
        and turn.id in answers
        and of_person >= SAID_BACK
        and not _NARRATES.search(turn.text.lower().replace("’", "'"))
    )


def _accepts(text: str) -> bool:
    short = len(text) <= ACCEPTING_WORDS * 12 and len(text.split()) <= ACCEPTING_WORDS
    return short and "?" not in text and _ACCEPTS.match(text.lower().replace("’", "'")) is not None


def _direct_answers(turns: Sequence[Turn]) -> frozenset[str]:
    """Return the turns of agents that follow a person's at once: what comes after work is a report of it."""
    return frozenset(turn.id for before, turn in pairwise(turns) if by_person(before) and speaker(turn) == AGENT)


def title_of_talk(turns: Sequence[Turn]) -> str:
    """Say what a stretch of talk is about in its own words: names and words that stand out, or a sentence."""
    sayings = [turn for turn in turns if by_person(turn)] or list(turns)
    names = _names(turns)
    pieces = [piece.text for turn in sayings[:3] for piece in sentences(turn.text) if len(topic(piece.text)) >= 2]
    words = _subject_words(sayings)
    lead = ", ".join((*names, *(word for word in words if word not in " ".join(names).lower())))
    return _shortened(lead or (pieces[0] if pieces else "talk"))


def _names(turns: Sequence[Turn]) -> list[str]:
    """Return the identifier or file that people name, or that several turns do."""
    counts: Counter[str] = Counter()
    for turn in turns:
        names = {file.rpartition("/")[2] for file in FILE.findall(turn.text)}
        names |= {first or second for first, second in _NAME.findall(turn.text)}
        weight = 2 if by_person(turn) else 1
        counts.update(dict.fromkeys((name for name in names if len(name) <= 40), weight))
    return [name for name, count in counts.most_common(1) if count >= 2]


def _subject_words(turns: Sequence[Turn]) -> list[str]:
    """Return the words that say most: rare in general, said in several turns."""
    weights: Counter[str] = Counter()
    word_by_stem: dict[str, str] = {}
    for turn in turns:
        for term in terms_of(turn.text[:1_000]):
            if term.stem in topic(turn.text[:1_000]) and len(term.word) > 2 and _is_noun(term.word):
                weights[term.stem] += round(idf(term.word.lower()) * 10)
                word_by_stem.setdefault(term.stem, term.word.lower())
    return [word_by_stem[stem] for stem, _ in weights.most_common(3)]


def _is_noun(word: str) -> bool:
    return word.isalpha() and not word.lower().endswith(("ing", "ed", "ly", "n't"))


def _shortened(text: str) -> str:
    text = " ".join(text.split())
    if len(text) <= TITLE_CHARS:
        return text
    return text[: TITLE_CHARS - 1].rpartition(" ")[0].rstrip(" ,;:") + "…"


def _with_histories(before: Sequence[Thread], threads: Sequence[Thread]) -> list[Thread]:
    """Return threads with the memories that were added to them by hand, and with what was replaced before."""
    threads_by_id = {thread.id: thread for thread in before}
    return [
        _with_history(thread, threads_by_id[thread.id]) if thread.id in threads_by_id else thread
        for thread in threads
    ]


def _with_marks(thread: Thread, marked: Thread) -> Thread:
    """Put both marks of replaced statements on one thread."""
    statements = (
        statement if statement.replaced_by else replace(statement, replaced_by=marked_statement.replaced_by)
        for statement, marked_statement in zip(thread.statements, marked.statements, strict=True)
    )
    return replace(thread, statements=tuple(statements))


def _with_history(thread: Thread, before: Thread) -> Thread:
    replaced_by_place = {
        (old.turn, old.start): old.replaced_by
        for old in before.statements
        if old.replaced_by and old.replaced_by != before.id
    }
    by_hand = tuple(statement for statement in before.statements if statement.turn is None)
    statements = tuple(
        replace(
            statement,
            replaced_by=statement.replaced_by or replaced_by_place.get((statement.turn, statement.start)),
        )
        for statement in thread.statements
    )
    return replace(thread, statements=(*statements, *by_hand))


class _SaidStatement(NamedTuple):
    """A statement with its words."""

    text: str
    statement: ThreadStatement


def _amended_by(newer: Thread, texts: Mapping[str, str], store: Store, judge: Judge) -> list[Thread]:
    """Return earlier threads of other sessions with the statements marked that a thread's own replace.

    What shares words is compared first; where one statement of a thread was replaced, the others are compared,
    too, and a summary goes in any case: it holds the value that was changed.
    """
    own = _said_statements(newer, texts)
    if not own:
        return []
    text = " ".join(saying.text for saying in own)
    earlier_threads = _earlier(newer, text, store)
    turns = store.turns.get(
        [statement.turn for thread in earlier_threads for statement in thread.standing if statement.turn]
    )
    sayings = {
        thread.id: _said_statements(thread, {turn.id: turn.text for turn in turns}) for thread in earlier_threads
    }
    earlier_threads = [thread for thread in earlier_threads if _same_subject(sayings[thread.id], topic(text))]
    near_pairs = [
        (old, new)
        for thread in earlier_threads
        for old in sayings[thread.id]
        for new in own
        if _same_matter(old, new)
    ]
    near_pairs.sort(key=lambda pair: -len(topic(pair[0].text) & topic(pair[1].text)))
    replaced_statements = _replaced_statements(near_pairs[:COMPARED], judge)
    amended_threads = [
        thread
        for thread in earlier_threads
        if any(old.statement in replaced_statements for old in sayings[thread.id])
    ]
    rest = [
        (old, new)
        for thread in amended_threads
        for old in sayings[thread.id]
        for new in own
        if old.statement not in replaced_statements and _may_replace(old, new)
    ]
    replaced_statements |= _replaced_statements(rest[:COMPARED], judge)
    return [_without(thread, replaced_statements, newer.id) for thread in amended_threads]


def _said_statements(thread: Thread, texts: Mapping[str, str]) -> list[_SaidStatement]:
    places = ((statement.turn, statement) for statement in thread.standing if statement.turn is not None)
    return [
        _SaidStatement(texts[turn][statement.start : statement.end], statement)
        for turn, statement in places
        if turn in texts
    ]


def _earlier(newer: Thread, text: str, store: Store) -> list[Thread]:
    """Return the threads of other sessions that share most words with a text, by how rare these are."""
    words = topic(text)
    terms = sorted((term for term in terms_of(text) if term.stem in words), key=lambda term: -idf(term.word))[:24]
    matches = store.turns.match(terms, Filters(said=True, until=newer.at), LOOKED_AT, POSTINGS)
    weights = [math.log(1 + matches.documents / max(1, count)) for count in matches.document_frequencies]
    shared_weights: dict[str, list[float]] = {}
    thread_of = store.threads.of_turns([candidate.id for candidate in matches.candidates])
    for candidate in matches.candidates:
        if candidate.id in thread_of:
            shares = [weight * (often > 0) for weight, often in zip(weights, candidate.frequencies, strict=True)]
            before = shared_weights.get(thread_of[candidate.id], shares)
            shared_weights[thread_of[candidate.id]] = list(map(max, before, shares))
    best = sorted(shared_weights, key=lambda thread_id: -sum(shared_weights[thread_id]))
    other_threads = [
        thread for thread in store.threads.get(best) if thread.session != newer.session and thread.standing
    ]
    return other_threads[:COMPARED_THREADS]


def _may_replace(old: _SaidStatement, new: _SaidStatement) -> bool:
    """Return whether a statement may take another's place: an agent's word takes no person's."""
    return new.statement.trust == USER or old.statement.trust == AGENT


def _same_matter(old: _SaidStatement, new: _SaidStatement) -> bool:
    words = topic(old.text)
    return _may_replace(old, new) and len(words & topic(new.text)) >= max(LEAST_SHARED, SHARED * len(words))


def _same_subject(sayings: Sequence[_SaidStatement], words: frozenset[str]) -> bool:
    """Return whether a later thread speaks of much of what an earlier one did."""
    before = topic(" ".join(saying.text for saying in sayings))
    return len(before & words) >= SUBJECT * len(before)


def _replaced_statements(
    pairs: Sequence[tuple[_SaidStatement, _SaidStatement]], judge: Judge
) -> set[ThreadStatement]:
    relations = judge.relates([(old.text, new.text) for old, new in pairs]) if pairs else []
    return {
        old.statement
        for (old, _), relation in zip(pairs, relations, strict=True)
        if relation.replaces + relation.same >= RESTATED
    }


def _without(thread: Thread, replaced_statements: set[ThreadStatement], newer_id: str) -> Thread:
    return replace(
        thread,
        statements=tuple(
            replace(statement, replaced_by=newer_id)
            if statement in replaced_statements or (statement.trust == AGENT and statement.replaced_by is None)
            else statement
            for statement in thread.statements
        ),
    )
