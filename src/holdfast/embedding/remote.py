"""Embed through any server that speaks OpenAI's `/v1/embeddings`.

Lives here: one request, its retries and the checks of what came back. Must not live here: keys
from the environment or files (`storage.options` passes them).
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Sequence
from http.client import HTTPException
from math import isfinite
from typing import TYPE_CHECKING

from holdfast.errors import AnswerUnusable, EndpointRefused, EndpointUnreachable
from holdfast.machine.json_endpoint import Address, excerpt, objection, post

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_RETRY_STATUSES = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
_FIRST_WAIT = 0.5
"""Seconds before the first retry; each further one waits twice as long, and up to half as long again by chance."""

_LONGEST_WAIT = 30.0
"""Seconds, whatever a server asks for."""

_NUMBER_BYTES = 64
"""More than a number takes in JSON: what an answer may take is reckoned with it."""

_SLACK = 1 << 20
"""Bytes of an answer beside its numbers."""

_LARGEST = 1e15
"""Components beyond this are nonsense, and their squares would not fit into 32 bits."""


class RemoteEmbedder:
    """Embeds texts by asking a server; vectors are scaled to length 1."""

    def __init__(
        self,
        address: Address,
        model: str,
        dimensions: int,
        *,
        batch: int = 64,
        retries: int = 3,
        sleep: Callable[[float], None] = time.sleep,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self.model = model
        self.dimensions = dimensions
        self._address = address
        self._texts_at_once = batch
        self._retries = retries
        self._sleep = sleep
        self._chance = chance

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one row per text."""
        import numpy as np

        from holdfast.embedding.scan import unit

        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for start in range(0, len(texts), self._texts_at_once):
            batch = list(texts[start : start + self._texts_at_once])
            rows[start : start + len(batch)] = self._batch(batch)
        return unit(rows)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the vector of one text, asked for once: whoever searches waits."""
        import numpy as np

        from holdfast.embedding.scan import unit

        return unit(np.array(self._batch([text], retries=0)[0], np.float32))

    def _batch(self, texts: list[str], retries: int | None = None) -> list[list[float]]:
        request = {"model": self.model, "input": texts, "encoding_format": "float"}
        most = _SLACK + len(texts) * self.dimensions * _NUMBER_BYTES
        reply = self._insist(json.dumps(request).encode(), most, self._retries if retries is None else retries)
        return vectors_in(reply, len(texts), self.dimensions)

    def _insist(self, body: bytes, most: int, retries: int) -> bytes:
        """Ask until there is an answer; wait twice as long each time, or as long as the server says."""
        problem = ""
        for attempt in range(retries + 1):
            wait: float | None = None
            try:
                reply = post(self._address, "/embeddings", body, most)
            except (OSError, HTTPException) as error:
                problem = str(error) or type(error).__name__
            else:
                if reply.status == 200:
                    return reply.body
                problem, wait = objection(reply, "embedding.url"), reply.retry_after
                if reply.status not in _RETRY_STATUSES:
                    raise EndpointRefused(url=self._address.url, problem=problem)
            if attempt < retries:
                self._sleep(self._wait(attempt, wait))
        raise EndpointUnreachable(url=self._address.url, problem=problem)

    def _wait(self, attempt: int, retry_after: float | None) -> float:
        backoff: float = _FIRST_WAIT * 2**attempt * (1 + self._chance() / 2)
        return min(retry_after if retry_after is not None else backoff, _LONGEST_WAIT)


def vectors_in(body: bytes, count: int, dimensions: int) -> list[list[float]]:
    """Take the vectors out of an answer, in the order of the request, and check their number, size and numbers."""
    try:
        embeddings = {int(entry["index"]): entry["embedding"] for entry in json.loads(body)["data"]}
        vectors = [[float(value) for value in embeddings[place]] for place in sorted(embeddings)]
    except (ValueError, TypeError, KeyError) as error:
        raise AnswerUnusable(problem=f"not an embeddings answer: {excerpt(body)}") from error
    if sorted(embeddings) != list(range(count)):
        raise AnswerUnusable(problem=f"asked for {count} embeddings, got {_numbers(embeddings)}")
    wrong = next((len(vector) for vector in vectors if len(vector) != dimensions), None)
    if wrong is not None:
        raise AnswerUnusable(problem=f"vectors have {wrong} dimensions, configured are {dimensions}")
    if not all(isfinite(value) and abs(value) <= _LARGEST for vector in vectors for value in vector):
        raise AnswerUnusable(problem="a vector holds something that is no finite number")
    return vectors


def _numbers(embeddings: dict[int, object]) -> str:
    """Say how many came, and which, when it is not their number that is wrong."""
    return f"{len(embeddings)}, numbered {', '.join(map(str, sorted(embeddings)[:5]))}" if embeddings else "0"
