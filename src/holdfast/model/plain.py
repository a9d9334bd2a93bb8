"""Values made of values, and as JSON-ready objects: the one shape that every interface prints."""

from collections.abc import Mapping
from typing import TypeVar

from msgspec import Struct

from holdfast.model.memory import Memory

V = TypeVar("V", bound=Struct)
Plain = None | bool | int | float | str | list["Plain"] | dict[str, "Plain"]


def filled(kind: type[V], /, *rows: object, **more: object) -> V:
    """Return a value of a kind: a field is what is given for it, else what the first row has under its name."""
    own = {
        name: getattr(row, name) for row in reversed(rows) for name in kind.__struct_fields__ if hasattr(row, name)
    }
    return kind(**own | more)


def plain(value: object) -> Plain:
    """Turn a value of the model into dicts, lists and scalars; a memory also names its first source."""
    match value:
        case None | bool() | int() | float() | str():
            return value
        case Mapping():
            return {str(key): plain(item) for key, item in value.items()}
        case tuple() | list():
            return [plain(item) for item in value]
        case Struct():
            shape: dict[str, Plain] = {name: plain(getattr(value, name)) for name in value.__struct_fields__}
            if isinstance(value, Memory):
                shape["source"] = value.source
            return shape
        case _:
            raise TypeError(f"{type(value).__name__} has no JSON form")
