"""Sign-in: a code or a token is exchanged for the key of a browser's tab, good from the viewer's pages alone.

A code is good once. Codes and keys live in the server's memory, as digests, and are gone with it. A key is no
cookie: a browser sends those to every port of a machine, and what listens at another port may be anybody's.
"""

import contextlib
import secrets
from dataclasses import dataclass, replace

from pydantic import TypeAdapter

from holdfast.errors import InvalidInput, TokenRejected
from holdfast.interfaces.http.access import Headers, admit, bearer
from holdfast.interfaces.http.operations.arguments import Arguments
from holdfast.interfaces.http.problems import refusal
from holdfast.interfaces.http.viewer.files import StaticFile, StaticFiles
from holdfast.machine.environment import now
from holdfast.model.actor import Token
from holdfast.storage.tokens import TokenFile, digest_of

API = "/viewer/api"
LOGIN, LOGOUT, ENTRY, ME = (f"{API}/{name}" for name in ("login", "logout", "entry", "me"))


@dataclass(frozen=True, slots=True, kw_only=True)
class SignIn(Arguments):
    """What somebody shows to come in: one of the two."""

    code: str | None = None
    token: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedIn:
    """The key of a tab, and whose it is."""

    key: str
    token: Token


class ViewerEntry:
    """Sign-in, and the owner of each request."""

    def __init__(self, tokens: TokenFile) -> None:
        self._tokens = tokens
        self._files = StaticFiles()
        self.keys = ViewerKeys(tokens)

    def file_at(self, path: str) -> StaticFile | None:
        """Return the viewer's file at an address."""
        return self._files.find(path)

    def sign_in(self, method: str, headers: Headers, body: bytes) -> SignedIn:
        """Let somebody in who shows a code that was not used yet, or a token of the server."""
        check_same_origin(method, headers)
        proof: SignIn = TypeAdapter(SignIn).validate_json(body or b"{}", strict=True)
        if (proof.code is None) == (proof.token is None):
            raise InvalidInput(field="token", problem="or code is needed, and only one of them.")
        at = now()
        token = self.keys.use_code(proof.code, at) if proof.code else self._tokens.find(proof.token or "", at)
        if token is None:
            raise TokenRejected
        key, lasting_token = self.keys.make_key(token, at)
        return SignedIn(key=key, token=lasting_token)

    def sign_out(self, headers: Headers) -> None:
        """End a tab's key."""
        self.keys.end(bearer(headers))

    def admit(self, method: str, headers: Headers) -> Token:
        """Return whose a request is: a tab's key counts from the viewer's own pages only."""
        bearer_text = bearer(headers)
        if not is_key(bearer_text):
            return admit(self._tokens, headers, now())
        check_same_origin(method, headers)
        token = self.keys.find(bearer_text, now())
        if token is None:
            raise TokenRejected
        return token

    def key_in(self, headers: Headers) -> str:
        """Return the key of the tab that asks; nothing where none does."""
        with contextlib.suppress(TokenRejected):  # who signs in shows nothing yet
            return key if is_key(key := bearer(headers)) else ""
        return ""

    def holds(self, token: Token, key: str) -> bool:
        """Say whether somebody who came in may stay: a tab until it signs out."""
        return self.keys.find(key, now()) is not None if key else self._tokens.holds(token, now())


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


MARK = b"holdfast-viewer"
"""A header of our own: a form or an image of another site cannot send it."""


def check_same_origin(method: str, headers: Headers) -> None:
    """Refuse a request that another site's page may have made."""
    values = dict(headers)
    if values.get(MARK) != b"1":
        raise refusal(403, "the header Holdfast-Viewer: 1 is missing, which the viewer's own pages send.")
    if values.get(b"sec-fetch-site", b"same-origin") != b"same-origin":
        raise refusal(403, "the browser says that a page of another site asks.")
    if method != "GET" and _site(values.get(b"origin", b"")) != values.get(b"host", b"").lower():
        raise refusal(
            403, "the Origin header does not name this server: only the viewer's own pages change things."
        )


def _site(origin: bytes) -> bytes:
    return origin.lower().partition(b"://")[2]
