"""Whose turn is whose, and the sentences of a person's turn as the judge reads them."""

from collections.abc import Sequence
from typing import NamedTuple

from holdfast import judge
from holdfast.judge.turns import OPENING, in_place
from holdfast.model.kinds import AGENT, PERSON_ROLES, RELAYED, TOOL, TOOL_ROLE, USER
from holdfast.model.patterns import regex
from holdfast.model.session import Turn
from holdfast.text.sentences import SentenceSpan, sentences
from holdfast.text.words import topic

_COMMAND = regex(
    r"\s*/(?:remember|forget|pin|memory|holdfast|add-dir|agents|bug|clear|compact|compress|config|context"
    r"|cost|doctor|exit|export|help|hooks|ide|init|login|logout|mcp|model|models|new|permissions|plan|plugin|quit"
    r"|release-notes|rename|resume|review|rewind|sessions|settings|share|stats|status|theme|tools|undo|usage|vim)"
    r"(?::[\w-]+)*(?:[ \t][^\n]*)?\s*"
)
"""A slash command, ours or a client's: one line; `/remember` and its like have been obeyed by then."""

_SHOWN = regex(r"\s*[<‹](?:bash-(?:stdout|stderr|input)|local-command-std\w+|ide_\w+|system-reminder|document)\b")
"""The opening of what a client shows in a person's name: output, a selection, a file."""

_COURTESY = regex(
    r"^\W*(?:let me know|thanks|thank you|glad|happy to|you're welcome|no problem|good (?:job|work|catch|point)"
    r"|great (?:work|job)|hey|hi|hello|good morning|sorry|apologies)\b",
    2,  # re.IGNORECASE
)


class Remark(NamedTuple):
    """A sentence of a person's turn: where it stands in the turn, and in its place in the talk."""

    sentence: SentenceSpan
    placed: judge.Sentence

    @property
    def text(self) -> str:
        """Its words."""
        return self.sentence.text


def speaker(turn: Turn) -> str:
    """Return who spoke: USER, AGENT, TOOL, or RELAYED for a person's words that an agent passed on."""
    role = turn.role.lower()
    if turn.tool is not None or role == TOOL_ROLE:
        return TOOL
    if role in PERSON_ROLES:
        return USER
    return RELAYED if role == RELAYED else AGENT


def by_person(turn: Turn) -> bool:
    """Return whether a person spoke, be it by the word of an agent, which `promote` believes less."""
    return speaker(turn) in (USER, RELAYED)


def last_reply(before: Sequence[Turn]) -> Turn | None:
    """Return the agent's last message."""
    return next((turn for turn in reversed(before) if speaker(turn) == AGENT), None)


def remarks_of(turn: Turn, reply: Turn | None) -> list[Remark]:
    """Return the sentences of a person's turn; a command to a client and its output hold none."""
    if _COMMAND.fullmatch(turn.text) or _SHOWN.match(turn.text):
        return []
    pieces = sentences(turn.text)
    return list(map(Remark, pieces, in_place(pieces, reply.text if reply else OPENING)))


def asks(text: str) -> bool:
    """Return whether a sentence is a question by its mark."""
    return text.rstrip("\"')]*_` ").endswith("?")


def says_something(text: str) -> bool:
    """Return whether a sentence is more than a greeting, or than the mark of text that is not kept."""
    if text.startswith("["):
        return False
    return len(topic(text)) >= 2 or (bool(topic(text)) and not _COURTESY.search(text))
