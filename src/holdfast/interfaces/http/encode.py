"""From a result to the bytes of an answer: JSON with the fields of a value; a memory names its first source."""

from dataclasses import fields

from pydantic_core import to_json

from holdfast.model.memory import Memory

_FIELDS = tuple(field.name for field in fields(Memory))


def encode_result(result: object) -> bytes:
    """Return a result as JSON."""
    match result:
        case str():
            return result.encode(errors="replace")
        case Memory():
            return to_json(_memory(result))
        case list() | tuple() if result and isinstance(result[0], Memory):
            return to_json([_memory(memory) for memory in result])
        case _:
            return to_json(result)


def _memory(memory: Memory) -> dict[str, object]:
    shape = {name: getattr(memory, name) for name in _FIELDS}
    shape["source"] = memory.source
    return shape
