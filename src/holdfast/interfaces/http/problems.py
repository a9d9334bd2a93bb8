"""From error to HTTP status: the one table, and the problem document that a client is told (RFC 9457).

It names the error's class and the field, so that the Python client raises what the embedded API raises.
"""

import json
import os
import sys
import traceback
from collections.abc import Sequence
from http import HTTPStatus

from msgspec import Struct, field

from holdfast import errors
from holdfast.interfaces.http import monitoring

MEDIA_TYPE = "application/problem+json"

STATUSES: tuple[tuple[type[errors.HoldfastError], int], ...] = (
    (errors.TokenRejected, 401),
    (errors.ScopeMissing, 403),
    (errors.ServerBusy, 503),
    (errors.RequestRefused, 400),
    (errors.SameContent, 409),
    (errors.InvalidInput, 422),
    (errors.UnknownId, 404),
    (errors.PinLimitReached, 409),
    (errors.Proposed, 202),
    (errors.PersonNeeded, 403),
    (errors.SwitchedOff, 409),
    (errors.NotRedacted, 422),
    (errors.EmbeddingFailed, 503),
    (errors.StoreError, 503),
    (errors.ConfigError, 503),
    (errors.HoldfastError, 500),
)
"""Which status an error has; the first that fits. One that names a status itself has that."""

_FRAMES = 20
"""How many steps of the way to an error are logged."""

RETRY_S = 1
"""After which a client may try again where the server does not know better."""

_INWARD = (
    errors.StoreError,
    errors.ConfigError,
    errors.AgentFileUnusable,
    errors.GitFailed,
    errors.EmbeddingFailed,
)
"""Errors of the server's own surroundings: a caller could do nothing about them."""

_HIDDEN_FACTS = {
    "path": "of this project",
    "origin": "the settings of the server",
    "url": "of this server",
    "problem": "who runs it can see why",
}
"""Facts of those that are nobody's business outside, and what is said instead."""


class Problem(Struct, frozen=True):
    """An answer that is none."""

    status: int
    detail: str
    error: str
    named: str | None = None
    """The field that cannot be used."""
    facts: dict[str, object] = field(default_factory=dict)
    headers: tuple[tuple[bytes, bytes], ...] = ()

    def body(self) -> bytes:
        """Return it as a problem document."""
        document = {
            "type": "about:blank",
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": self.detail,
            "error": self.error,
        }
        document |= {"field": self.named} if self.named else {}
        document |= {"facts": self.facts} if self.facts else {}
        return json.dumps(document, default=str).encode()


def refusal(status: int, problem: str, headers: Sequence[tuple[str, str]] = ()) -> errors.RequestRefused:
    """Return the error for a request that cannot be taken."""
    return errors.RequestRefused(problem=problem, status=status, headers=tuple(headers))


def problem_of(error: Exception) -> Problem:
    """Return what a client is told of an error."""
    return _known_problem(outwards(error))


def outwards(error: Exception) -> errors.HoldfastError:
    """Return an error as somebody elsewhere may hear it: without a path, an address or content."""
    match error:
        case _ if isinstance(error, _INWARD):
            return type(error)(**{name: _HIDDEN_FACTS.get(name, value) for name, value in error.facts.items()})
        case errors.HoldfastError():
            return error
        case _:
            return _unexpected_error(error)


def _known_problem(error: errors.HoldfastError) -> Problem:
    given_status = error.facts.get("status")
    status = (
        given_status
        if isinstance(given_status, int)
        else next(code for kind, code in STATUSES if isinstance(error, kind))
    )
    facts = {name: value for name, value in error.facts.items() if name not in ("status", "headers")}
    headers = [(name.encode(), value.encode()) for name, value in error.facts.get("headers", ())]  # type: ignore[attr-defined]  # pairs of texts
    if status == 401:
        headers.append((b"www-authenticate", b'Bearer realm="holdfast"'))
    if status in (429, 503):
        headers.append((b"retry-after", str(error.facts.get("seconds", RETRY_S)).encode()))
    field_name = error.field if isinstance(error, errors.InvalidInput) else None
    return Problem(status, str(error), type(error).__name__, field_name, facts, tuple(headers))


def _unexpected_error(error: Exception) -> errors.HoldfastError:
    """Say that it is our mistake. Where it was is for the log of the server; its text may hold content."""
    if os.environ.get("HOLDFAST_DEBUG"):
        sys.stderr.write("".join(traceback.format_exception(error)))
    kind = type(error).__name__
    monitoring.note("mistake", error=kind, frames=frames_of(error))
    outward = errors.HoldfastError()
    outward.args = (f"Unexpected {kind}. This is a mistake of holdfast.",)
    return outward


def frames_of(error: Exception) -> list[str]:
    """Return where an error came from, the innermost last: file, line and function, and no value of theirs."""
    frames = traceback.extract_tb(error.__traceback__, limit=-_FRAMES)
    return [f"{'/'.join(frame.filename.split(os.sep)[-3:])}:{frame.lineno} in {frame.name}" for frame in frames]
