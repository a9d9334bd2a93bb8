"""Whose word a finding is, by the turns that it was read from, and who said the same in another session.

Who recorded the turns counts, and what they are; not who happens to read them or to end their session. What a
person says again, in however different words, is a rule: statements that nothing came of yet are compared by topic
and then by the judge.
"""

from collections.abc import Iterable, Sequence

from holdfast.capture.relations import SAME_SHARE, says_again
from holdfast.capture.sessions.talk import speaker
from holdfast.judge import Judge
from holdfast.model.finding import ACCEPTED, ASKED, MUST, RETRACTED, RULING, WORKING, Finding
from holdfast.model.kinds import AGENT, RELAYED, TOOL, USER
from holdfast.model.memory import Memory
from holdfast.ports import Store
from holdfast.text.words import numbers, topic

LOOKED_AT = 2_000
"""Findings that one is compared with, the newest first."""

COMPARED = 8
"""Statements on one topic that the judge is asked about."""

LEAST_SHARED = 2
ALIKE = 0.5
"""Content words that two statements must share; their share of all the words of both from which on they say the
same without a judge."""

VERBATIM = 0.8
"""Share from which on a repetition makes a rule of what the judge does not take for a way of working."""


class Voices:
    """Who spoke in the turns of some findings."""

    def __init__(self, store: Store, findings: Iterable[Finding]) -> None:
        turns = store.turns.get(list({place.turn for finding in findings for place in finding.evidence}))
        self._speakers = {turn.id: speaker(turn) for turn in turns}

    def of(self, finding: Finding) -> str:
        """Return whose word it is: a tool's where one said some of it, a person's where one did and nobody made
        it up for them, else an agent's."""
        speakers = {self._speakers.get(place.turn, AGENT) for place in finding.evidence}
        if TOOL in speakers:
            return TOOL
        return USER if USER in speakers and RELAYED not in speakers else AGENT


class Demands:
    """What people said in earlier sessions and nothing came of."""

    def __init__(self, store: Store, page: Sequence[Finding], judge: Judge) -> None:
        self._store = store
        self._judge = judge
        self._demands = _unheeded(store) if any(map(_is_demand, page)) else []

    def like(self, finding: Finding) -> list[Finding]:
        """Return the statements of other sessions that say the same."""
        words = topic(finding.content)
        if not _is_demand(finding) or len(words) < LEAST_SHARED:
            return []
        shares = [
            (share, demand)
            for demand_words, demand in self._demands
            if demand.session != finding.session and (share := _share(words, demand_words)) >= SAME_SHARE
        ]
        nearest = [demand for _, demand in sorted(shares, key=lambda pair: -pair[0])[:COMPARED]]
        relations = self._judge.relates([(demand.content, finding.content) for demand in nearest])
        same = [
            demand
            for demand, relation in zip(nearest, relations, strict=True)
            if says_again(demand.content, finding.content, relation) and are_a_rule(finding, demand, self._judge)
        ]
        voices = Voices(self._store, [finding, *same]) if same else None
        return [demand for demand in same if voices and voices.of(finding) == voices.of(demand) == USER]


def are_a_rule(finding: Finding, other: Finding | Memory, judge: Judge) -> bool:
    """Return whether two statements that say the same in two sessions make a rule: both probably last, and one of
    them is a way of working or must be kept, or they agree to the word. A complaint that comes again is none."""
    if finding.confidence + other.confidence < judge.limits.long.repeated:
        return False
    marks = {*finding.signals, *(other.signals if isinstance(other, Finding) else _judged(other))}
    return bool({WORKING, MUST, ASKED} & marks) or _share(topic(finding.content), topic(other.content)) >= VERBATIM


def _judged(memory: Memory) -> list[str]:
    judged = memory.metadata.get("judged")
    return [*judged] if isinstance(judged, dict) else []


def demands_like(store: Store, texts: Sequence[str]) -> list[Finding]:
    """Return the statements that nothing came of and that share most words with one of some texts."""
    wordings = [(words, numbers(text)) for text in texts if len(words := topic(text)) > LEAST_SHARED]
    demands = _unheeded(store) if wordings else []
    return [
        demand
        for demand_words, demand in demands
        if any(
            _share(words, demand_words) >= ALIKE and counts == numbers(demand.content)
            for words, counts in wordings
        )
    ]


def _unheeded(store: Store) -> list[tuple[frozenset[str], Finding]]:
    return [
        (topic(finding.content), finding)
        for finding in store.findings.unpromoted(0, LOOKED_AT)
        if _is_demand(finding)
    ]


def _is_demand(finding: Finding) -> bool:
    return finding.kind in RULING and not {ACCEPTED, RETRACTED} & set(finding.signals)


def _share(words: frozenset[str], other_words: frozenset[str]) -> float:
    common_words = words & other_words
    return len(common_words) / len(words | other_words) if len(common_words) >= LEAST_SHARED else 0.0
