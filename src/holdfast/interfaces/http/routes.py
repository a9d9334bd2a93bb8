"""Every operation, and from an address to one of them: by its parts, a fixed word before a gap to fill."""

from collections.abc import Iterable
from dataclasses import dataclass
from types import ModuleType
from typing import Any
from urllib.parse import unquote

from holdfast.interfaces.http.operations import memories, sessions, upkeep
from holdfast.interfaces.http.operations.arguments import Operation
from holdfast.interfaces.http.problems import refusal

PREFIXES = ("api", "v1")
"""Where operations are: `/api/…`, and the same under the version that this interface has."""


def operations_of(*groups: ModuleType) -> dict[str, Operation[Any]]:
    """Return the operations that modules declare, by name."""
    values = (value for group in groups for value in vars(group).values())
    return {value.name: value for value in values if isinstance(value, Operation)}


OPERATIONS = operations_of(memories, sessions, upkeep)
"""Every operation of the REST interface, by its name."""


@dataclass(frozen=True, slots=True)
class RouteMatch:
    """An operation, and what stands in the gaps of its path."""

    operation: Operation[Any]
    path: dict[str, str]


class Routes:
    """The operations by their paths."""

    def __init__(self, operations: Iterable[Operation[Any]]) -> None:
        self._by_length: dict[int, list[tuple[tuple[str, ...], Operation[Any]]]] = {}
        for operation in operations:
            parts = tuple(operation.path.strip("/").split("/"))
            self._by_length.setdefault(len(parts), []).append((parts, operation))
        for candidates in self._by_length.values():
            candidates.sort(key=lambda pair: [part.startswith("{") for part in pair[0]])

    def find(self, method: str, parts: list[str]) -> RouteMatch:
        """Return the operation at an address; refuse what is none, or has no such method."""
        candidates = self._by_length.get(len(parts), ())
        best = next((template for template, _ in candidates if _fits(template, parts)), None)
        fitting = [(template, operation) for template, operation in candidates if template == best]
        for template, operation in fitting:
            if operation.method == method:
                gaps = zip(template, parts, strict=True)
                return RouteMatch(
                    operation, {name[1:-1]: _text(part) for name, part in gaps if name.startswith("{")}
                )
        if fitting:
            methods = ", ".join(dict.fromkeys(operation.method for _, operation in fitting))
            raise refusal(405, f"there is no {method} at this address, but {methods}.", [("allow", methods)])
        raise refusal(404, "there is nothing at this address. /openapi.json lists what there is.")


def parts_of(raw_path: bytes) -> list[str]:
    """Return the parts of an address as they were sent."""
    return raw_path.decode("ascii", "replace").strip("/").split("/")


def _fits(template: tuple[str, ...], parts: list[str]) -> bool:
    pairs = zip(template, parts, strict=True)
    return all(part == segment or (segment.startswith("{") and part) for segment, part in pairs)


def _text(part: str) -> str:
    try:
        return unquote(part, errors="strict")
    except UnicodeDecodeError:
        raise refusal(400, "the address is not UTF-8.") from None
