"""Labelled sentences for the judge, read from a folder of data and from our own written examples.

Lives here: reading, splitting by project, and nothing about models; pairs of statements are in `pairs`. The
folder (`DATA`) holds `lasting.jsonl`, `lasting_talk.jsonl` and `short.jsonl`; the written examples are beside
this file, in `written/`. Whole projects are left out for measuring, never single sentences. Written examples
have no project: blocks of consecutive rows (look-alikes stand next to each other) count as one.
"""

import json
from collections.abc import Iterable, Iterator
from hashlib import sha1
from pathlib import Path
from typing import Any, Literal, NamedTuple

from holdfast.judge import Sentence
from holdfast.judge.turns import sentences_of

WRITTEN = Path(__file__).with_name("written")
SHOWN = frozenset(("shop", "getspecstory", "tnyoffice", "odyash", "minsky", "cozy"))
"""The projects of `lasting_talk.jsonl`: left out all together."""

MORE_HELD = frozenset(("StarCar", "mbnyc", "Monochromatic"))
"""Projects with many rules, left out besides every fifth: 82 rules of 7 projects measure pairs."""

BLOCK = 25
"""Rows of written examples that count as one project."""

TRAINED_ON = "all data but the left-out projects"
"""For the records of the models that are shipped."""

RELATIONS = ("same", "replaces", "near", "other")
Row = dict[str, Any]
Source = Literal["talk", "shown", "short", "written"]


class Example(NamedTuple):
    """A labelled sentence."""

    project: str
    turn: str
    source: Source
    sentence: Sentence
    kind: str
    """N, R, D or L."""
    must: bool
    context: bool

    @property
    def lasts(self) -> bool:
        """Tell what lasts from talk of the moment."""
        return self.kind != "N"


def is_held(project: str) -> bool:
    """Choose every fifth project for measuring, as the data's own baseline does, the shown sets and three more.

    No model that is shipped was trained on them, so that its figures are those of the very file.
    """
    every_fifth = int(sha1(project.encode(), usedforsecurity=False).hexdigest(), 16) % 5 == 0
    return every_fifth or project in SHOWN | MORE_HELD


def examples(data: Path) -> list[Example]:
    """Read all labelled sentences, in order of the talk."""
    talk = [*_talk(data / "lasting.jsonl", "talk"), *_talk(data / "lasting_talk.jsonl", "shown")]
    files: list[tuple[Path, Source]] = [(data / "short.jsonl", "short")]
    files += [(path, "written") for path in sorted(WRITTEN.glob("short*.jsonl"))]
    return talk + [example for path, source in files for example in _short(path, source)]


def once(found: Iterable[Example]) -> list[Example]:
    """Keep one of the sentences that say the same with the same label: for training."""
    kept: dict[tuple[str, str], Example] = {}
    for example in found:
        kept.setdefault((example.sentence.text.lower(), example.kind), example)
    return list(kept.values())


def rows_of(path: Path) -> list[Row]:
    """Read a file of JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def _talk(path: Path, source: Source) -> Iterator[Example]:
    for row in rows_of(path):
        sentence = Sentence(row["text"], row["before"], row["after"], row["agent"], row["n"])
        yield Example(
            row["project"], row["turn"], source, sentence, row["class"], bool(row["must"]), bool(row["ctx"])
        )


def _short(path: Path, source: Source) -> Iterator[Example]:
    """Yield a written prompt's sentences; one lasts when it shares words with a kept string."""
    for number, row in enumerate(rows_of(path)):
        project = f"{path.stem}-{number // BLOCK}"
        for sentence in sentences_of(row["text"], row.get("agent", "")):
            lasts = any(_overlap(sentence.text, kept) for kept in row["keep"])
            kind = row["class"] if lasts else "N"
            must = lasts and bool(row["must"])
            yield Example(project, f"{project}.{number}", source, sentence, kind, must, context=False)


def _overlap(sentence: str, kept: str) -> bool:
    """Compare by letters: the splitter changes spaces and drops marks of lists."""
    one, other = ("".join(text.lower().split()) for text in (sentence, kept))
    return one in other or other in one
