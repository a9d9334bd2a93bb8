"""Admission of requests by their headers: Host, Origin, token, project; and the share of the room of one token."""

import contextlib
from collections import Counter
from collections.abc import Iterable, Iterator
from urllib.parse import unquote_to_bytes

from msgspec import Struct

from holdfast.capture.check import check_name
from holdfast.errors import InvalidInput, ScopeMissing, ServerBusy, TokenRejected
from holdfast.interfaces.http.problems import refusal
from holdfast.model.actor import Token

Headers = list[tuple[bytes, bytes]]
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_BEARER = "bearer "
_PROJECT = "Holdfast-Project"


class Names(Struct, frozen=True):
    """What the server is called: the hosts and origins that a request may name, each exactly.

    A page of another site that has its own name point here (DNS rebinding) names itself, and is refused.
    """

    hosts: frozenset[str]
    origins: frozenset[str]

    @classmethod
    def of(cls, host: str, port: int, hosts: Iterable[str] = (), origins: Iterable[str] = ()) -> "Names":
        """Return the names of a server that listens at an address, with those that a proxy gives it."""
        host_name = f"[{host}]" if ":" in host else host
        own = {f"{name}:{port}" for name in {host_name, *LOOPBACK}}
        proxy_names = {name.lower() for name in hosts}
        return cls(
            frozenset(own | proxy_names),
            frozenset({f"http://{name}" for name in own} | _origins(origins, proxy_names)),
        )

    def check(self, headers: Headers) -> None:
        """Refuse a request that names another host, or comes from another site's page."""
        host = [value for name, value in headers if name == b"host"]
        if len(host) != 1 or host[0].decode("latin-1").lower() not in self.hosts:
            raise refusal(421, "the Host header does not name this server. `server.hosts` lists further names.")
        for name, value in headers:
            if name == b"origin" and value.decode("latin-1").lower() not in self.origins:
                raise refusal(403, "the Origin header names another site. `server.origins` lists those allowed.")


def _origins(origins: Iterable[str], hosts: Iterable[str]) -> set[str]:
    return {origin.lower().rstrip("/") for origin in origins} | {f"https://{host}" for host in hosts}


def bearer(headers: Headers) -> str:
    """Return the token that a request shows."""
    values = [value for name, value in headers if name == b"authorization"]
    text = values[0].decode("latin-1") if len(values) == 1 else ""
    if not text[: len(_BEARER)].lower() == _BEARER:
        raise TokenRejected
    return text[len(_BEARER) :].strip()


def check_scope(token: Token, scope: str) -> None:
    """Refuse what the token is not for."""
    if not token.may(scope):
        raise ScopeMissing(needed=f"of the scope {scope}", has=f"has {token.scope}")


def asked_project(headers: Headers) -> str | None:
    """Return the project that a request names, in UTF-8 with or without percent signs; None: none."""
    values = [value for name, value in headers if name == _PROJECT.lower().encode()]
    if not values:
        return None
    try:
        project = unquote_to_bytes(values[0]).decode()
    except UnicodeDecodeError:
        raise InvalidInput(field=_PROJECT, problem="must be UTF-8, with percent signs.") from None
    check_name(_PROJECT, project)
    if len(values) > 1 or not project.isprintable():
        raise InvalidInput(field=_PROJECT, problem="must be one name of characters that can be seen.")
    return project


def check_project(token: Token, project: str | None) -> str | None:
    """Return the project that a request is about; refuse another than the token's, where it has one."""
    if token.project is None:
        return project
    if project not in (None, token.project):
        raise ScopeMissing(needed="for that project", has=f"is for {token.project} alone")
    return token.project


class Room:
    """The requests that each token has under way; one token takes only part of the room."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._under_way: Counter[str] = Counter()

    @contextlib.contextmanager
    def taken(self, token_id: str) -> Iterator[None]:
        """Hold room for one request; raise when the token has as many under way as one may have."""
        if self._under_way[token_id] >= self._most:
            raise ServerBusy(
                problem=f"This token has {self._most} requests under way, as many as one may have.",
                seconds=1,
                status=429,
            )
        self._under_way[token_id] += 1
        try:
            yield
        finally:
            self._under_way[token_id] -= 1
            if not self._under_way[token_id]:
                del self._under_way[token_id]
