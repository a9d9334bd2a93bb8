"""From an address to an operation: by its parts, a fixed word before a gap to fill."""

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import unquote

from holdfast.interfaces.http.operations.operation import Operation
from holdfast.interfaces.http.problems import refused

PREFIXES = ("api", "v1")
"""Where operations are: `/api/…`, and the same under the version that this interface has."""


@dataclass(frozen=True, slots=True)
class Found:
    """An operation, and what stands in the gaps of its path."""

    operation: Operation
    path: dict[str, str]


class Routes:
    """The operations by their paths."""

    def __init__(self, operations: Iterable[Operation]) -> None:
        self._by_length: dict[int, list[tuple[tuple[str, ...], Operation]]] = {}
        for one in operations:
            parts = tuple(one.path.strip("/").split("/"))
            self._by_length.setdefault(len(parts), []).append((parts, one))
        for listed in self._by_length.values():
            listed.sort(key=lambda pair: [part.startswith("{") for part in pair[0]])

    def find(self, method: str, parts: list[str]) -> Found:
        """Return the operation at an address; refuse what is none, or has no such method."""
        known = self._by_length.get(len(parts), ())
        best = next((template for template, _ in known if _fits(template, parts)), None)
        fitting = [(template, one) for template, one in known if template == best]
        for template, one in fitting:
            if one.method == method:
                gaps = zip(template, parts, strict=True)
                return Found(one, {name[1:-1]: _text(part) for name, part in gaps if name.startswith("{")})
        if fitting:
            allowed = ", ".join(dict.fromkeys(one.method for _, one in fitting))
            raise refused(405, f"there is no {method} at this address, but {allowed}.", [("allow", allowed)])
        raise refused(404, "there is nothing at this address. /openapi.json lists what there is.")


def parts_of(raw_path: bytes) -> list[str]:
    """Return the parts of an address as they were sent."""
    return raw_path.decode("ascii", "replace").strip("/").split("/")


def _fits(template: tuple[str, ...], parts: list[str]) -> bool:
    pairs = zip(template, parts, strict=True)
    return all(part == fixed or (fixed.startswith("{") and part) for fixed, part in pairs)


def _text(part: str) -> str:
    try:
        return unquote(part, errors="strict")
    except UnicodeDecodeError:
        raise refused(400, "the address is not UTF-8.") from None
