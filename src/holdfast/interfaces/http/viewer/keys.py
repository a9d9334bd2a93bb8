"""The codes and keys that let a person in: a code is good once, and is exchanged for the key of a browser's tab.

They live in the server's memory, as digests, and are gone with it. A key is no cookie: a browser sends those to
every port of a machine, and what listens at another port may be anybody's.
"""

import secrets
from dataclasses import replace

from holdfast.compose.tokens import TokenFile, digest_of
from holdfast.model.actor import Token

KEY_PREFIX = "hfv_"
CODE_MS = 600_000
"""How long a code waits for its one use."""

KEY_MS = 43_200_000
"""How long a tab may stay signed in."""

BYTES = 32


class ViewerKeys:
    """The codes and keys of one server."""

    def __init__(self, tokens: TokenFile) -> None:
        self._tokens = tokens
        self._codes: dict[str, Token] = {}
        self._keys: dict[str, Token] = {}

    def make_code(self, token: Token, now: int) -> str:
        """Return a code that lets somebody in once, as whom the token says."""
        code = secrets.token_urlsafe(BYTES)
        self._codes[digest_of(code)] = replace(token, expires=_sooner(now + CODE_MS, token.expires))
        return code

    def use_code(self, code: str, now: int) -> Token | None:
        """Return who a code lets in, and let it be good for nothing from now on."""
        token = self._codes.pop(digest_of(code), None)
        return replace(token, expires=None) if token and _holds(token, now) else None

    def make_key(self, token: Token, now: int) -> tuple[str, Token]:
        """Return the key of a tab, and what it is good for until when."""
        self._keys = {digest: kept for digest, kept in self._keys.items() if _holds(kept, now)}
        key = KEY_PREFIX + secrets.token_urlsafe(BYTES)
        lasting = self._keys[digest_of(key)] = replace(token, expires=_sooner(now + KEY_MS, token.expires))
        return key, lasting

    def find(self, key: str, now: int) -> Token | None:
        """Return the owner of a key that holds now: a key that was made of a server's token goes with that."""
        token = self._keys.get(digest_of(key))
        return (
            token if token and _holds(token, now) and (not token.digest or self._has_basis(token, now)) else None
        )

    def end(self, key: str) -> None:
        """Let a key be good for nothing."""
        self._keys.pop(digest_of(key), None)

    def _has_basis(self, token: Token, now: int) -> bool:
        return any(
            known.id == token.id and known.digest == token.digest and _holds(known, now)
            for known in self._tokens.all()
        )


def is_key(bearer: str) -> bool:
    """Return True when a request shows the key of a tab."""
    return bearer.startswith(KEY_PREFIX)


def _holds(token: Token, now: int) -> bool:
    return token.expires is None or token.expires > now


def _sooner(first: int, second: int | None) -> int:
    return first if second is None else min(first, second)
