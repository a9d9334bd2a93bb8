"""Values as JSON-ready objects: the one shape that every interface prints."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass

from holdfast.model.memory import Memory

Plain = None | bool | int | float | str | list["Plain"] | dict[str, "Plain"]


def plain(value: object) -> Plain:
    """Turn a value of the model into dicts, lists and scalars; a memory also names its first source."""
    match value:
        case None | bool() | int() | float() | str():
            return value
        case Mapping():
            return {str(key): plain(item) for key, item in value.items()}
        case tuple() | list():
            return [plain(item) for item in value]
        case _ if is_dataclass(value) and not isinstance(value, type):
            shape: dict[str, Plain] = {item.name: plain(getattr(value, item.name)) for item in fields(value)}
            if isinstance(value, Memory):
                shape["source"] = value.source
            return shape
        case _:
            raise TypeError(f"{type(value).__name__} has no JSON form")
