"""The tokens of the server in one small file of the user's data directory, for its owner alone.

A secret has 256 random bits, so its SHA-256 is kept and no slow hash: there is nothing to guess.
The file is read again whenever it is another one, so that a revoked token is refused from the next request on.
"""

import contextlib
import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec.structs import asdict

from holdfast.capture.check import check_choice, check_name
from holdfast.errors import ConfigError, InvalidInput, UnknownId
from holdfast.machine import disk, paths
from holdfast.machine.disk import open_handle
from holdfast.model.actor import SCOPES, Token

PREFIX = "hft"
_ID_BYTES = 6
_SECRET_BYTES = 32
_MOST_BYTES = 16_777_216
_NOBODY = hashlib.sha256(b"").hexdigest()
"""What a secret is compared with when nobody has the token's id: the answer takes as long as any other."""


class TokenFile:
    """The tokens there are."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen_identity: tuple[int, int, int] | None = None
        self._tokens: dict[str, Token] = {}

    def all(self) -> Sequence[Token]:
        """Return every token, the oldest first; expired ones are among them until they are revoked."""
        self._refresh()
        return list(self._tokens.values())

    def find(self, text: str, now: int) -> Token | None:
        """Return the token that somebody shows, if it is one and holds now."""
        self._refresh()
        prefix, _, rest = text.partition("_")
        token_id, _, secret = rest.partition("_")
        token = self._tokens.get(token_id) if prefix == PREFIX else None
        fits = is_same_text(digest_of(secret), token.digest if token else _NOBODY)
        return token if token and fits and (token.expires is None or token.expires > now) else None

    def holds(self, token: Token, now: int) -> bool:
        """Say whether a token that was found is still good."""
        self._refresh()
        return self._tokens.get(token.id) == token and (token.expires is None or token.expires > now)

    def proof(self, token_id: str, host: str, nonce: str) -> str:
        """Return what only who knows a token, and is called so, can say of a nonce."""
        self._refresh()
        token = self._tokens.get(token_id)
        key = token.digest if token else secrets.token_hex(_SECRET_BYTES)
        return proof_of(key, host, nonce)

    def create(
        self, *, name: str, tenant: str, scope: str, project: str | None, expires: int | None, now: int
    ) -> tuple[Token, str]:
        """Make a token; return what is kept, and the text that its holder shows, which is nowhere else."""
        for field, value in (("name", name), ("tenant", tenant), *((("project", project),) if project else ())):
            check_name(field, value)
        check_choice("scope", scope, SCOPES)
        if expires is not None and expires <= now:
            raise InvalidInput(field="expires", problem="is over already.")
        token_id, secret = secrets.token_hex(_ID_BYTES), secrets.token_urlsafe(_SECRET_BYTES)
        token = Token(
            id=token_id,
            name=name.strip(),
            tenant=tenant.strip(),
            scope=scope,
            project=project,
            created_at=now,
            expires=expires,
            digest=digest_of(secret),
        )
        with self._changing() as tokens:
            tokens[token_id] = token
        return token, f"{PREFIX}_{token_id}_{secret}"

    def revoke(self, token_id: str) -> Token:
        """Let a token be good for nothing from now on."""
        with self._changing() as tokens:
            if token_id not in tokens:
                raise UnknownId(noun="token", id=token_id)
            return tokens.pop(token_id)

    def _refresh(self) -> None:
        """Look whether it is another file. One that cannot be read leaves what was good, where anything was."""
        identity = _identity(self._path)
        if identity == self._seen_identity:
            return
        try:
            self._tokens = _read_tokens(self._path)
        except ConfigError:
            if self._seen_identity is None:
                raise
            return
        self._seen_identity = identity

    @contextlib.contextmanager
    def _changing(self) -> Iterator[dict[str, Token]]:
        """Change the tokens, one process at a time; the file appears whole or not at all."""
        paths.make_private(str(self._path.parent))
        with _hold_lock(self._path.with_name(f"{self._path.name}.lock")):
            tokens = _read_tokens(self._path)
            yield tokens
            disk.replace_file(self._path, json.dumps([asdict(token) for token in tokens.values()], indent=1))


@contextlib.contextmanager
def _hold_lock(path: Path) -> Iterator[None]:
    descriptor = open_handle(path, os.O_CREAT | os.O_RDWR)
    try:
        disk.wait_for(descriptor)
        yield
    finally:
        os.close(descriptor)


def _read_tokens(path: Path) -> dict[str, Token]:
    try:
        with path.open("rb") as file:
            rows = json.loads(file.read(_MOST_BYTES))
        return {row["id"]: Token(**row) for row in rows}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
        raise ConfigError(key="tokens", problem=f"cannot be read ({type(error).__name__})", origin=path) from error


def _identity(path: Path) -> tuple[int, int, int] | None:
    try:
        file_status = os.stat(path)
    except OSError:
        return None
    return file_status.st_ino, file_status.st_mtime_ns, file_status.st_size


def digest_of(secret: str) -> str:
    """Return what is kept of a secret."""
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()


def proof_of(digest: str, host: str, nonce: str) -> str:
    """Return what shows that somebody who is called so knows a secret."""
    return hmac.digest(digest.encode(), f"{host.lower()}\n{nonce}".encode(), "sha256").hex()


def is_same_text(first: str, second: str) -> bool:
    """Say whether two texts are the same, in a time that tells nothing of where they differ."""
    return hmac.compare_digest(first.encode(errors="replace"), second.encode())
