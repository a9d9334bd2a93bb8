"""How well memories answer: LoCoMo's questions, and the later prompts of real and written talk.

LoCoMo is scored as in `benchmarks.quality`: the turns that answer among the first five, their sessions among the
first ten. A memory that does not search sessions is asked for fifty turns, and their sessions count in that order.

Talk: user turns are kept session by session; a later prompt is put as a search for five of them, and what they say
in 2,800 characters counts as told, as for the plain recall of `benchmarks.talk`. Prompts that nothing applies to
should get nothing. holdfast is asked so too, and once more as it is used: by the hooks of a session's start and of
its first prompt.
"""

import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks import talk
from benchmarks.data import Asked, Corpus, Talk
from benchmarks.peers.adapters.protocol import Entry
from benchmarks.peers.client import InTurn, Running
from benchmarks.peers.environments import Peer
from benchmarks.peers.speed import Failures, Figures, Report
from benchmarks.scoring import recall

TURNS, SESSIONS = 5, 10
DEEP = 50
"""Turns that are asked for where sessions are counted."""

HOOKS = "through its hooks: "


def locomo(peers: Sequence[Peer], place: Path, corpora: Sequence[Corpus], failures: Failures) -> Report:
    """Ask every peer the questions of every conversation, each in a store of its own."""
    scores: dict[str, list[tuple[float, float]]] = {peer.name: [] for peer in peers}
    for corpus in corpora:
        with InTurn([peer for peer in peers if peer.name not in failures], place / corpus.name, failures) as group:
            for session in corpus.talks:
                group.each(lambda running: running.add(entries_of(session)))  # noqa: B023 - called at once
            group.each(lambda running: running.ask("settle"))
            for question in corpus.questions:
                for name, score in group.each(lambda running: _score(running, question)).items():  # noqa: B023 - as above
                    scores[name].append(score)
    return {
        name: {
            f"LoCoMo turns R@{TURNS}": statistics.fmean(turns for turns, _ in taken),
            f"LoCoMo sessions R@{SESSIONS}": statistics.fmean(sessions for _, sessions in taken),
        }
        for name, taken in scores.items()
        if taken and name not in failures
    }


def entries_of(session: Talk) -> list[Entry]:
    """Return the turns of a session as entries."""
    return [
        Entry(turn.ref, turn.text, session=session.ref, speaker=turn.speaker, at=session.at)
        for turn in session.turns
    ]


def _score(running: Running, question: Asked) -> tuple[float, float]:
    turns = running.search(question.text, TURNS)
    sessions = running.ask("sessions", query=question.text, limit=SESSIONS).ids
    if sessions is None:
        sessions = sessions_of(running.search(question.text, DEEP))
    wanted = frozenset(answer.partition(":")[0] for answer in question.answers)
    return recall(turns, question.answers, TURNS), recall(sessions, wanted, SESSIONS)


def sessions_of(turns: Sequence[str]) -> list[str]:
    """Return the sessions of turns in the order of their first."""
    return list(dict.fromkeys(turn.partition(":")[0] for turn in turns))


def later_prompts(
    peers: Sequence[Peer], place: Path, source: Path, sets: Sequence[str], failures: Failures
) -> Report:
    """Put the later prompts of every set to every peer."""
    counts: dict[str, Counter[str]] = {peer.name: Counter() for peer in peers}
    for name in sets:
        with InTurn([peer for peer in peers if peer.name not in failures], place / name, failures) as group:
            _put_prompts(group, source, name, counts)
    report = {name: _told(counted) for name, counted in counts.items() if name not in failures}
    if "holdfast" in report:
        report["holdfast"] |= {HOOKS + name: value for name, value in _told(_by_hooks(source, sets)).items()}
    return report


def _put_prompts(group: InTurn, source: Path, name: str, counts: dict[str, Counter[str]]) -> None:
    items = [talk.item_of(row) for row in talk.rows(source, name, "items")]
    sessions = list(talk.moved(talk.rows(source, name, "sessions")))
    due = talk.prompts_due(source, name, [str(session["session"]) for session in sessions])
    texts: dict[str, str] = {}
    for session in sessions:
        entries = user_turns(session)
        texts |= {entry.id: entry.text for entry in entries}
        if entries:
            group.each(lambda running: (running.add(entries), running.ask("settle")))  # noqa: B023 - called at once
        for asked in due.get(str(session["session"]), ()):
            answers = group.each(lambda running: running.search(asked.prompt, talk.NEAREST))  # noqa: B023 - as above
            for peer, ids in answers.items():
                count(counts[peer], asked, items, [texts[key] for key in ids if key in texts])


def user_turns(session: talk.Row) -> list[Entry]:
    """Return what the user said in a session, as entries; refs are unique within a session only."""
    ref = str(session["session"])
    return [
        Entry(f"{ref}:{turn['ref']}", str(turn["text"]), session=ref, at=int(str(turn["at"])))
        for turn in talk.turns(session)
        if turn["role"] == "user" and str(turn["text"]).strip()
    ]


def count(counts: Counter[str], asked: talk.Asked, items: Sequence[talk.Item], texts: Sequence[str]) -> None:
    """Count what a prompt was told by texts, as the plain recall of the talk benchmark does."""
    lines = [line for text in talk.within_room(texts) for line in talk.parts(text)]
    counts["quiet"] += not asked.applies
    counts["silent"] += not asked.applies and not lines
    counts["must"] += len(asked.must) if asked.applies else 0
    counts["told"] += sum(any(talk.says(line, items[number]) for line in lines) for number in asked.must)


def _told(counts: Counter[str]) -> Figures:
    return {
        "talk told": counts["told"] / counts["must"] if counts["must"] else None,
        "talk silent": counts["silent"] / counts["quiet"] if counts["quiet"] else None,
    }


def _by_hooks(source: Path, sets: Sequence[str]) -> Counter[str]:
    """Record the sets whole, both sides of the talk, and ask the real hooks."""
    counts: Counter[str] = Counter()
    for name in sets:
        with talk.own_home():
            counts += talk.tell(source, name).counts
    return counts


def first(corpora: Sequence[Corpus], questions: int) -> list[Corpus]:
    """Return the first conversation with its first questions alone."""
    return [replace(corpora[0], questions=corpora[0].questions[:questions])]


def all_sets(source: Path) -> list[str]:
    """Name the sets of talk that there are."""
    return sorted(path.name.partition(".")[0] for path in source.glob("*.items.jsonl"))
