"""How well kinds, revisions and conflicts are told, through the write path as it is used.

    python -m benchmarks.conflicts [--show]

Four measures:

- *Kinds*: the labelled sentences of tests/data/classification.jsonl, by half; the `dev` half was used for tuning.
- *Amendments*: pairs of a rule and its later amendment. Found means that adding the second supersedes the first or
  raises a conflict with it: in a store that holds nothing else, and in one store that holds all first rules.
- *Compatible rules*: pairs on one topic that can both be followed. Every flag is one too many.
- *Decoys*: every sentence of the decoy chats (HOLDFAST_BENCH_DATA, decisions/decoys_*.json) is added as an entry
  to one store. They hold no rule and no amendment, so every conflict and every supersession is one too many.
"""

import json
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.data import ROOT, missing, part
from holdfast.capture.classify import classify
from holdfast.capture.prepare import WriteContext, prepare
from holdfast.capture.reconcile import Incoming, remember
from holdfast.capture.text.clean import normalise
from holdfast.model.memory import Added, Origin
from holdfast.model.requests import Draft
from holdfast.ports import Store
from holdfast.stores.sqlite.store import SqliteStore

SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
DESK = WriteContext(origin=Origin(project="bench", tenant="local", user="bench"), now=1)
SPLITS = ("dev", "test")

Figures = dict[str, float]


def main() -> None:
    """Print the figures."""
    show = "--show" in sys.argv[1:]
    for name, figure in run(show).items():
        print(f"{name:<58} {figure:8.2%}")


def run(show: bool = False) -> Figures:
    """Measure everything there is data for."""
    figures = kinds() | pairs(show)
    if chats := part("decisions"):
        figures |= decoys(chats, show)
    else:
        print(missing("decisions"))
    return figures


def kinds() -> Figures:
    """Score the classifier on each half of the labelled sentences."""
    figures = {}
    for name in ("classification", "classification_fresh"):
        for split in SPLITS:
            rows = labelled(name, split)
            right = sum(classify(row["text"])[0] == row["kind"] for row in rows)
            figures[f"kinds right, {name} {split} ({len(rows)})"] = right / len(rows)
    return figures


def pairs(show: bool) -> Figures:
    """Score pairs of rules."""
    figures = {}
    for name, verb in (("revisions", "amendments found"), ("compatible", "compatible rules flagged")):
        for split in SPLITS:
            rows = labelled(name, split)
            flags = [flagged(row) for row in rows]
            figures[f"{verb}, alone, {split} ({len(rows)})"] = sum(flags) / len(rows)
            figures[f"{verb}, in one store, {split} ({len(rows)})"] = sum(together(rows)) / len(rows)
            for row, flag in zip(rows, flags, strict=True):
                if show and flag != (name == "revisions"):
                    print(f"{name} {split}\n  {row['old']}\n  {row['new']}")
    return figures


def flagged(row: dict[str, str]) -> bool:
    """Say whether the second rule supersedes the first or conflicts with it."""
    return next(together([row]))


def together(rows: list[dict[str, str]]) -> Iterator[bool]:
    """Do the same in a store that holds the first rules of all pairs."""
    with a_store() as store:
        olds = add(store, *(row["old"] for row in rows))
        for row, old in zip(rows, olds, strict=True):
            [new] = add(store, row["new"])
            yield touches(store, new, old)


def touches(store: Store, new: Added, old: Added) -> bool:
    """Say whether a new entry superseded an old one or conflicts with it."""
    before = store.memories.get([str(old.id)])[0]
    conflicts = [store.conflicts.get(one) for one in new.conflicts]
    return before.superseded_by == new.id or any(one and one.first == old.id for one in conflicts)


def decoys(chats: Path, show: bool) -> Figures:
    """Add the sentences of the decoy chats one by one."""
    sentences = [one for file in sorted(chats.glob("decoys_*.json")) for one in read_sentences(file)]
    conflicts = supersessions = 0
    with a_store() as store:
        for text in sentences:
            [added] = add(store, text)
            event = store.audit.events(1)[0]
            superseded = event.action == "supersede" and added.id in event.ids
            conflicts += bool(added.conflicts)
            supersessions += superseded
            if show and (added.conflicts or superseded):
                print(f"{'superseded' if superseded else 'conflict'}: {text}")
    return {
        f"decoy sentences that raise a conflict ({len(sentences)})": conflicts / len(sentences),
        f"decoy sentences that supersede something ({len(sentences)})": supersessions / len(sentences),
    }


@contextmanager
def a_store() -> Iterator[Store]:
    """Open an empty store that is thrown away."""
    with tempfile.TemporaryDirectory() as place:
        store = SqliteStore.open(Path(place) / "store" / "memory.db", project="bench", now=1)
        yield store
        store.close()


def add(store: Store, *texts: str) -> list[Added]:
    """Add texts as entries, as an agent would."""
    memories = [prepare(Draft(content=text), DESK) for text in texts]
    return remember(store, [Incoming(memory) for memory in memories if memory], DESK)


def labelled(name: str, split: str) -> list[dict[str, str]]:
    """Return one half of a labelled set."""
    lines = (ROOT / "tests" / "data" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [row for row in map(json.loads, lines) if row["split"] == split]


def read_sentences(file: Path) -> list[str]:
    """Return every sentence of a file of chats."""
    turns = [turn["text"] for chat in json.loads(file.read_text(encoding="utf-8")) for turn in chat["turns"]]
    return [piece.strip() for turn in turns for piece in SENTENCE_END.split(normalise(turn)) if piece.strip()]


if __name__ == "__main__":
    main()
