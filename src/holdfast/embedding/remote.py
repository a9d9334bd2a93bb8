"""Embed through any server that speaks OpenAI's `/v1/embeddings`.

Lives here: one request, its time-out, its retries and the checks of what came back. Must not live here: keys
from the environment or files (wiring passes them). Uses the standard library, one connection a request, so
there is no pool to leak into a short-lived process.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from holdfast.errors import AnswerUnusable, EndpointRefused, EndpointUnreachable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
_LONGEST_WAIT = 30.0
_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where and how to ask. `url` ends before `/embeddings`, as OpenAI clients have it (`https://host/v1`)."""

    url: str
    model: str
    dimensions: int
    key: str | None = None
    timeout: float = 30.0
    retries: int = 3
    batch: int = 64
    send_dimensions: bool = False
    """Ask for `dimensions` in the request: only models that can shorten their vectors accept it."""

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"not an http(s) address: {self.url}")
        if self.batch < 1 or self.dimensions < 1 or self.retries < 0:
            raise ValueError("batch and dimensions must be at least 1, retries at least 0")

    def __repr__(self) -> str:
        return f"Endpoint(url={self.url!r}, model={self.model!r}, dimensions={self.dimensions})"


@dataclass(frozen=True, slots=True)
class _Reply:
    status: int
    body: bytes
    retry_after: float | None


class Remote:
    """Embeds texts by asking an endpoint; vectors are scaled to length 1."""

    def __init__(
        self,
        endpoint: Endpoint,
        sleep: Callable[[float], None] = time.sleep,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self.model = endpoint.model
        self.dimensions = endpoint.dimensions
        self._endpoint = endpoint
        self._sleep = sleep
        self._chance = chance

    def embed(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> NDArray[np.float32]:
        """Return one row per text; `progress` is told how many texts were done after each batch."""
        import numpy as np

        from holdfast.embedding.scan import unit

        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for start in range(0, len(texts), self._endpoint.batch):
            batch = list(texts[start : start + self._endpoint.batch])
            rows[start : start + len(batch)] = self._batch(batch)
            if progress is not None:
                progress(len(batch))
        return unit(rows)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the vector of one text, asked for once: whoever searches waits."""
        from holdfast.embedding.scan import unit

        return unit(np_row(self._batch([text], retries=0)[0]))

    def _batch(self, texts: list[str], retries: int | None = None) -> list[list[float]]:
        request: dict[str, Any] = {"model": self.model, "input": texts, "encoding_format": "float"}
        if self._endpoint.send_dimensions:
            request["dimensions"] = self.dimensions
        reply = self._insist(json.dumps(request).encode(), self._endpoint.retries if retries is None else retries)
        return vectors_in(reply, len(texts), self.dimensions)

    def _insist(self, body: bytes, retries: int) -> bytes:
        """Ask until there is an answer; wait twice as long each time, or as long as the server says."""
        problem = ""
        for attempt in range(retries + 1):
            wait: float | None = None
            try:
                reply = _ask(self._endpoint, body)
            except (OSError, HTTPException) as error:
                problem = str(error) or type(error).__name__
            else:
                if reply.status == 200:
                    return reply.body
                problem, wait = f"status {reply.status}: {_excerpt(reply.body)}", reply.retry_after
                if reply.status not in _RETRIED:
                    raise EndpointRefused(url=self._endpoint.url, problem=problem)
            if attempt < retries:
                self._sleep(self._wait(attempt, wait))
        raise EndpointUnreachable(url=self._endpoint.url, problem=problem)

    def _wait(self, attempt: int, asked: float | None) -> float:
        backoff: float = 0.5 * 2**attempt * (1 + self._chance() / 2)
        return min(asked if asked is not None else backoff, _LONGEST_WAIT)


def np_row(values: list[float]) -> NDArray[np.float32]:
    """Return one vector as an array."""
    import numpy as np

    return np.array(values, np.float32)


def vectors_in(body: bytes, count: int, dimensions: int) -> list[list[float]]:
    """Take the vectors out of an answer, in the order of the request, and check their number and size."""
    try:
        data = sorted(json.loads(body)["data"], key=lambda entry: int(entry["index"]))
        vectors = [[float(value) for value in entry["embedding"]] for entry in data]
    except (ValueError, TypeError, KeyError) as error:
        raise AnswerUnusable(problem=f"not an embeddings answer: {_excerpt(body)}") from error
    if [entry["index"] for entry in data] != list(range(count)):
        raise AnswerUnusable(problem=f"asked for {count} embeddings, got {len(data)}")
    wrong = next((len(vector) for vector in vectors if len(vector) != dimensions), None)
    if wrong is not None:
        raise AnswerUnusable(problem=f"vectors have {wrong} dimensions, configured are {dimensions}")
    return vectors


def _ask(endpoint: Endpoint, body: bytes) -> _Reply:
    parts = urlsplit(endpoint.url)
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=endpoint.timeout)
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    if endpoint.key:
        headers["Authorization"] = f"Bearer {endpoint.key}"
    try:
        connection.request("POST", parts.path.rstrip("/") + "/embeddings", body, headers)
        answer = connection.getresponse()
        return _Reply(answer.status, answer.read(), _retry_after(answer))
    finally:
        connection.close()


def _retry_after(answer: HTTPResponse) -> float | None:
    try:
        return max(0.0, float(answer.getheader("Retry-After", "")))
    except ValueError:
        return None


def _excerpt(body: bytes) -> str:
    return " ".join(body[:_SHOWN].decode("utf-8", "replace").split())
