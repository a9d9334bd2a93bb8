"""On which line of a settings file something stands. Pure; asked only where something is wrong with it."""

import re
import tomllib

MOST_TRIES = 20
"""Lines that are looked at: a file may come from anybody, and be made to take long."""

_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


def line_of(text: str, key: str) -> int | None:
    """Return the line on which a key is given its value; None where that cannot be told.

    The parser says: it is the last line before which the text can be read and does not hold the key yet.
    """
    lines = text.splitlines()
    name = key.rpartition(".")[2]
    likely = [number for number, line in enumerate(lines) if name in line][-MOST_TRIES:]
    return next(
        (number + 1 for number in reversed(likely) if _lacks("\n".join(lines[:number]), key.split("."))), None
    )


def syntax_problem(error: Exception, text: str) -> tuple[str, str]:
    """Return what the parser says is wrong with a text, and where."""
    message = str(error)
    place = _PLACE.search(message)
    if place is None:
        return message, ""
    end = max(1, len(text.splitlines()))
    return message[: place.start()], f", line {place[1]}, column {place[2]}" if place[1] else f", line {end}"


def _lacks(text: str, path: list[str]) -> bool:
    """Say whether a text can be read and does not hold a key."""
    try:
        node: object = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return False  # it ends within a value
    for name in path:
        if not isinstance(node, dict) or name not in node:
            return True
        node = node[name]
    return False
