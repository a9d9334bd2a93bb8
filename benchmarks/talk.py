"""What is told of real and written talk, through the real hook: `python -m benchmarks.talk [SET …]`.

Sessions are recorded as far as a prompt knows of them; then a new session starts and says the prompt. Beside it:
rules that a person adds by hand (`notes`), told in the same way.

told          'must' items that stand in the start's brief or in the prompt's; prompt: in the prompt's own
naive         the same by plain recall: the five user turns nearest by BM25, in 2,800 characters
silent        prompts that nothing applies to and whose own brief has no entry
useful        entries of prompts' briefs that say an item that applies
useful_start  entries of the starts' briefs that say any current item
misled        entries of either brief that say something that must not be kept, or an item that was amended
"""

import argparse
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from benchmarks import data, hooked
from holdfast import Holdfast

DAY = 86_400_000
ENTRY_CHARS = 600
"""As far as one reads an entry: it is a statement, no dump."""

NEAREST, NEAREST_CHARS = 5, 2_800
SAYS, SAYS_STRICTLY = 0.6, 0.8
"""The share of an item's words that say it; stricter where it counts against a brief."""

_COMMON = frozenset(
    (
        "a an and are as at be by but can do does for from had has have he her his i if in into is it its just me "
        "my no not of on or our she so that the their them then there these they this to too us was we were what "
        "when where which who why will with you your i'm it's don't"
    ).split()
)
_LEAF = re.compile(r"<(?!note\b)(\w+)[^<>]*>([^<]*)</\1>")

Row = dict[str, object]
Figures = dict[str, float | None]


@dataclass(frozen=True, slots=True)
class Item:
    """Something that a colleague would have noted: as it was said, and in plain words."""

    text: str
    quote: str = ""
    amends: str | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """A later prompt, and the numbers of the items that apply to it."""

    prompt: str
    must: tuple[int, ...]
    applies: tuple[int, ...]
    after: str | None = None
    """The last session it knows of."""


@dataclass(slots=True)
class Tally:
    """What was counted over the prompts of a set."""

    counts: Counter[str] = field(default_factory=Counter)

    def figures(self) -> Figures:
        """Return the shares, and the sizes of the briefs in tokens of four characters."""
        prompts = self.counts["prompts"] or 1
        return {
            "told": self._share("told", "must"),
            "prompt": self._share("prompt", "must"),
            "naive": self._share("naive", "must") if self.counts["naive"] else None,
            "silent": self._share("silent", "quiet"),
            "useful": self._share("useful", "entries"),
            "useful_start": self._share("useful_start", "start"),
            "misled": self._share("misled", "all"),
            "tokens of a start": self.counts["start characters"] / 4 / prompts,
            "tokens of a prompt": self.counts["prompt characters"] / 4 / prompts,
        }

    def _share(self, part: str, whole: str) -> float | None:
        return self.counts[part] / self.counts[whole] if self.counts[whole] else None


