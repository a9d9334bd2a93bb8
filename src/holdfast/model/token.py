"""A token of the server: who may do what, in whose memory. Its secret is known to its holder alone."""

from holdfast.model.value import Value

READ, WRITE, ADMIN = SCOPES = ("read", "write", "admin")
"""What a token is good for; each holds the ones before it."""

LOCAL = "local"
"""The tenant of an embedded store."""


class Token(Value, kw_only=True):
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
