"""The way in: the page itself, signing in with a code or a token, and whose a request is afterwards."""

import contextlib
import time
from dataclasses import dataclass

from pydantic import TypeAdapter

from holdfast.compose.tokens import TokenFile
from holdfast.errors import InvalidInput, TokenRejected
from holdfast.interfaces.http.access import Headers, admit, bearer
from holdfast.interfaces.http.operations.operation import Arguments
from holdfast.interfaces.http.viewer.files import StaticFile, StaticFiles
from holdfast.interfaces.http.viewer.keys import ViewerKeys, is_key
from holdfast.interfaces.http.viewer.same_origin import check_same_origin
from holdfast.model.actor import Token

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
        now = _now()
        token = self.keys.use_code(proof.code, now) if proof.code else self._tokens.find(proof.token or "", now)
        if token is None:
            raise TokenRejected
        key, lasting_token = self.keys.make_key(token, now)
        return SignedIn(key=key, token=lasting_token)

    def sign_out(self, headers: Headers) -> None:
        """End a tab's key."""
        self.keys.end(bearer(headers))

    def admit(self, method: str, headers: Headers) -> Token:
        """Return whose a request is: a tab's key counts from the viewer's own pages only."""
        bearer_text = bearer(headers)
        if not is_key(bearer_text):
            return admit(self._tokens, headers, _now())
        check_same_origin(method, headers)
        token = self.keys.find(bearer_text, _now())
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
        return self.keys.find(key, _now()) is not None if key else self._tokens.holds(token, _now())


def _now() -> int:
    return time.time_ns() // 1_000_000
