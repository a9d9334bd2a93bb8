"""Who acts: a person, an agent that works for one, or whoever holds a token of the server.

A token says who may do what, in whose memory. Its secret is known to its holder alone.
"""

from typing import NamedTuple

from msgspec import Struct

READ, WRITE, ADMIN = SCOPES = ("read", "write", "admin")
"""What a token is good for; each holds the ones before it."""

LOCAL = "local"
"""The tenant of an embedded store."""


class Actor(NamedTuple):
    """Whoever calls a verb. What an agent may not do, `capture/permission.py` says."""

    name: str
    """What the audit log calls them: `cli`, `mcp`, `http:ada`."""
    person: bool = True
    agent: str | None = None
    """The agent's own name, where it is known."""


PYTHON = Actor("python")
"""Who calls the Python API: whoever runs a program with it has the store in hand."""


class Token(Struct, frozen=True, kw_only=True):
    """What is kept of a token."""

    id: str
    name: str
    tenant: str
    scope: str
    project: str | None = None
    """The only project it is good for; None: every project of the tenant."""
    created_at: int
    expires: int | None = None
    digest: str
    """SHA-256 of the secret."""

    def may(self, needed_scope: str) -> bool:
        """Say whether its scope holds the one that is needed."""
        return SCOPES.index(self.scope) >= SCOPES.index(needed_scope)
