"""The same demand in another session: what a person says again, in however different words, is a rule.

Compares by content words what people said and nothing came of yet; a question or an error message is not among it,
and nothing that only an agent says the person said.
"""

from collections.abc import Sequence

from holdfast.capture.sessions.findings.reading import topic
from holdfast.capture.sessions.voices import Voices
from holdfast.model.finding import ACCEPTED, DECISIVE, RECAP, RETRACTED, Finding
from holdfast.model.kinds import USER
from holdfast.ports import Store

LOOKED_AT = 2_000
"""Findings that one is compared with, the newest first."""

LEAST_SHARED = 3
ALIKE = 0.5
"""Content words that two demands must share, and their share of all the words of both."""


class Demands:
    """What people demanded in earlier sessions and nobody remembered."""

    def __init__(self, store: Store, page: Sequence[Finding]) -> None:
        self._store = store
        has_demand = any(_is_demand(finding) for finding in page)
        unpromoted_findings = store.findings.unpromoted(0, LOOKED_AT) if has_demand else []
        self._demands = [
            (topic(finding.content), finding) for finding in unpromoted_findings if _is_demand(finding)
        ]

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
    unpromoted_findings = store.findings.unpromoted(0, LOOKED_AT) if wanted_topics else []
    demands = [(topic(finding.content), finding) for finding in unpromoted_findings if _is_demand(finding)]
    return [
        demand for demand_words, demand in demands if any(_alike(words, demand_words) for words in wanted_topics)
    ]


def _is_demand(finding: Finding) -> bool:
    return finding.kind in DECISIVE and not {ACCEPTED, RECAP, RETRACTED} & set(finding.signals)


def _numbers(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in words if word[0].isdigit())


def _alike(left: frozenset[str], right: frozenset[str]) -> bool:
    shared_count = len(left & right)
    if _numbers(left) - _numbers(right) and _numbers(right) - _numbers(left):
        return False  # another number in the same words is another rule, or a change of it
    return shared_count >= LEAST_SHARED and shared_count >= ALIKE * len(left | right)
