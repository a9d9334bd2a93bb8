"""Write with which letters each cue of `capture.classify` can begin: read off the patterns, which takes 25 ms.

`make docs` runs this; a test fails when the committed table is not what the cues say.
"""

import json
from pathlib import Path
from re import _parser  # type: ignore[attr-defined]  # has no stubs; only who builds uses it
from typing import Any

from holdfast.capture.classify import A_DIGIT, CUES, LEADS
from holdfast.capture.text.leads import alternatives, leads

Tables = dict[str, dict[str, Any]]


def tables() -> Tables:
    """Return the places of the cues by what a match of them can begin with, and what can begin with anything."""
    places: dict[str, list[int]] = {}
    free: dict[str, tuple[str, list[str]]] = {}
    for place, (_, _, cue) in enumerate(CUES):
        for lead in leads(cue) - {""}:
            places.setdefault(lead, []).append(place)
        unled = [part for part in alternatives(cue) if "" in leads(part)]
        if unled:
            needs = [needed_texts(part) for part in unled]
            free[str(place)] = "|".join(unled), sorted(set().union(*needs)) if all(needs) else []
    return {"leads": dict(sorted(places.items())), "free": free}


def needed_texts(pattern: str) -> frozenset[str]:
    """Return texts, in lower case, of which every match holds one: the longest; none when none is sure."""
    return max(_needs(_parser.parse(pattern)), key=_telling, default=frozenset())


def _telling(needs: frozenset[str]) -> tuple[int, int]:
    return min(map(len, needs)), -len(needs)


def _needs(sequence: Any) -> list[frozenset[str]]:
    """Return, for every part of a sequence that has to be there, the texts of which it holds one."""
    needs: list[frozenset[str]] = []
    run = ""
    for name, value in sequence:
        if str(name) == "LITERAL":
            run += chr(value).lower()
            continue
        needs += [frozenset([run])] if run else []
        run = ""
        match str(name):
            case "SUBPATTERN":
                needs += _needs(value[3])
            case "MAX_REPEAT" if value[0] > 0:
                needs += _needs(value[2])
            case "BRANCH":
                best = [max(_needs(part), key=_telling, default=frozenset()) for part in value[1]]
                needs += [frozenset().union(*best)] if all(best) else []
            case "IN" if "DIGIT" in str(value) and len(value) == 1:
                needs.append(frozenset([A_DIGIT]))
            case _:
                pass
    return [*needs, *([frozenset([run])] if run else [])]


def written() -> str:
    """Return the tables as their file holds them."""
    return json.dumps(tables(), separators=(",", ":")).replace("],", "],\n") + "\n"


if __name__ == "__main__":
    Path(LEADS).write_text(written(), encoding="utf-8")
