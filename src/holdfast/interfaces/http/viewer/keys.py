"""How a person comes in: a code that is good once, and the key of a browser's tab that it is exchanged for.

They lie in the folder that all workers of a server share, as digests, and are gone with the server. A code is used
by removing its file: of two who show the same one, the file system lets one succeed. A key is no cookie: a browser
sends those to every port of a machine, and what listens at another port may be anybody's.
"""

import contextlib
import json
import secrets
from dataclasses import asdict, replace
from pathlib import Path

from holdfast.model.actor import Token
from holdfast.storage.tokens import TokenFile, digest_of

KEY_PREFIX = "hfv_"
CODE_MS = 600_000
"""How long a code waits for its one use."""

KEY_MS = 43_200_000
"""How long a tab may stay signed in."""

BYTES = 32
_CODE, _KEY = "code", "key"


class ViewerKeys:
    """The codes and keys of one server."""

    def __init__(self, shared: Path, tokens: TokenFile) -> None:
        self._folder = shared / "viewer"
        self._folder.mkdir(mode=0o700, exist_ok=True)
        self._tokens = tokens

    def make_code(self, token: Token, now: int) -> str:
        """Return a code that lets somebody in once, as whom the token says."""
        code = secrets.token_urlsafe(BYTES)
        self._write(_CODE, code, replace(token, expires=_sooner(now + CODE_MS, token.expires)))
        return code

    def use_code(self, code: str, now: int) -> Token | None:
        """Return who a code lets in, and let it be good for nothing from now on."""
        path = self._path(_CODE, code)
        token = _read(path)
        try:
            path.unlink()
        except OSError:
            return None  # somebody else was first, or there never was one
        return replace(token, expires=None) if token and _holds(token, now) else None

    def make_key(self, token: Token, now: int) -> tuple[str, Token]:
        """Return the key of a tab, and what it is good for until when."""
        self._sweep(now)
        key = KEY_PREFIX + secrets.token_urlsafe(BYTES)
        lasting = replace(token, expires=_sooner(now + KEY_MS, token.expires))
        self._write(_KEY, key, lasting)
        return key, lasting

    def find(self, key: str, now: int) -> Token | None:
        """Return whose a key is, if it holds now: a key that was made of a server's token goes with that."""
        token = _read(self._path(_KEY, key))
        return token if token and self.holds(token, now) else None

    def holds(self, token: Token, now: int) -> bool:
        """Say whether what a key is good for still holds; that of `holdfast view` rests on no token."""
        return _holds(token, now) and (not token.digest or self._has_basis(token, now))

    def end(self, key: str) -> None:
        """Let a key be good for nothing."""
        with contextlib.suppress(OSError):
            self._path(_KEY, key).unlink()

    def _sweep(self, now: int) -> None:
        """Take away what is good for nothing any more."""
        for path in self._folder.iterdir():
            token = _read(path)
            if token is not None and not _holds(token, now):
                path.unlink(missing_ok=True)

    def _has_basis(self, token: Token, now: int) -> bool:
        return any(
            known.id == token.id and known.digest == token.digest and _holds(known, now)
            for known in self._tokens.all()
        )

    def _path(self, sort: str, secret: str) -> Path:
        return self._folder / f"{sort}-{digest_of(secret)}"

    def _write(self, sort: str, secret: str, token: Token) -> None:
        path = self._path(sort, secret)
        path.touch(mode=0o600)
        path.write_text(json.dumps(asdict(token)), encoding="utf-8")


def is_key(bearer: str) -> bool:
    """Say whether what a request shows is the key of a tab."""
    return bearer.startswith(KEY_PREFIX)


def _read(path: Path) -> Token | None:
    with contextlib.suppress(OSError, ValueError, TypeError):
        return Token(**json.loads(path.read_text(encoding="utf-8")))
    return None


def _holds(token: Token, now: int) -> bool:
    return token.expires is None or token.expires > now


def _sooner(first: int, second: int | None) -> int:
    return first if second is None else min(first, second)
