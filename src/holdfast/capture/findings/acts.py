"""What a turn does between two people: ask, direct, confirm, correct, take back, restate.

One turn, in the light of the one it answers. What becomes a finding is decided in `extract`.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from holdfast.capture.findings import wording
from holdfast.capture.findings.reading import Reading, plain, read
from holdfast.model.session import Turn

ASSENT = frozenset("👍✅👌💯🚢")
SHORT_WORDS = 9
"""A person who agrees in so few words agrees to the whole; who goes on has something to add."""

COMMAND = re.compile(r"\s*/[a-z][\w:-]*(?:\s|$)")
"""A slash command; `/remember` and its like have been obeyed by then."""

AGENTS = frozenset({"assistant", "agent", "model", "ai"})


@dataclass(frozen=True, eq=False)
class Act:
    """A turn and its sentences, read when they are asked for."""

    turn: Turn

    @cached_property
    def readings(self) -> tuple[Reading, ...]:
        """Its sentences; a tool's output and a command to a client hold none."""
        commanded = self.by_user and COMMAND.match(self.turn.text)
        return () if self.by_tool or commanded else tuple(read(self.turn.text))

    @cached_property
    def by_tool(self) -> bool:
        """Whether a tool spoke; nothing it says decides anything."""
        return self.turn.tool is not None or self.turn.role == "tool"

    @cached_property
    def by_user(self) -> bool:
        """Whether a person spoke."""
        return self.turn.role == "user" and not self.by_tool

    @cached_property
    def by_agent(self) -> bool:
        """Whether the agent spoke."""
        return self.turn.role in AGENTS and not self.by_tool

    @cached_property
    def topic(self) -> frozenset[str]:
        """The content words of all its sentences."""
        return frozenset().union(*(reading.topic for reading in self.readings))

    @property
    def asks(self) -> bool:
        """Whether it ends in a question."""
        return bool(self.readings) and self.readings[-1].question

    @property
    def inquires(self) -> bool:
        """Whether a question is all that it holds, but for what leads up to it."""
        return any(reading.question for reading in self.readings) and not self.directs

    @cached_property
    def directs(self) -> bool:
        """Whether a person says what is to be; who asks in the same breath is still discussing."""
        return self.by_user and not self.wonders and any(reading.rule for reading in self.readings)

    @cached_property
    def wonders(self) -> bool:
        """Whether it asks for more than that something be done."""
        return any(one.question and not wording.REQUESTS.search(one.cue) for one in self.readings)

    @property
    def assents(self) -> bool:
        """Whether a person opens in agreement and asks nothing, whatever is added then."""
        opens = bool(self.readings) and wording.CONFIRMS.search(self.readings[0].cue) is not None
        return self.by_user and opens and not self.wonders

    @cached_property
    def confirms(self) -> bool:
        """Whether a person agrees to what was said just before, and adds nothing that changes it."""
        if not self.by_user:
            return False
        if not self.readings:
            return bool(ASSENT & set(self.turn.text)) or self.turn.text.strip() == "+1"
        opening = self.readings[0].cue
        if any(reading.question or reading.hypothesis for reading in self.readings):
            return False
        if not wording.CONFIRMS.search(opening) or wording.CONTRASTS.search(opening):
            return False
        return self.closes or (
            self._words <= SHORT_WORDS and not wording.UNDERSTANDS.search(plain(self.turn.text))
        )

    @cached_property
    def closes(self) -> bool:
        """Whether a person says in so many words that the matter is settled."""
        return self.by_user and any(
            wording.SETTLES.search(reading.cue) and reading.firm for reading in self.readings[:3]
        )

    @cached_property
    def rejects(self) -> bool:
        """Whether a person corrects what was just said."""
        return self.by_user and bool(self.readings) and bool(wording.REJECTS.search(self.readings[0].cue))

    @property
    def takes_back(self) -> bool:
        """Whether a person says that something agreed no longer holds."""
        return self.by_user and any(wording.TAKES_BACK.search(reading.cue) for reading in self.readings[:3])

    @property
    def acknowledges(self) -> bool:
        """Whether an agent opens by saying that it has understood."""
        return self.by_agent and bool(self.readings) and bool(wording.ACKNOWLEDGES.search(self.readings[0].cue))

    @property
    def _words(self) -> int:
        return len(self.turn.text.split())


def conversation(acts: Iterable[Act]) -> list[Act]:
    """Return what people and agents said, without tools, and of an agent's many messages in a row the last two."""
    spoken: list[Act] = []
    for one in acts:
        if one.by_tool:
            continue
        if one.by_agent and len(spoken) >= 2 and spoken[-1].by_agent and spoken[-2].by_agent:
            del spoken[-2]
        spoken.append(one)
    return spoken
