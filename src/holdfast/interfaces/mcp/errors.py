"""From error to MCP error: the one table, and what a client is told.

A JSON-RPC error, not a result that says so: measured with the five clients, each hands its text to the model.
"""

import os
import sys
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from pydantic import ValidationError

from holdfast import errors

if TYPE_CHECKING:
    from mcp.shared.exceptions import MCPError

INVALID_PARAMS, INTERNAL_ERROR = -32602, -32603
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


def told(error: Exception, outwards: Outwards = lambda error: error) -> "MCPError":
    """Return what the SDK tells a client of an error."""
    from mcp.shared.exceptions import MCPError

    return error if isinstance(error, MCPError) else _as_raised(outwards(error))


def _as_raised(error: Exception) -> "MCPError":
    from mcp.shared.exceptions import MCPError

    return error if isinstance(error, MCPError) else mistake(error).raised


def mistake(error: Exception) -> Mistake:
    """Return what a client is told of an error."""
    match error:
        case errors.HoldfastError() as known:
            code = next(code for kind, code in CODES if isinstance(known, kind))
            data = {"error": type(known).__name__}
            data |= {"field": known.field} if isinstance(known, errors.InvalidInput) else {}
            return Mistake(code, str(known), data)
        case ValidationError() as wrong:
            return Mistake(INVALID_PARAMS, _wrong(wrong), {"error": "InvalidInput"})
        case other:
            return _unexpected_error(other)


def unknown(noun: str, name: str, names: tuple[str, ...]) -> "MCPError":
    """Return what a client is told that asks for something there is not."""
    message = f"Unknown {noun}: {name}. There are: {', '.join(names)}."
    return Mistake(INVALID_PARAMS, message, {"error": "Unknown", "field": "name"}).raised


def _wrong(error: ValidationError) -> str:
    """Name each field and what is wrong with it, without repeating what was given."""
    return "; ".join(f"{'.'.join(map(str, mistake['loc']))}: {mistake['msg']}" for mistake in error.errors())


def _unexpected_error(error: Exception) -> Mistake:
    if os.environ.get("HOLDFAST_DEBUG"):
        sys.stderr.write("".join(traceback.format_exception(error)))
    description = " ".join(f"{type(error).__name__}: {error}".split())
    message = f"unexpected {description}. This is a mistake of holdfast; HOLDFAST_DEBUG=1 shows where it is."
    return Mistake(INTERNAL_ERROR, message)
