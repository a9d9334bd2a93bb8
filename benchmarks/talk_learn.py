"""What is learnt from talk: `python -m benchmarks.talk_learn [NAME…]`.

Real and written conversations, labelled by hand (HOLDFAST_BENCH_DATA/talk), recorded and ended as sessions of a
project each, without embeddings; what is kept by itself is compared with what a colleague would have noted.

kept       memories, a session
precision  share of them that say something noted (written talk: of those that say something labelled at all)
recall     share of what must be noted (repeats and what was amended aside) that a current memory says
misleading memories that say what must not be kept
stale      what a later item amends, and is still current
inbox      what waits for a person's word, a session, and the share of it that was noted
nudge      share of a person's turns with something that must be noted, and of all, that sound as if they had
"""

import json
import os
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.data import missing, part
from holdfast import Holdfast
from holdfast.capture.sessions.findings.statements import sounds_lasting
from holdfast.model.kinds import CANDIDATE
from holdfast.model.memory import Memory

DAY = 86_400_000
SHARE = 0.6
"""Share of the words of the shorter one that a memory and an item have in common when they say the same."""

LONGEST, TIMES = 30, 3
"""Words of a memory, or how many times those of the item, above which it is a dump and says nothing."""

WRITTEN = "shop"
"""The set that is written, of which only some spans are labelled."""

Row = dict[str, str]
Figures = dict[str, float]

_STOP = frozenset(
    "a an and are as at be by but can do does for from had has have he her his i if in into is it its just me my "
    "no not of on or our she so that the their them then there these they this to too us was we were what when "
    "where which who why will with you your i'm it's don't".split()
)


@dataclass(frozen=True, slots=True)
class Talk:
    """One set: what was said, what should be noted of it and what must not."""

    name: str
    sessions: list[dict[str, object]]
    items: list[Row]
    negatives: list[Row]

    @property
    def amended(self) -> list[Row]:
        """What a later item takes the place of."""
        changed = {item.get("amends") for item in self.items}
        return [item for item in self.items if item["text"] in changed]

    @property
    def wanted(self) -> list[Row]:
        """What must be noted."""
        must = [
            item for item in self.items if item.get("strength", "must") == "must" and not item.get("repeat_of")
        ]
        return [item for item in must if item not in self.amended]


def main() -> None:
    """Print the figures."""
    for name, figure in run(sys.argv[1:]).items():
        print(f"{name:<44} {figure:8.3f}")


def run(names: Sequence[str] = ()) -> Figures:
    """Measure every set there is, or those named."""
    place = part("talk")
    if place is None:
        print(missing("talk"))
        return {}
    found = sorted(path.name.partition(".")[0] for path in place.glob("*.items.jsonl"))
    figures: Figures = {}
    for name in names or found:
        talk = read(place, name)
        figures |= {f"{name}: {measure}": value for measure, value in measured(talk).items()}
    return figures


def read(place: Path, name: str) -> Talk:
    """Read one set."""

    def rows(kind: str) -> list[dict[str, object]]:
        return [
            json.loads(line) for line in (place / f"{name}.{kind}.jsonl").read_text("utf-8").splitlines() if line
        ]

    return Talk(name, rows("sessions"), rows("items"), rows("negatives"))  # type: ignore[arg-type]  # JSON


def measured(talk: Talk) -> Figures:
    """Record a set and look at what it left."""
    memories = kept(talk)
    good = [one for one in memories if _says(one, talk.items)]
    wrong = [one for one in memories if one not in good and _says(one, talk.negatives)]
    counted = len(good) + len(wrong) if talk.name == WRITTEN else len(memories)
    waiting = [one for one in memories if one.status == CANDIDATE]
    nudged, heard = nudges(talk)
    return {
        "kept, a session": len(memories) / len(talk.sessions),
        "precision": len(good) / max(1, counted),
        "recall": statistics.fmean(any(same(one.content, item) for one in memories) for item in talk.wanted),
        "misleading": float(len(wrong)),
        "stale": float(sum(any(same(one.content, item) for one in memories) for item in talk.amended)),
        "inbox, a session": len(waiting) / len(talk.sessions),
        "inbox, noted": len([one for one in waiting if one in good]) / max(1, len(waiting)),
        "nudge, turns with something to note": nudged,
        "nudge, all turns": heard,
    }


def kept(talk: Talk) -> list[Memory]:
    """Record the sessions of a set, the last of them yesterday; return what is current then."""
    os.environ["HOLDFAST_EMBEDDING_MODEL"] = "none"
    with tempfile.TemporaryDirectory() as place:
        os.environ["HOLDFAST_DATA_HOME"] = str(Path(place) / "data")
        project = Path(place) / "project"
        project.mkdir()
        move = int(time.time() * 1000) - DAY - max(int(str(session["at"])) for session in talk.sessions)
        with Holdfast.open(project) as memory:
            for session in talk.sessions:
                _record(memory, session, move)
            return list(memory.list(limit=100_000))


def _record(memory: Holdfast, session: dict[str, object], move: int) -> None:
    handle = memory.start_session(
        agent="claude-code", at=int(str(session["at"])) + move, ref=str(session["session"])
    )
    for turn in _turns(session):
        if turn["text"].strip():
            handle.record(turn["role"], turn["text"], at=int(turn["at"]) + move, ref=turn["ref"])
    handle.end()


def _turns(session: dict[str, object]) -> Iterator[Row]:
    yield from session["turns"]  # type: ignore[misc]  # JSON


def nudges(talk: Talk) -> tuple[float, float]:
    """Return the share of turns that sound lasting: of those with something to note, and of all of a person's."""
    must = {item["turn"] for item in talk.items if item.get("strength", "must") == "must"}
    sounds: list[tuple[bool, bool]] = []
    for session in talk.sessions:
        before = ""
        for turn in _turns(session):
            if turn["role"] == "user":
                sounds.append((turn["ref"] in must, sounds_lasting(turn["text"], before)))
            elif turn["role"] == "assistant":
                before = turn["text"]
    return statistics.fmean(hit for noted, hit in sounds if noted), statistics.fmean(hit for _, hit in sounds)


def _says(memory: Memory, items: Sequence[Row]) -> bool:
    return any(same(memory.content, item) for item in items)


def same(text: str, item: Row) -> bool:
    """Say whether a memory is made of an item: most of the shorter one's words are the other's; no dump is."""
    have = words(text)
    for want in (words(item["quote"]), words(item.get("text", ""))):
        least = min(len(have), len(want))
        fits = least > 1 and len(have) <= max(LONGEST, TIMES * len(want))
        if fits and len(have & want) >= max(2, SHARE * least):
            return True
    return False


def words(text: str) -> frozenset[str]:
    """Return the words of a text that say something, without the plural."""
    found = (word for word in re.findall(r"[a-z0-9_]+(?:'[a-z]+)?", text.lower()) if len(word) > 1)
    return frozenset(
        word[:-1] if word.endswith("s") and len(word) > TIMES else word for word in found if word not in _STOP
    )


if __name__ == "__main__":
    main()
