"""The way into the viewer: its files, and the exchange of a code or a token for the key of a browser's tab.

A code is good once. Codes and keys live in the server's memory, as digests, and are gone with it. A key is good
from the viewer's pages alone, and no cookie: a browser sends those to every port of a machine, and what listens
at another port may be anybody's.

The files hold no data and need no token. They are read once, and sent with headers that keep a page from being
made to do what it must not. A browser asks each time whether a file is still the same, by its digest.
"""

import contextlib
import hashlib
import secrets
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from holdfast.errors import InvalidInput, TokenRejected
from holdfast.interfaces.arguments import read
from holdfast.interfaces.http.access import Headers, bearer
from holdfast.interfaces.http.arguments import Arguments
from holdfast.interfaces.http.asgi import NOT_MODIFIED, Send, answer
from holdfast.interfaces.http.codec import from_json
from holdfast.interfaces.http.problems import refusal
from holdfast.machine.environment import now
from holdfast.model.actor import Token
from holdfast.storage.tokens import TokenFile, digest_of

API = "/viewer/api"
LOGIN, LOGOUT, ENTRY, ME = (f"{API}/{name}" for name in ("login", "logout", "entry", "me"))

KEY_PREFIX = "hfv_"
CODE_MS = 600_000
"""How long a code waits for its one use."""

KEY_MS = 43_200_000
"""How long a tab may stay signed in."""

BYTES = 32


class SignIn(Arguments, frozen=True, kw_only=True):
    """What somebody shows to come in: one of the two."""

    code: str | None = None
    token: str | None = None


class ViewerEntry:
    """Sign-in: the codes and keys of one server, and the owner of each request."""

    def __init__(self, tokens: TokenFile) -> None:
        self._tokens = tokens
        self._codes: dict[str, Token] = {}
        self._keys: dict[str, Token] = {}

    def sign_in(self, method: str, headers: Headers, body: bytes) -> tuple[str, Token]:
        """Return the key of a tab, and what it is good for, for an unused code or a token of the server."""
        check_same_origin(method, headers)
        proof = read(from_json(body), SignIn)
        if (proof.code is None) == (proof.token is None):
            raise InvalidInput(field="token", problem="or code is needed, and only one of them.")
        at = now()
        token = self._use_code(proof.code, at) if proof.code else self._tokens.find(proof.token or "", at)
        if token is None:
            raise TokenRejected
        return self._make_key(token, at)

    def sign_out(self, headers: Headers) -> None:
        """End a tab's key."""
        self._keys.pop(digest_of(bearer(headers)), None)

    def admit(self, method: str, headers: Headers) -> Token:
        """Return whose a request is: a tab's key counts from the viewer's own pages only."""
        shown = bearer(headers)
        if is_key(shown):
            check_same_origin(method, headers)
            token = self._find_key(shown, now())
        else:
            token = self._tokens.find(shown, now())
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
        return self._find_key(key, now()) is not None if key else self._tokens.holds(token, now())

    def make_code(self, token: Token, now: int) -> str:
        """Return a code that lets somebody in once, as whom the token says."""
        code = secrets.token_urlsafe(BYTES)
        self._codes[digest_of(code)] = replace(token, expires=_sooner(now + CODE_MS, token.expires))
        return code

    def _use_code(self, code: str, now: int) -> Token | None:
        """Return who a code lets in, and let it be good for nothing from now on."""
        token = self._codes.pop(digest_of(code), None)
        return replace(token, expires=None) if token and _holds(token, now) else None

    def _make_key(self, token: Token, now: int) -> tuple[str, Token]:
        """Return the key of a tab, and what it is good for until when."""
        self._keys = {digest: kept for digest, kept in self._keys.items() if _holds(kept, now)}
        key = KEY_PREFIX + secrets.token_urlsafe(BYTES)
        lasting = self._keys[digest_of(key)] = replace(token, expires=_sooner(now + KEY_MS, token.expires))
        return key, lasting

    def _find_key(self, key: str, now: int) -> Token | None:
        """Return the owner of a key that holds now: a key that was made of a server's token goes with that."""
        token = self._keys.get(digest_of(key))
        return (
            token if token and _holds(token, now) and (not token.digest or self._has_basis(token, now)) else None
        )

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


PREFIX = "viewer"
"""The first part of the address of every file but the page itself, which is at `/`."""

FOLDER = Path(__file__).parent / "static"
PAGE = "index.html"

TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "svg": "image/svg+xml",
    "png": "image/png",
    "woff2": "font/woff2",
    "txt": "text/plain; charset=utf-8",
}
"""What may be sent, by a name's ending; anything else in the folder is nobody's business."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Nothing from elsewhere or written into the page, no form that a browser sends by itself, no frame around it."""

GUARDS = [
    (b"content-security-policy", POLICY.encode()),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"x-frame-options", b"DENY"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=(), payment=(), usb=()"),
]
"""Headers of every file."""


class StaticFile(Struct, frozen=True):
    """One file, and what it is known by."""

    content: bytes
    media_type: str
    tag: bytes


class StaticFiles:
    """Every file of the viewer."""

    def __init__(self) -> None:
        self._by_name = {
            file.relative_to(FOLDER).as_posix(): _static_file(file)
            for file in FOLDER.rglob("*")
            if file.suffix[1:] in TYPES
        }

    def find(self, path: str) -> StaticFile | None:
        """Return the file at an address; None: there is none."""
        if path == "/":
            return self._by_name.get(PAGE)
        prefix, _, name = path.removeprefix("/").partition("/")
        return self._by_name.get(name) if prefix == PREFIX else None


async def send_file(send: Send, file: StaticFile, headers: Headers) -> None:
    """Send a file, or that it is still the one the browser has."""
    known_tags = b",".join(value for name, value in headers if name == b"if-none-match")
    is_same = file.tag in (tag.strip().removeprefix(b"W/") for tag in known_tags.split(b","))
    guards = [*GUARDS, (b"etag", file.tag)]
    status, content = (NOT_MODIFIED, b"") if is_same else (200, file.content)
    await answer(send, status, content, file.media_type, guards, cache=b"no-cache")


def _static_file(file: Path) -> StaticFile:
    content = file.read_bytes()
    return StaticFile(content, TYPES[file.suffix[1:]], f'"{hashlib.sha256(content).hexdigest()[:32]}"'.encode())
