"""What is learnt from talk: `python -m benchmarks.learning [--light] [--show] [NAME…]`.

Real and written conversations, labelled by hand (HOLDFAST_BENCH_DATA/talk), recorded and ended as sessions of a
project each, without embeddings; the memories are compared with the notes that a colleague would have made. Rules
and statements that were only said count alike, unless a figure says otherwise. `decoys`: chats of decisions/ that
hold no rule.

kept       memories, a session
precision  share of them that say something noted (written talk: of those that say something labelled at all)
rules      the same for memories that are confirmed
recall     share of what must be noted (repeats and what was amended aside) that a current memory says
misleading memories that say what must not be kept
stale      share of what a later item amends that is still current
inbox      what waits for a person's word, a session, and the share of it that was noted
nudge      share of a person's turns with something that must be noted, and of all, that are nudged; and the share
           of the nudged ones with anything noted
CPU        seconds a session, the model's loading included
"""

import argparse
import json
import os
import re
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.data import missing, part
from holdfast import Holdfast, judge
from holdfast.judge.thresholds import NUDGE
from holdfast.judge.turns import OPENING, sentences_of
from holdfast.model.kinds import CANDIDATE
from holdfast.model.memory import Memory
from holdfast.storage.open import open_service

DAY = 86_400_000
SHARE = 0.6
"""Share of the words of the shorter one that a memory and an item have in common when they say the same."""

LONGEST, TIMES = 30, 3
"""Words of a memory, or how many times those of the item, above which it is a dump and says nothing."""

WRITTEN, DECOYS = "shop", "decoys"
"""The set that is written, of which only some spans are labelled; and the chats that hold no rule."""

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
    options = argparse.ArgumentParser(prog="python -m benchmarks.learning")
    options.add_argument("--light", action="store_true", help="read sessions by the light judge")
    options.add_argument("--show", action="store_true", help="print what is kept")
    options.add_argument("names", nargs="*", help="sets (default: all, and decoys)")
    given = options.parse_args()
    for name, figure in run(given.names, light=given.light, show=given.show).items():
        print(f"{name:<44} {figure:8.3f}", flush=True)


def run(names: Sequence[str] = (), *, light: bool = False, show: bool = False) -> Figures:
    """Measure every set there is, or those named, and the real sets together."""
    place = part("talk")
    if place is None:
        print(missing("talk"))
        return {}
    found = sorted(path.name.partition(".")[0] for path in place.glob("*.items.jsonl"))
    figures: Figures = {}
    pooled: list[Learnt] = []
    for name in names or [*found, DECOYS]:
        if name == DECOYS:
            figures |= decoys(light=light, show=show)
            continue
        learnt = learn(read(place, name), light=light, show=show)
        figures |= {f"{name}: {measure}": value for measure, value in learnt.figures().items()}
        if name != WRITTEN:
            pooled.append(learnt)
    return figures | pool(pooled)


def pool(sets: Sequence["Learnt"]) -> Figures:
    """Count the memories and the items of several sets together."""
    kept = [good for one in sets for _, good in one.memories]
    rules = [good for one in sets for memory, good in one.memories if memory.status != CANDIDATE]
    reached = [found for one in sets for found in one.reached]
    stale = [current for one in sets for current in one.stale]
    shares = {"precision": kept, "rules": rules, "recall": reached, "stale": stale}
    return {f"real sets: {name}": statistics.fmean(values) for name, values in shares.items() if values}


def decoys(*, light: bool, show: bool) -> Figures:
    """Record the chats that hold no rule; count the memories that are left."""
    folder = part("decisions")
    files = sorted(folder.glob("decoys_*.json")) if folder else []
    chats = [chat for file in files for chat in json.loads(file.read_text(encoding="utf-8"))]
    sessions: list[dict[str, object]] = []
    for number, chat in enumerate(chats):
        rows = [
            {"role": turn["role"], "text": turn["text"], "at": str(number * 60_000), "ref": f"{number}.{place}"}
            for place, turn in enumerate(chat["turns"])
        ]
        sessions.append({"session": f"decoy-{number}", "at": number * 60_000, "turns": rows})
    memories, spent = kept(sessions, light=light) if sessions else ([], 0.0)
    for memory in memories if show else ():
        print("decoy", memory.status, *memory.metadata.get("signals", ()), repr(memory.content[:160]))
    rules = [memory for memory in memories if memory.status != CANDIDATE]
    return {
        f"decoys ({len(chats)}): memories": float(len(memories)),
        f"decoys ({len(chats)}): rules": float(len(rules)),
        "decoys: CPU, a session": spent / max(1, len(sessions)),
    }


