"""Values as JSON, and masks over what no two runs share: ids, nonces, paths of the run."""

import re
from collections.abc import Mapping, Sequence
from enum import Enum
from pathlib import PurePath

Plain = None | bool | int | float | str | list["Plain"] | dict[str, "Plain"]

PLACES = 5
_ID = re.compile(
    r"(?<![0-9A-Za-z])(?<![0-9]\.)(?:([0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})"
    r"|([0-9a-f]{8}|[0-9a-f]{12}|[0-9a-f]{16}|[0-9a-f]{32}|[0-9a-f]{64}))(?![0-9A-Za-z])"
)
_TAIL = 8


def plain(value: object) -> Plain:
    """Turn any value into dicts, lists and scalars; numbers are rounded."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return round(value, PLACES)
        case Enum():
            return plain(value.value)
        case PurePath():
            return str(value)
        case bytes():
            return value.hex()
        case Mapping():
            return {str(key): plain(item) for key, item in value.items()}
    if names := field_names(value):
        return {name: plain(getattr(value, name)) for name in names}
    match value:
        case set() | frozenset():
            return sorted((plain(item) for item in value), key=repr)
        case Sequence():
            return [plain(item) for item in value]
        case _:
            return str(value)


def field_names(value: object) -> tuple[str, ...]:
    """Return the names of a value's public fields, whatever kind of record it is, in their own order."""
    kind = type(value)
    for attribute in ("__struct_fields__", "_fields", "__dataclass_fields__", "__slots__"):
        names = getattr(kind, attribute, ())
        if names and not isinstance(names, str):
            return tuple(name for name in names if not name.startswith("_"))
    return ()


class Mask:
    """Replace ids by the answer that showed them first, and the paths of a run by their role."""

    def __init__(self, paths: Mapping[str, str] | None = None) -> None:
        self._paths = sorted((paths or {}).items(), key=lambda pair: -len(pair[0]))
        self._labels: dict[str, str] = {}

    def name(self, identifier: str, label: str) -> None:
        """Give an id a label of its own."""
        self._labels[_tail(identifier)] = label

    def cover(self, answer: str, value: Plain) -> Plain:
        """Return a value with everything masked; new ids are numbered within the answer."""
        self._answer, self._count = answer, 0
        return self._covered(value)

    def _covered(self, value: Plain) -> Plain:
        match value:
            case str():
                for path, role in self._paths:
                    value = value.replace(path, role)
                return _ID.sub(self._label, value)
            case list():
                return [self._covered(item) for item in value]
            case dict():
                return {str(self._covered(key)): self._covered(item) for key, item in value.items()}
            case _:
                return value

    def _label(self, found: re.Match[str]) -> str:
        tail = _tail(found[0])
        if tail not in self._labels:
            self._count += 1
            self._labels[tail] = f"#{self._answer}.{self._count}"
        return self._labels[tail]


def _tail(identifier: str) -> str:
    """Return what a full id and its short form share."""
    return identifier if len(identifier) in (32, 64) else identifier[-_TAIL:]


def lines_of(text: str) -> list[Plain]:
    """Return a text line by line: a difference is then one line."""
    return list(text.split("\n"))
