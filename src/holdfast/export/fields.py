"""A memory as names and JSON values: the shape that every export has, whatever it is written as."""

from collections.abc import Mapping, Sequence
from dataclasses import fields

from holdfast.model.conflict import Conflict
from holdfast.model.entry import Tie
from holdfast.model.memory import Memory
from holdfast.model.plain import Plain, plain
from holdfast.model.proposal import Proposal

LEFT_OUT = ("project", "tenant", "fingerprint")
"""What belongs to the store that keeps a memory, or follows from its content."""

FIELDS = (*(one.name for one in fields(Memory) if one.name not in LEFT_OUT), "source", "conflicts", "proposals")

Exported = dict[str, Plain]


def exported(memory: Memory, ties: Sequence[Tie] = ()) -> Exported:
    """Return a memory as it is written down, with conflicts in which it is the later side, and what waits."""
    shape = plain(memory)
    assert isinstance(shape, dict)  # noqa: S101 - a memory is an object, whatever `plain` returns for others
    rivals = [plain(_known(one)) for one in ties if isinstance(one, Conflict) and one.second == memory.id]
    wishes = [plain(_asked(one)) for one in ties if isinstance(one, Proposal) and one.memory == memory.id]
    return {name: shape[name] for name in FIELDS if name in shape} | {"conflicts": rivals, "proposals": wishes}


def _asked(proposal: Proposal) -> Mapping[str, object]:
    names = ("id", "verb", "other", "arguments", "actor", "agent", "at", "why", "seen")
    return {name: getattr(proposal, name) for name in names}


def _known(conflict: Conflict) -> Mapping[str, object]:
    return {"id": conflict.id, "first": conflict.first, "kind": conflict.kind, "detected_at": conflict.detected_at}
