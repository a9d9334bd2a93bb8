"""Who listens proves that they know the token, on each connection, before it is sent there.

On this machine any program may take a port that a server has left; without encryption nothing else tells it apart.
The name that was called is part of the proof: one that passes the question on to the server answers with another.
"""

import json
import secrets
from collections.abc import Mapping
from typing import cast
from urllib.parse import quote

import httpcore2
import httpx2

from holdfast import errors
from holdfast.compose.tokens import digest_of, is_same_text, proof_of

_CONNECT_EVENT = "connection.connect_tcp.complete"


class ConnectionProof:
    """A hook for requests: each connection that is opened for one is asked for the proof first."""

    def __init__(self, token: str, url: str) -> None:
        self._id, _, secret = token.partition("_")[2].partition("_")
        if not self._id:
            raise errors.TokenRejected
        self._digest = digest_of(secret)
        self._url = url.rstrip("/")

    def __call__(self, request: httpx2.Request) -> None:
        """Look at what happens to a request."""

        def happened(event: str, facts: Mapping[str, object]) -> None:
            if event == _CONNECT_EVENT:
                self._prove(cast(httpcore2.NetworkStream, facts["return_value"]), request)

        request.extensions = {**request.extensions, "trace": happened}

    def _prove(self, stream: httpcore2.NetworkStream, request: httpx2.Request) -> None:
        host, nonce = request.headers["host"], secrets.token_hex(16)
        url = httpcore2.URL(
            f"{self._url}/healthz?token={quote(self._id, safe='', errors='replace')}&nonce={nonce}"
        )
        try:
            response = httpcore2.HTTP11Connection(url.origin, stream).request(
                "GET", url, headers={"Host": host}, extensions={"timeout": request.extensions.get("timeout", {})}
            )
            if not is_same_text(self._proof_in(response.content), proof_of(self._digest, host, nonce)):
                raise errors.TokenRejected
        except BaseException:
            stream.close()
            raise

    def _proof_in(self, content: bytes) -> str:
        try:
            return str(json.loads(content)["proof"])
        except (ValueError, KeyError, TypeError, RecursionError):
            raise errors.ServerUnreachable(url=self._url, problem="what answers there is no holdfast") from None
