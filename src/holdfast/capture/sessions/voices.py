"""Whose word a finding is, by the turns that it was read from, and whether the person said the same in another
session.

Who recorded the turns counts, and what they are; not who happens to read them or to end their session. What a
person says again, in however different words, is a rule: demands are compared by content words, as far as nothing
came of them yet; a question or an error message is not among them, and nothing that only an agent says the person
said.
"""

from collections.abc import Iterable, Sequence

from holdfast.capture.sessions.findings.reading import topic
from holdfast.model.finding import ACCEPTED, DECISIVE, RECAP, RETRACTED, Finding
from holdfast.model.kinds import AGENT, PERSON_ROLES, RELAYED, TOOL, TOOL_ROLE, USER
from holdfast.model.session import Turn
from holdfast.ports import Store

LOOKED_AT = 2_000
"""Findings that one is compared with, the newest first."""

LEAST_SHARED = 3
ALIKE = 0.5
"""Content words that two demands must share, and their share of all the words of both."""


class Voices:
    """Who spoke in the turns of some findings."""

    def __init__(self, store: Store, findings: Iterable[Finding]) -> None:
        turns = store.turns.get(list({place.turn for finding in findings for place in finding.evidence}))
        self._speakers = {turn.id: _speaker(turn) for turn in turns}

    def of(self, finding: Finding) -> str:
        """Return whose word it is: a tool's where one said some of it, a person's where one did and nobody made
        it up for them, else an agent's."""
        speakers = {self._speakers.get(place.turn, AGENT) for place in finding.evidence}
        if TOOL in speakers:
            return TOOL
        return USER if USER in speakers and RELAYED not in speakers else AGENT


def _speaker(turn: Turn) -> str:
    role = turn.role.lower()
    if turn.tool is not None or role == TOOL_ROLE:
        return TOOL
    if role in PERSON_ROLES:
        return USER
    return RELAYED if role == RELAYED else AGENT


class Demands:
    """What people demanded in earlier sessions and nobody remembered."""

    def __init__(self, store: Store, page: Sequence[Finding]) -> None:
        self._store = store
        self._demands = _unheeded_demands(store) if any(map(_is_demand, page)) else []

    def like(self, finding: Finding) -> list[Finding]:
        """Return what says the same in another session."""
        words = topic(finding.content)
        if not _is_demand(finding) or len(words) < LEAST_SHARED:
            return []
        same_demands = [
            demand
            for demand_words, demand in self._demands
            if demand.session != finding.session and _alike(words, demand_words)
        ]
        voices = Voices(self._store, [finding, *same_demands]) if same_demands else None
        return [demand for demand in same_demands if voices and voices.of(finding) == voices.of(demand) == USER]


def demands_like(store: Store, texts: Sequence[str]) -> list[Finding]:
    """Return what people demanded in any session, nothing came of, and one of these texts says as well."""
    wanted_topics = [words for text in texts if len(words := topic(text)) >= LEAST_SHARED]
    demands = _unheeded_demands(store) if wanted_topics else []
    return [
        demand for demand_words, demand in demands if any(_alike(words, demand_words) for words in wanted_topics)
    ]


def _unheeded_demands(store: Store) -> list[tuple[frozenset[str], Finding]]:
    """Return what people demanded and nothing came of yet, each with its content words."""
    unpromoted_findings = store.findings.unpromoted(0, LOOKED_AT)
    return [(topic(finding.content), finding) for finding in unpromoted_findings if _is_demand(finding)]


def _is_demand(finding: Finding) -> bool:
    return finding.kind in DECISIVE and not {ACCEPTED, RECAP, RETRACTED} & set(finding.signals)


def _numbers(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in words if word[0].isdigit())


def _alike(left: frozenset[str], right: frozenset[str]) -> bool:
    shared_count = len(left & right)
    if _numbers(left) - _numbers(right) and _numbers(right) - _numbers(left):
        return False  # another number in the same words is another rule, or a change of it
    return shared_count >= LEAST_SHARED and shared_count >= ALIKE * len(left | right)
