"""What differs between two recordings of a section."""

from collections.abc import Iterator
from typing import NamedTuple

from scripts.golden.answers import Plain

TOLERANCE = 0.002
"""Numbers this near count as equal: sums of floats depend on their order."""
SHOWN = 240
MISSING = "(missing)"


class Difference(NamedTuple):
    """One answer that differs: its name, where in it, and both values there."""

    entry: str
    place: str
    old: str
    new: str


def differences(old: dict[str, Plain], new: dict[str, Plain]) -> list[Difference]:
    """Return each entry that differs, with the first place in it that does."""
    found = []
    for entry in (*old, *(name for name in new if name not in old)):
        if entry not in new:
            found.append(Difference(entry, "", shortened(old[entry]), MISSING))
        elif entry not in old:
            found.append(Difference(entry, "", MISSING, shortened(new[entry])))
        else:
            first = next(places(old[entry], new[entry], ""), None)
            if first:
                found.append(Difference(entry, *first))
    return found


def places(old: Plain, new: Plain, place: str) -> Iterator[tuple[str, str, str]]:
    """Yield every place at which two values differ."""
    match old, new:
        case dict(), dict():
            for key in (*old, *(key for key in new if key not in old)):
                if key in old and key in new:
                    yield from places(old[key], new[key], f"{place}.{key}")
                else:
                    yield f"{place}.{key}", _held(old, key), _held(new, key)
        case list(), list():
            for number, (one, other) in enumerate(zip(old, new, strict=False)):
                yield from places(one, other, f"{place}[{number}]")
            if len(old) != len(new):
                yield f"{place}, length", f"{len(old)} items", f"{len(new)} items"
        case _:
            if not equal(old, new):
                yield place, shortened(old), shortened(new)


def equal(old: Plain, new: Plain) -> bool:
    """Return whether two scalars are equal, numbers nearly."""
    if isinstance(old, bool) or isinstance(new, bool):
        return old is new
    if isinstance(old, int | float) and isinstance(new, int | float):
        return old == new or (isinstance(old - new, float) and abs(old - new) <= TOLERANCE)
    return old == new


def _held(value: dict[str, Plain], key: str) -> str:
    return shortened(value[key]) if key in value else MISSING


def shortened(value: Plain) -> str:
    """Return a value as one line that fits a report."""
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}… ({len(text)} characters)"
