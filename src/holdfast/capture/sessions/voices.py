"""Whose word a finding is, by the turns that it was read from: a person's, an agent's or a tool's.

Who recorded the turns counts, and what they are; not who happens to read them or to end their session.
"""

from collections.abc import Iterable

from holdfast.model.finding import Finding
from holdfast.model.kinds import AGENT, PERSON_ROLES, RELAYED, TOOL, TOOL_ROLE, USER
from holdfast.model.session import Turn
from holdfast.ports import Store


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
