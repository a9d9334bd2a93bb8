"""Write with which letters each cue of `capture.cues` can begin: read off the patterns, which takes 25 ms.

`make docs` runs this; a test fails when the committed table is not what the cues say.
"""

import json
from pathlib import Path

from holdfast.capture.classify import CUES, LEADS
from holdfast.capture.text.leads import leads


def table() -> dict[str, list[int]]:
    """Return the places of the cues in their table, by what a match of them can begin with."""
    places: dict[str, list[int]] = {}
    for place, (_, _, cue) in enumerate(CUES):
        for lead in leads(cue):
            places.setdefault(lead, []).append(place)
    return dict(sorted(places.items()))


def written() -> str:
    """Return the table as its file holds it."""
    return json.dumps(table(), separators=(",", ":")).replace("],", "],\n") + "\n"


if __name__ == "__main__":
    Path(LEADS).write_text(written(), encoding="utf-8")