def read(place: Path, name: str) -> Talk:
    """Read one set."""

    def rows(kind: str) -> list[dict[str, object]]:
        return [
            json.loads(line) for line in (place / f"{name}.{kind}.jsonl").read_text("utf-8").splitlines() if line
        ]

    return Talk(name, rows("sessions"), rows("items"), rows("negatives"))  # type: ignore[arg-type]  # JSON


@dataclass(frozen=True)
class Learnt:
    """What a set left behind."""

    talk: Talk
    memories: list[tuple[Memory, bool]]
    """Each with whether it says something noted."""
    spent: float

    @property
    def reached(self) -> list[bool]:
        """Whether each item that must be noted is said by a memory."""
        return [any(same(memory.content, item) for memory, _ in self.memories) for item in self.talk.wanted]

    @property
    def stale(self) -> list[bool]:
        """Whether each amended item is still said by a memory."""
        return [any(same(memory.content, item) for memory, _ in self.memories) for item in self.talk.amended]

    def figures(self) -> Figures:
        """Return the figures of the set."""
        wrong = [memory for memory, good in self.memories if not good and _says(memory, self.talk.negatives)]
        good = [memory for memory, is_good in self.memories if is_good]
        counted = len(good) + len(wrong) if self.talk.name == WRITTEN else len(self.memories)
        waiting = [is_good for memory, is_good in self.memories if memory.status == CANDIDATE]
        rules = [is_good for memory, is_good in self.memories if memory.status != CANDIDATE]
        sessions = len(self.talk.sessions)
        return {
            "kept, a session": len(self.memories) / sessions,
            "precision": len(good) / max(1, counted),
            "rules": sum(rules) / max(1, len(rules)),
            "recall": statistics.fmean(self.reached),
            "misleading": float(len(wrong)),
            "stale": sum(self.stale) / max(1, len(self.stale)),
            "inbox, a session": len(waiting) / sessions,
            "inbox, noted": sum(waiting) / max(1, len(waiting)),
            **nudges(self.talk),
            "CPU, a session": self.spent / sessions,
        }


def learn(talk: Talk, *, light: bool = False, show: bool = False) -> Learnt:
    """Record a set and compare what is kept with its labels."""
    memories, spent = kept(talk.sessions, light=light)
    learnt = Learnt(talk, [(memory, _says(memory, talk.items)) for memory in memories], spent)
    for memory, good in learnt.memories if show else ():
        print(
            f"{talk.name} {'good' if good else 'WRONG':5} {memory.status:9} {memory.confidence:.2f}",
            *memory.metadata.get("signals", ()),
            repr(memory.content[:160]),
        )
    for item, found in zip(talk.wanted, learnt.reached, strict=True) if show else ():
        if not found:
            print(f"{talk.name} MISSED {item['quote'][:160]!r}")
    return learnt


def kept(sessions: Sequence[dict[str, object]], *, light: bool) -> tuple[list[Memory], float]:
    """Record sessions, the last of them yesterday; return what is current then, and the CPU seconds it took."""
    os.environ["HOLDFAST_EMBEDDING_MODEL"] = "none"
    with tempfile.TemporaryDirectory() as place:
        os.environ["HOLDFAST_DATA_HOME"] = str(Path(place) / "data")
        project = Path(place) / "project"
        project.mkdir()
        move = int(time.time() * 1000) - DAY - max(int(str(session["at"])) for session in sessions)
        began = time.process_time()
        with Holdfast(open_service(project, judge=judge.open_light if light else judge.best)) as memory:
            for session in sessions:
                _record(memory, session, move)
            return list(memory.list(limit=100_000)), time.process_time() - began


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


def nudges(talk: Talk) -> Figures:
    """Return the shares of turns that are nudged."""
    light = judge.open_light()
    strength = {item["turn"]: False for item in talk.items}
    strength |= {item["turn"]: True for item in talk.items if item.get("strength", "must") == "must"}
    turns: list[tuple[str, bool]] = []
    for session in talk.sessions:
        before = ""
        for turn in _turns(session):
            if turn["role"] == "user":
                verdicts = light.lasts(sentences_of(turn["text"], before or OPENING))
                turns.append((turn["ref"], any(verdict.lasts >= NUDGE for verdict in verdicts)))
            elif turn["role"] == "assistant":
                before = turn["text"]
    nudged = [ref for ref, hit in turns if hit]
    return {
        "nudge, turns with something to note": statistics.fmean(hit for ref, hit in turns if strength.get(ref)),
        "nudge, all turns": len(nudged) / len(turns),
        "nudge, right": sum(ref in strength for ref in nudged) / max(1, len(nudged)),
    }


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
