"""A memory as names and JSON values: the shape that every export has, whatever it is written as."""

from collections.abc import Mapping, Sequence
from dataclasses import fields

from holdfast.model.conflict import Conflict
from holdfast.model.memory import Memory
from holdfast.model.plain import Plain, plain

LEFT_OUT = ("project", "tenant", "fingerprint")
"""What belongs to the store that keeps a memory, or follows from its content."""

FIELDS = (*(one.name for one in fields(Memory) if one.name not in LEFT_OUT), "source", "conflicts")

Exported = dict[str, Plain]


def exported(memory: Memory, conflicts: Sequence[Conflict] = ()) -> Exported:
    """Return a memory as it is written down; the conflicts are those in which it is the later side."""
    shape = plain(memory)
    assert isinstance(shape, dict)  # noqa: S101 - a memory is an object, whatever `plain` returns for others
    rivals = [plain(_known(one)) for one in conflicts if one.second == memory.id]
    return {name: shape[name] for name in FIELDS if name != "conflicts"} | {"conflicts": rivals}


def _known(conflict: Conflict) -> Mapping[str, object]:
    return {"id": conflict.id, "first": conflict.first, "kind": conflict.kind, "detected_at": conflict.detected_at}
