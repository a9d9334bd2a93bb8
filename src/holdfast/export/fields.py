"""A memory as names and JSON values: the shape that every export has, whatever it is written as."""

from collections.abc import Mapping, Sequence
from dataclasses import fields

from holdfast.model.inbox import Proposal
from holdfast.model.ingest import Tie
from holdfast.model.memory import Conflict, Memory
from holdfast.model.plain import Plain, plain

LEFT_OUT = ("project", "tenant", "fingerprint")
"""What belongs to the store that keeps a memory, or follows from its content."""

FIELDS = (
    *(memory_field.name for memory_field in fields(Memory) if memory_field.name not in LEFT_OUT),
    "source",
    "conflicts",
    "proposals",
)

ExportedMemory = dict[str, Plain]


def export_memory(memory: Memory, ties: Sequence[Tie] = ()) -> ExportedMemory:
    """Return a memory as it is written down, with conflicts in which it is the later side, and what waits."""
    shape = plain(memory)
    assert isinstance(shape, dict)  # noqa: S101 - a memory is an object, whatever `plain` returns for others
    rivals = [
        plain(_conflict_fields(conflict))
        for conflict in ties
        if isinstance(conflict, Conflict) and conflict.second == memory.id
    ]
    wishes = [
        plain(_proposal_fields(proposal))
        for proposal in ties
        if isinstance(proposal, Proposal) and proposal.memory == memory.id
    ]
    return {name: shape[name] for name in FIELDS if name in shape} | {"conflicts": rivals, "proposals": wishes}


def _proposal_fields(proposal: Proposal) -> Mapping[str, object]:
    names = ("id", "verb", "other", "arguments", "actor", "agent", "at", "why", "seen")
    return {name: getattr(proposal, name) for name in names}


def _conflict_fields(conflict: Conflict) -> Mapping[str, object]:
    return {"id": conflict.id, "first": conflict.first, "kind": conflict.kind, "detected_at": conflict.detected_at}
