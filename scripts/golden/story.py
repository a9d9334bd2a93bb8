"""The parity story of the checkout (`tests/parity/story.py`), told to its `Holdfast` on a new store."""

import json
import os
import sys
from pathlib import Path

from scripts.golden import clock
from scripts.golden.answers import Mask, Plain, plain

BEGINNING = 1_800_000_000_000
VARIES = frozenset(
    (
        "tenant place store_id bytes journal schema took_ms p95_ms used file_bytes free_bytes bytes_before "
        "bytes_after shrinks tokens"
    ).split()
)
"""Fields that depend on the machine, on the schema or on the digits of ids."""


def answers(checkout: Path, place: Path) -> dict[str, Plain]:
    """Tell the story; return each answer under its name."""
    clock.set_to(BEGINNING)
    os.environ |= {"HOLDFAST_PROJECT_ID": "acme/app", "HOLDFAST_EMBEDDING_MODEL": "hashing"}
    sys.path.insert(0, str(checkout))
    from holdfast import Holdfast
    from tests.parity.story import tell

    project = place / "app"
    project.mkdir()
    mask = Mask({str(place): "<place>"})
    told: dict[str, Plain] = {}
    with Holdfast.open(project) as memory:
        for name, answer in tell(memory, clock.advance):
            unused = name if name not in told else f"{name} ({len(told)})"
            told[unused] = mask.cover(name, without_varying(plain(answer)))
    return told


def without_varying(value: Plain) -> Plain:
    """Leave out the fields that differ between runs."""
    match value:
        case list():
            return [without_varying(item) for item in value]
        case dict():
            return {key: without_varying(item) for key, item in value.items() if key not in VARIES}
        case _:
            return value


if __name__ == "__main__":
    options = json.loads(sys.argv[1])
    told = answers(Path(options["checkout"]), Path(options["place"]))
    Path(options["target"]).write_text(json.dumps({"story": told}), encoding="utf-8")
