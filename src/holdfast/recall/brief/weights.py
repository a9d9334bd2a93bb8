"""The parts of an entry's score in a brief, each a factor around 1, each named in `why`.

score = relevance × kind × recency × reads × files × status × trust

Relevance decides; the others move an entry by tens of percents, so that of two that are equally relevant the one
that is a decision, newer, read before, about the file at hand, confirmed and said by a person comes first. Search
hits and earlier briefs count for nothing: memory must not confirm itself.
"""

import math
from collections.abc import Mapping, Sequence

from msgspec import Struct

from holdfast.model.kinds import (
    AGENT,
    CANDIDATE,
    COMMIT,
    CONFIRMED,
    FADES_AFTER_DAYS,
    IMPORTED,
    PERSON_ROLES,
    PINNED,
    PROMOTED,
    TOOL,
    USER,
)
from holdfast.model.limits import DAY_MS
from holdfast.model.memory import Memory
from holdfast.model.session import Turn
from holdfast.model.thread import Thread

KINDS: Mapping[str, float] = {
    "decision": 1.1, "warning": 1.1, "preference": 1.05, "architecture": 1.05, "pattern": 1.0, "error": 1.0,
    "bugfix": 1.0, "fact": 0.95, "discovery": 0.9, "feature": 0.9, "refactor": 0.85, "change": 0.85,
    "observation": 0.85, "file_change": 0.75, "task_progress": 0.75,
}  # fmt: skip
"""What a kind of memory counts."""

STATUSES: Mapping[str, float] = {CANDIDATE: 0.9, CONFIRMED: 1.0, PINNED: 1.1}
TRUSTS: Mapping[str, float] = {USER: 1.1, AGENT: 1.0, IMPORTED: 0.9, TOOL: 0.0}
"""What a tool or the web said is never injected by itself."""

TALK = 0.7
"""A thread has no status: a memory that says the same comes first."""

OLD = 0.9
FRESH = 0.2
"""An entry counts from `OLD` up to `OLD + FRESH` the newer it is."""

HALF_LIFE_DAYS = 45
LASTING_HALF_LIFE_DAYS = 180
"""Days after which half of `FRESH` is gone; the second for kinds that never fade."""

READ_BONUS = 0.05
MOST_READ_BONUS = 0.25
"""What each doubling of reads adds, and all of them together."""

SAME_FILE = 1.4
SAME_NAME = 1.2
SAME_FOLDER = 1.1
"""About the very file at hand, about one of its name, about one of its folder."""


VERY_SURE = 0.8
"""The probability of lasting from which on a session's start tells what a person only said. The probabilities are
calibrated on left-out projects, so at least four of five such entries last."""


class Scene(Struct, frozen=True):
    """When a brief is asked for, and which files are being worked on."""

    now: int
    files: tuple[str, ...] = ()


def memory_parts(memory: Memory, scene: Scene) -> dict[str, float]:
    """Return the factors of a memory's score, relevance aside."""
    lasting = FADES_AFTER_DAYS[memory.kind] is None
    return {
        "kind": KINDS[memory.kind],
        "recency": _recency(scene.now - memory.renewed_at, LASTING_HALF_LIFE_DAYS if lasting else HALF_LIFE_DAYS),
        "reads": 1 + min(MOST_READ_BONUS, READ_BONUS * math.log2(1 + memory.reads)),
        "files": affinity(memory.files, scene.files),
        "status": STATUSES[memory.status],
        "trust": TRUSTS[memory.trust],
    }


def thread_parts(thread: Thread, scene: Scene) -> dict[str, float]:
    """Return the factors of a thread's score, relevance aside."""
    return {
        "kind": 1.0,
        "recency": _recency(scene.now - thread.at, LASTING_HALF_LIFE_DAYS),
        "reads": 1.0,
        "files": affinity(thread.files, scene.files),
        "status": TALK,
        "trust": TRUSTS[USER],
    }


def stands(memory: Memory) -> bool:
    """Say whether a person stands behind a memory: stated it, or confirmed what an agent said."""
    return memory.trust == USER or (memory.trust == AGENT and memory.status != CANDIDATE)


def is_said(memory: Memory) -> bool:
    """Return whether a memory was kept because the judge thinks that it lasts, and nobody confirmed it yet."""
    return memory.trust == USER and memory.status == CANDIDATE and PROMOTED in memory.sources


def is_sure(memory: Memory) -> bool:
    """Return whether a session's start may tell what was only said."""
    return memory.confidence >= VERY_SURE


def turn_trust(turn: Turn) -> str:
    """Say whose word a turn is, in briefs and in searches alike."""
    if turn.tool:
        return TOOL
    if turn.role == COMMIT:
        return IMPORTED
    return USER if turn.role.lower() in PERSON_ROLES else AGENT


def score(parts: Mapping[str, float]) -> float:
    """Multiply the parts."""
    return float(math.prod(parts.values(), start=1.0))


def affinity(paths: Sequence[str], active: Sequence[str]) -> float:
    """Return how much files have to do with those that are being worked on."""
    best = 1.0
    for path in paths:
        for active_path in active:
            best = max(best, _alike(path, active_path))
    return best


def _alike(path: str, active_path: str) -> float:
    if path == active_path or path.endswith(f"/{active_path}") or active_path.endswith(f"/{path}"):
        return SAME_FILE
    folder, _, name = path.rpartition("/")
    other_folder, _, other_name = active_path.rpartition("/")
    if name == other_name:
        return SAME_NAME
    return SAME_FOLDER if folder and folder == other_folder else 1.0


def _recency(age_ms: int, half_life_days: int) -> float:
    days = max(0, age_ms) / DAY_MS
    return OLD + FRESH * math.exp2(-days / half_life_days)
