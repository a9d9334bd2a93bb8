"""Two memories that cannot both hold."""

from dataclasses import dataclass

CONFLICT_KINDS = ("contradictory", "superseded", "ambiguous")


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """A pair of memories that disagree, until a person says which holds."""

    id: str
    first: str
    second: str
    kind: str
    detected_at: int
    resolved_at: int | None = None
    kept: str | None = None
