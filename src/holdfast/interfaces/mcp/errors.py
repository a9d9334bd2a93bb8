"""From error to MCP error: the one table, and what a client is told.

A JSON-RPC error, not a result that says so: measured with the five clients, each hands its text to the model.
"""

import os
import sys
import traceback
from collections.abc import Callable

from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS
from pydantic import ValidationError

from holdfast import errors

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


def told(error: Exception, outwards: Outwards = lambda error: error) -> MCPError:
    """Return what a client is told of an error; one that is elsewhere is told what `outwards` makes of it."""
    match error if isinstance(error, MCPError) else outwards(error):
        case MCPError() as told_already:
            return told_already
        case errors.HoldfastError() as known:
            code = next(code for kind, code in CODES if isinstance(known, kind))
            data = {"error": type(known).__name__}
            data |= {"field": known.field} if isinstance(known, errors.InvalidInput) else {}
            return MCPError(code=code, message=str(known), data=data)
        case ValidationError() as wrong:
            return MCPError(code=INVALID_PARAMS, message=_wrong(wrong), data={"error": "InvalidInput"})
        case other:
            return _unexpected(other)


def unknown(noun: str, name: str, known: tuple[str, ...]) -> MCPError:
    """Return what a client is told that asks for something there is not."""
    message = f"Unknown {noun}: {name}. There are: {', '.join(known)}."
    return MCPError(code=INVALID_PARAMS, message=message, data={"error": "Unknown", "field": "name"})


def _wrong(error: ValidationError) -> str:
    """Name each field and what is wrong with it, without repeating what was given."""
    return "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())


def _unexpected(error: Exception) -> MCPError:
    if os.environ.get("HOLDFAST_DEBUG"):
        sys.stderr.write("".join(traceback.format_exception(error)))
    what = " ".join(f"{type(error).__name__}: {error}".split())
    message = f"unexpected {what}. This is a mistake of holdfast; HOLDFAST_DEBUG=1 shows where it is."
    return MCPError(code=INTERNAL_ERROR, message=message)