def main() -> None:
    """Print the figures of each set."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.talk", description=__doc__)
    parser.add_argument("sets", nargs="*", help="which sets (default: all there are)")
    parser.add_argument("--notes", type=int, default=0, help="take only so many of the notes added by hand")
    arguments = parser.parse_args()
    figures = run(arguments.sets, arguments.notes)
    if figures is None:
        sys.exit("No data: set HOLDFAST_BENCH_DATA to its directory (docs/benchmarks.md).")
    show(figures, sys.stdout.write)


def run(sets: Sequence[str] = (), notes: int = 0) -> dict[str, Figures] | None:
    """Measure; None when the data is not there."""
    home = data.folder()
    place = home / "talk" if home else None
    if place is None or not place.is_dir():
        return None
    names = sets or sorted(path.name.partition(".")[0] for path in place.glob("*.items.jsonl"))
    figures: dict[str, Figures] = {}
    for name in names:
        with own_home():
            figures[name] = tell(place, name).figures()
        if (place / f"{name}.notes.jsonl").exists():
            with own_home():
                figures[f"{name}, notes"] = _tell_notes(place, name, notes).figures()
    return figures


def show(figures: dict[str, Figures], write: Callable[[str], object]) -> None:
    """Print a table a set."""
    for name, shares in figures.items():
        write(f"{name}\n")
        for measure, value in shares.items():
            shown = "–" if value is None else f"{value:.0f}" if "tokens" in measure else f"{value:.3f}"
            write(f"  {measure:<22}{shown:>8}\n")


def tell(place: Path, name: str) -> Tally:
    """Record session after session, and ask what is due after each."""
    items = [item_of(row) for row in rows(place, name, "items")]
    negatives = [item_of(row) for row in rows(place, name, "negatives")]
    sessions = list(moved(rows(place, name, "sessions")))
    due = prompts_due(place, name, [str(one["session"]) for one in sessions])
    tally, nearest = Tally(), Nearest()
    with a_project() as project:
        for session in sessions:
            with Holdfast.open(project) as memory:
                _record(memory, session)
                memory.flush()
            nearest.add(str(turn["text"]) for turn in turns(session) if turn["role"] == "user")
            for asked in due.get(str(session["session"]), ()):
                _ask(tally, project, asked, items, negatives, nearest)
    return tally


def prompts_due(place: Path, name: str, order: Sequence[str]) -> dict[str, list[Asked]]:
    """Return the prompts of a set by the session that each comes after."""
    due: dict[str, list[Asked]] = {}
    for asked in map(asked_of, rows(place, name, "prompts")):
        after = asked.after if asked.after and asked.after in order else order[-1]
        due.setdefault(after, []).append(asked)
    return due


def _tell_notes(place: Path, name: str, most: int) -> Tally:
    """Add rules as a person does, and ask."""
    written = rows(place, name, "notes")[: most or None]
    items = [item_of(row) for row in written]
    tally = Tally()
    with a_project() as project:
        add_notes(project, written)
        for asked in map(asked_of, rows(place, name, "noteprompts")):
            if all(number < len(items) for number in asked.applies):
                _ask(tally, project, asked, items, [])
    return tally


def add_notes(project: Path, written: Sequence[Row]) -> None:
    """Add rules by hand."""
    with Holdfast.open(project) as memory:
        for row in written:
            files = row.get("files") or ()
            memory.add(str(row["text"]), kind=str(row["kind"]), files=_texts(files), trust="user")
        memory.flush()


def _ask(
    tally: Tally,
    project: Path,
    asked: Asked,
    items: Sequence[Item],
    negatives: Sequence[Item],
    nearest: "Nearest | None" = None,
) -> None:
    """Let a session start and say a prompt; count what it is told."""
    start, own = hooked.in_session(project, asked.prompt)
    at_start, on_prompt = entries(start), entries(own)
    outdated = [one for one in items if any(one.text == other.amends for other in items)]
    current = [one for one in items if one not in outdated]
    counts = tally.counts
    counts["prompts"] += 1
    counts["start characters"] += len(start)
    counts["prompt characters"] += len(own)
    counts["start"] += len(at_start)
    counts["useful_start"] += sum(any(says(entry, one) for one in current) for entry in at_start)
    counts["all"] += len(at_start) + len(on_prompt)
    counts["misled"] += sum(_misleads(entry, outdated, negatives) for entry in (*at_start, *on_prompt))
    if not asked.applies:
        counts["quiet"] += 1
        counts["silent"] += not on_prompt
        return
    counts["entries"] += len(on_prompt)
    counts["useful"] += sum(any(says(entry, items[one]) for one in asked.applies) for entry in on_prompt)
    plain = nearest.best(asked.prompt) if nearest and asked.must else []
    for item in (items[number] for number in asked.must):
        counts["must"] += 1
        counts["told"] += any(says(entry, item) for entry in (*at_start, *on_prompt))
        counts["prompt"] += any(says(entry, item) for entry in on_prompt)
        counts["naive"] += any(says(part, item) for text in plain for part in parts(text))


def entries(brief: str) -> list[str]:
    """Return what the entries of a brief say, line by line; a `<note>` is none."""
    return [part for _, text in _LEAF.findall(brief) for part in parts(text)]


def parts(text: str) -> list[str]:
    """Return a text line by line, each as far as one reads."""
    return [line.strip()[:ENTRY_CHARS] for line in text.splitlines() if len(line.strip()) > 3]


@lru_cache(maxsize=100_000)
def words(text: str) -> frozenset[str]:
    """Return the telling words of a text, without the s of a plural."""
    spoken = re.findall(r"[a-z0-9_]+(?:'[a-z]+)?", text.lower())
    telling = (word for word in spoken if word not in _COMMON and len(word) > 1)
    return frozenset(word[:-1] if word.endswith("s") and len(word) > 3 else word for word in telling)


def says(text: str, item: Item, share: float = SAYS) -> bool:
    """Say whether a text holds most of an item's words, as it was said or in plain words."""
    held = words(text)
    wanted = [words(form) for form in (item.text, item.quote) if form]
    return any(len(one) >= 2 and len(one & held) >= max(2, share * len(one)) for one in wanted)


