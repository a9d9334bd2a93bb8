"""What later prompts of a session are told, by when hooks hand out briefs: `python -m benchmarks.later`.

Rules that a person added by hand; sessions of four prompts, mixed by chance but always the same way, through the
real hook. Counted are the prompts after the first: told ('must' items that the session knows by then), silent (of
those that nothing applies to), useful (entries that say an item that applies), and tokens of four characters.
"""

import os
import random
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from benchmarks import data, hooked, talk
from holdfast.settings import EVERY, FIRST, NEW

SET = "shop"
PROMPTS = 4
SEED = 7


def main() -> None:
    """Print the figures of each way."""
    home = data.folder()
    place = home / "talk" if home else None
    if place is None or not place.is_dir():
        sys.exit(data.missing("talk"))
    written = talk.rows(place, SET, "notes")
    items = [talk.item_of(row) for row in written]
    prompts = [talk.asked_of(row) for row in talk.rows(place, SET, "noteprompts")]
    random.Random(SEED).shuffle(prompts)
    with talk.own_home(), talk.a_project() as project:
        talk.add_notes(project, written)
        for inject in (FIRST, NEW, EVERY):
            os.environ["HOLDFAST_HOOKS_INJECT"] = inject
            counts: Counter[str] = Counter()
            for start in range(0, len(prompts), PROMPTS):
                _ask(counts, project, prompts[start : start + PROMPTS], items)
            _show(inject, counts)


def _ask(counts: Counter[str], project: Path, asked: Sequence[talk.Asked], items: Sequence[talk.Item]) -> None:
    """Let a session say its prompts; count what the later ones are told."""
    start, first, *later = hooked.through_session(project, [one.prompt for one in asked])
    known = [*talk.entries(start), *talk.entries(first)]
    for one, brief in zip(asked[1:], later, strict=True):
        own = talk.entries(brief)
        known += own
        counts["prompts"] += 1
        counts["characters"] += len(brief)
        counts["must"] += len(one.must)
        counts["told"] += sum(any(talk.says(entry, items[number]) for entry in known) for number in one.must)
        if one.applies:
            counts["entries"] += len(own)
            counts["useful"] += sum(
                any(talk.says(entry, items[number]) for number in one.applies) for entry in own
            )
        else:
            counts["quiet"] += 1
            counts["silent"] += not own


def _show(inject: str, counts: Counter[str]) -> None:
    shares = {
        name: counts[name] / counts[whole] if counts[whole] else 0.0
        for name, whole in (("told", "must"), ("silent", "quiet"), ("useful", "entries"))
    }
    tokens = counts["characters"] / 4 / max(1, counts["prompts"])
    told = "  ".join(f"{name} {share:.3f}" for name, share in shares.items())
    sys.stdout.write(f"{inject:<6} {told}  tokens of a prompt {tokens:.0f}\n")


if __name__ == "__main__":
    main()
