"""What a turn does between two people: ask, direct, confirm, correct, take back, restate.

One turn, in the light of the one it answers. What becomes a finding is decided in `extract`.
"""

from collections.abc import Iterable
from functools import cached_property

from holdfast.capture.sessions.findings import wording
from holdfast.capture.sessions.findings.reading import SentenceReading, plain, read_sentences, topic
from holdfast.model.kinds import PERSON_ROLES, RELAYED, SPEAKING_AGENTS, TOOL_ROLE
from holdfast.model.patterns import regex
from holdfast.model.session import Turn

ASSENT = frozenset("👍✅👌💯🚢")
SHORT_WORDS = 9
"""A person who agrees in so few words agrees to the whole; who goes on has something to add."""

CLOSING_READ = 3_000
"""Characters at the end of a turn that an answer is about."""

COMMAND = regex(
    r"\s*/(?:remember|forget|pin|memory|holdfast|add-dir|agents|bug|clear|compact|compress|config|context"
    r"|cost|doctor|exit"
    r"|export|help|hooks|ide|init|login|logout|mcp|model|models|new|permissions|plan|plugin|quit"
    r"|release-notes|rename"
    r"|resume|review|rewind|sessions|settings|share|stats|status|theme|tools|undo|usage|vim)"
    r"(?::[\w-]+)*(?:[ \t][^\n]*)?\s*"
)
"""A slash command, ours or a client's: one line; `/remember` and its like have been obeyed by then."""


class Act:
    """A turn and its sentences, read when they are asked for."""

    def __init__(self, turn: Turn) -> None:
        self.turn = turn

    @cached_property
    def readings(self) -> tuple[SentenceReading, ...]:
        """Its sentences; a tool's output and a command to a client hold none."""
        is_command = self.by_user and COMMAND.fullmatch(self.turn.text)
        return () if self.by_tool or is_command else tuple(read_sentences(self.turn.text))

    @cached_property
    def by_tool(self) -> bool:
        """Whether a tool spoke; nothing it says decides anything."""
        return self.turn.tool is not None or self._role == TOOL_ROLE

    @cached_property
    def by_user(self) -> bool:
        """Whether a person spoke, be it by the word of an agent: how far that is believed, `promote` says."""
        return (self._role in PERSON_ROLES or self._role == RELAYED) and not self.by_tool

    @cached_property
    def by_agent(self) -> bool:
        """Whether the agent spoke."""
        return self._role in SPEAKING_AGENTS and not self.by_tool

    @cached_property
    def topic(self) -> frozenset[str]:
        """The content words of all its sentences."""
        return frozenset().union(*(reading.topic for reading in self.readings))

    @property
    def asks(self) -> bool:
        """Whether it ends in a question."""
        return bool(self.readings) and self.readings[-1].question

    @cached_property
    def wonders(self) -> bool:
        """Whether it asks for more than that something be done."""
        return any(reading.question and not wording.REQUESTS.search(reading.cue) for reading in self.readings)

    @property
    def opens_in_agreement(self) -> bool:
        """Whether a person begins by agreeing and asks nothing, whatever is added then."""
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
        if self.rejects or self.puts_off or wording.CONDITIONS.search(opening):
            return False
        return self.closes or self.permits or (self._words <= SHORT_WORDS and not self.understands)

    @cached_property
    def closes(self) -> bool:
        """Whether a person says in so many words that the matter is settled."""
        return self.by_user and any(
            wording.SETTLES.search(reading.cue) and reading.firm for reading in self.readings[:3]
        )

    @cached_property
    def puts_off(self) -> bool:
        """Whether a person wants to ask, wait or think before anything is settled."""
        return self.by_user and any(wording.DEFERS.search(reading.cue) for reading in self.readings)

    @cached_property
    def permits(self) -> bool:
        """Whether a person lets the agent go on with what it is about to do."""
        return self.by_user and any(
            wording.PERMITS.search(reading.cue) and reading.firm for reading in self.readings[:3]
        )

    @cached_property
    def understands(self) -> bool:
        """Whether a person says that something is clear now, or thanks for it."""
        return self.by_user and bool(wording.UNDERSTANDS.search(plain(self.turn.text)))

    @cached_property
    def rejects(self) -> bool:
        """Whether a person corrects what was just said."""
        return self.by_user and bool(self.readings) and bool(wording.REJECTS.search(self.readings[0].cue))

    @cached_property
    def muses(self) -> bool:
        """Whether a person thinks aloud in it."""
        return self.by_user and any(reading.hypothesis for reading in self.readings)

    @cached_property
    def corrects(self) -> bool:
        """Whether a person begins by turning down what was said or done, in however soft words."""
        return self.by_user and bool(self.readings) and bool(wording.CORRECTS.search(self.readings[0].cue))

    @cached_property
    def closing_topic(self) -> frozenset[str]:
        """The content words of its end, code and all: what whoever answers has before their eyes."""
        return topic(self.turn.text[-CLOSING_READ:])

    @property
    def takes_back(self) -> bool:
        """Whether a person says that something agreed no longer holds."""
        return self.by_user and any(wording.TAKES_BACK.search(reading.cue) for reading in self.readings[:3])

    @property
    def acknowledges(self) -> bool:
        """Whether an agent opens by saying that it has understood."""
        return self.by_agent and bool(self.readings) and bool(wording.ACKNOWLEDGES.search(self.readings[0].cue))

    @cached_property
    def stated(self) -> tuple[SentenceReading, ...]:
        """The sentences in which an agent says how things are to be: none after it began to tell what it does."""
        began, stated_readings = False, []
        for reading in self.readings:
            began = began or (reading.doing and not reading.label)
            again = reading.label or wording.RESTATES.search(reading.cue) is not None
            reports_work = not again and not self.acknowledges and wording.NOW.search(reading.cue) is not None
            if (not began and not reports_work) or (again and not reading.doing):
                stated_readings.append(reading)
        return tuple(stated_readings)

    @cached_property
    def _role(self) -> str:
        return self.turn.role.lower()

    @property
    def _words(self) -> int:
        return len(self.turn.text.split())


def conversation(acts: Iterable[Act]) -> list[Act]:
    """Return what people and agents said, without tools, and of an agent's many messages in a row the last two."""
    spoken_acts: list[Act] = []
    for act in acts:
        if act.by_tool:
            continue
        if act.by_agent and len(spoken_acts) >= 2 and spoken_acts[-1].by_agent and spoken_acts[-2].by_agent:
            del spoken_acts[-2]
        spoken_acts.append(act)
    return spoken_acts
