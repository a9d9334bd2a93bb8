"""The vectors of a SQL store: what waits for one, and why none are made. What is near is the backend's. Light."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from holdfast.model.vectors import VECTOR_TARGETS, Failure, Unembedded
from holdfast.stores.sql.tables import Facet

if TYPE_CHECKING:
    from holdfast.model.vectors import Floats

MODEL = "vector_model"
"""Under which name a store remembers what its vectors were made with."""

FAILURE = "vector_failure"
"""Under which name it remembers why none are made."""


class SqlVectors(Facet):
    """`ports.Vectors` over named queries, but for the vectors themselves."""

    def failure(self) -> Failure | None:
        row = self._tables.one("meta_get", {"key": FAILURE})
        fields = json.loads(row[0]) if row else None
        return Failure(*fields) if fields else None

    def note_failure(self, failure: Failure | None) -> None:
        fields = [failure.model, failure.problem, failure.since] if failure else None
        self._tables.all("meta_set", {"key": FAILURE, "value": json.dumps(fields)})

    def unembedded(self, target: str, limit: int) -> list[Unembedded]:
        rows = self._tables.all(f"{target}_waiting", {"limit": limit})
        return [Unembedded(row_id, mark) for row_id, mark in rows]

    def waiting(self) -> dict[str, int]:
        counts: dict[str, int] = dict(self._tables.all("unembedded_counts"))
        return {target: counts.get(target, 0) for target in VECTOR_TARGETS}

    def _drop_all(self) -> None:
        """Let every row wait for a vector anew."""
        for step in ("vectors_drop", "unembedded_drop", *(f"{target}_wait_all" for target in VECTOR_TARGETS)):
            self._tables.all(step)

    def _by_number(
        self, target: str, vectors: "Mapping[str, Floats]", marks: Mapping[str, int] | None
    ) -> "dict[int, Floats]":
        """Return vectors by the numbers of their rows, of those rows whose mark is still the one given."""
        rows = self._tables.all(f"{target}_marks", {"ids": self._tables.ids(vectors)})
        return {
            number: vectors[row_id] for row_id, number, mark in rows if marks is None or marks.get(row_id) == mark
        }
