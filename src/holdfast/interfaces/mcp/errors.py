"""From error to MCP error: the one table, and what a client is told.

A JSON-RPC error, not a result that says so: measured with the five clients, each hands its text to the model. A
model has tools and arguments, no terminal: it is told of those, and of a command only that the user should run it.
"""

import os
import re
import sys
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from holdfast import errors
from holdfast.interfaces.mcp import catalogue
from holdfast.interfaces.mcp.calls import INTERNAL_ERROR, described

if TYPE_CHECKING:
    from mcp.shared.exceptions import MCPError

INVALID_PARAMS = -32602
"""JSON-RPC's own."""

Outwards = Callable[[Exception], Exception]

CONFIG, BUSY, STORE, OFF, EMBEDDING, SERVER, PERSON = -32010, -32011, -32012, -32013, -32014, -32015, -32016
"""Ours, in the range that the protocol leaves to implementations."""

CODES: tuple[tuple[type[errors.HoldfastError], int], ...] = (
    (errors.InvalidInput, INVALID_PARAMS),
    (errors.UnknownId, INVALID_PARAMS),
    (errors.PinLimitReached, INVALID_PARAMS),
    (errors.ConfigError, CONFIG),
    (errors.StoreBusy, BUSY),
    (errors.StoreRaced, BUSY),
    (errors.StoreError, STORE),
    (errors.SwitchedOff, OFF),
    (errors.Proposed, PERSON),
    (errors.PersonNeeded, PERSON),
    (errors.EmbeddingFailed, EMBEDDING),
    (errors.ServerError, SERVER),
    (errors.HoldfastError, INTERNAL_ERROR),
)


TOOLS_FOR: dict[str, str] = {
    "conflict": f"{catalogue.SEARCH}, which names conflicts beside its hits",
    "session": f"{catalogue.SEARCH} with within=sessions",
    "item of the inbox": "the resource memory://review",
    "proposal": "the resource memory://review",
}
"""Where an agent finds ids that are no memory's."""

WORDS: dict[type[errors.HoldfastError], str] = {
    errors.SameContent: "content: memory {id} already says this. {delete} forgets one of the two; {update} with "
    "action=supersede lets one take the other's place.",
    errors.PinLimitReached: "{limit} memories are pinned already, which is the most a brief always carries. "
    "{update} with action=unpin takes one out.",
    errors.Proposed: "Not done yet: {verb} of {id} waits for the user as proposal {proposal}, because {why}. "
    "Ask the user to run `holdfast review`.",
}
"""What an error is in an agent's words, where its own are those of the command line."""

_ASK = "Ask the user to run "
_COMMAND = re.compile(r"`(holdfast [^`]+)`")


class Mistake(NamedTuple):
    """What a client is told of an error."""

    code: int
    message: str
    data: dict[str, str] | None = None

    @property
    def wire(self) -> dict[str, object]:
        """The error as the protocol writes it."""
        wire: dict[str, object] = {"code": self.code, "message": self.message}
        return wire if self.data is None else {**wire, "data": self.data}

    @property
    def raised(self) -> "MCPError":
        """The error as the SDK raises it; the front goes without the SDK."""
        from mcp.shared.exceptions import MCPError

        return MCPError(code=self.code, message=self.message, data=self.data)


def mistake(error: Exception) -> Mistake:
    """Return what a client is told of an error."""
    match error:
        case errors.HoldfastError() as known:
            code = next(code for kind, code in CODES if isinstance(known, kind))
            data = {"error": type(known).__name__}
            data |= {"field": known.field} if isinstance(known, errors.InvalidInput) else {}
            return Mistake(code, for_agent(worded(known)), data)
        case other:
            return _unexpected_error(other)


def worded(error: errors.HoldfastError) -> str:
    """Return what an error says, with what an agent can do about it."""
    if isinstance(error, errors.UnknownId) and not error.facts.get("near"):
        where = TOOLS_FOR.get(str(error.facts["noun"]), catalogue.SEARCH)
        return f"No {error.facts['noun']} has the id {error.facts['id']!r}. Find the right one with {where}."
    words = WORDS.get(type(error))
    names = {"delete": catalogue.DELETE, "update": catalogue.UPDATE}
    return str(error) if words is None else words.format(**{**error.facts, **names})


def for_agent(message: str) -> str:
    """Return a message with whom its commands are for: an agent that is told of one would try it, or give up.

    A message that says so itself is left as it is.
    """
    commands = list(dict.fromkeys(_COMMAND.findall(message.partition(_ASK)[0])))
    if not commands:
        return message
    end = "" if message.endswith((".", "?", "!")) else "."
    return f"{message}{end} {_ASK}{' or '.join(f'`{command}`' for command in commands)}."


def unknown_name(noun: str, name: str, names: tuple[str, ...]) -> Mistake:
    """Return what a client is told that asks for something there is not."""
    message = f"Unknown {noun}: {name}. There are: {', '.join(names)}."
    return Mistake(INVALID_PARAMS, message, {"error": "Unknown", "field": "name"})


def _unexpected_error(error: Exception) -> Mistake:
    if os.environ.get("HOLDFAST_DEBUG"):
        sys.stderr.write("".join(traceback.format_exception(error)))
    message = f"unexpected {described(error)}. This is a mistake of holdfast; HOLDFAST_DEBUG=1 shows where it is."
    return Mistake(INTERNAL_ERROR, message)