def _misleads(entry: str, outdated: Sequence[Item], negatives: Sequence[Item]) -> bool:
    amended = any(says(entry, one, SAYS_STRICTLY) for one in outdated)
    return amended or any(_is_made_of(entry, one) for one in negatives)


def _is_made_of(entry: str, item: Item) -> bool:
    """Say whether most words of the shorter one are the other's, and the entry is no dump of everything."""
    held = words(entry)
    for wanted in (words(item.quote), words(item.text)):
        least = min(len(held), len(wanted))
        fits = len(held) <= max(30, 3 * len(wanted))
        if least >= 2 and fits and len(held & wanted) >= max(2, SAYS_STRICTLY * least):
            return True
    return False


class Nearest:
    """Plain BM25 over what people said."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._counts: list[Counter[str]] = []
        self._holding: Counter[str] = Counter()

    def add(self, texts: Iterable[str]) -> None:
        """Take in what was said."""
        for text in texts:
            counts = Counter(re.findall(r"[a-z0-9_]+", text.lower()))
            self._texts.append(text)
            self._counts.append(counts)
            self._holding.update(counts.keys())

    def best(self, prompt: str) -> list[str]:
        """Return the nearest texts, together no longer than a brief."""
        terms = set(re.findall(r"[a-z0-9_]+", prompt.lower()))
        mean = sum(map(Counter.total, self._counts)) / max(1, len(self._counts))
        order = sorted(range(len(self._texts)), key=lambda one: -self._score(terms, self._counts[one], mean))
        return within_room([self._texts[one] for one in order[:NEAREST]])

    def _score(self, terms: set[str], counts: Counter[str], mean: float) -> float:
        documents, longer = len(self._texts), 1.2 * (0.25 + 0.75 * counts.total() / mean)
        return sum(
            math.log(1 + (documents - self._holding[term] + 0.5) / (self._holding[term] + 0.5))
            * counts[term]
            * 2.2
            / (counts[term] + longer)
            for term in terms
            if counts[term]
        )


def within_room(nearest: Sequence[str]) -> list[str]:
    """Cut texts so that they are together no longer than a brief."""
    room, texts = NEAREST_CHARS, []
    for text in nearest:
        texts.append(text[:room])
        room -= len(texts[-1])
    return texts


def rows(place: Path, name: str, part: str) -> list[Row]:
    path = place / f"{name}.{part}.jsonl"
    return (
        [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
        if path.exists()
        else []
    )


def item_of(row: Row) -> Item:
    amends = row.get("amends")
    return Item(str(row.get("text", "")), str(row.get("quote") or ""), str(amends) if amends else None)


def asked_of(row: Row) -> Asked:
    after = row.get("after_session")
    must, applies = (tuple(map(int, _texts(row[name]))) for name in ("must", "applies"))
    return Asked(str(row["prompt"]), must, applies, str(after) if after else None)


def _texts(values: object) -> list[str]:
    return [str(one) for one in values] if isinstance(values, list | tuple) else []


def turns(session: Row) -> list[Row]:
    """Return the turns of a session."""
    listed = session["turns"]
    return [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []


def moved(sessions: Sequence[Row]) -> Iterator[Row]:
    """Move talk so that its last session was yesterday: old talk would have faded."""
    newest = max(int(str(one["at"])) for one in sessions)
    move = time.time_ns() // 1_000_000 - DAY - newest
    for one in sessions:
        later = [turn | {"at": int(str(turn["at"])) + move} for turn in turns(one)]
        yield one | {"at": int(str(one["at"])) + move, "turns": later}


def _record(memory: Holdfast, session: Row) -> None:
    with memory.start_session(
        agent="claude-code", at=int(str(session["at"])), ref=str(session["session"])
    ) as handle:
        for turn in turns(session):
            if str(turn["text"]).strip():
                handle.record(str(turn["role"]), str(turn["text"]), at=int(str(turn["at"])), ref=str(turn["ref"]))


@contextmanager
def a_project() -> Iterator[Path]:
    """Give the sessions a git work tree."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "init", "-q", folder], check=True)
        yield Path(folder)


@contextmanager
def own_home() -> Iterator[None]:
    """Keep the user's own memory and settings out."""
    with tempfile.TemporaryDirectory() as home:
        os.environ["HOLDFAST_DATA_HOME"] = os.environ["HOLDFAST_CONFIG_HOME"] = home
        yield


if __name__ == "__main__":
    main()
