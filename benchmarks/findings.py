"""What sessions leave behind: are rules found and promoted, and is chatter let go?

    python -m benchmarks findings
    python -m benchmarks.findings [--show]

On the chats of `decisions/` (HOLDFAST_BENCH_DATA), recorded and ended as sessions of a project under the balanced
preset, the plain tasks in one store and the amended ones in another, the decoys in both:

- *found*: chats with at least one finding from a deciding turn. Deciding are the last turn, the longest of
  the last three, and every turn that holds at least half of the content words of the task's own statement of its
  rule.
- *promoted*: chats of which a memory of kind decision, warning or preference is promoted from a deciding turn.
- *decoys*: chats that hold no rule. Findings a chat, and memories of those kinds promoted from all of them.

And on the chats of tests/data/chats.jsonl and chats_fresh.jsonl, by half: `dev` was used for tuning, `test` never.
"""

import json
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from benchmarks.data import ROOT, missing, part
from holdfast import Holdfast
from holdfast.capture.sessions.findings.extract import extract
from holdfast.capture.sessions.findings.reading import topic
from holdfast.capture.sessions.promote import Sightings, judge
from holdfast.model.finding import PRESETS, Finding
from holdfast.model.session import Turn

RULING = frozenset({"decision", "warning", "preference"})
HELD = 0.5
NAMED = 0.6
"""Share of the words that a labelled chat names which a promoted finding must hold."""

OWN, FRESH = "chats", "chats_fresh"
"""The project's labelled chats: those that the rules grew up with, and those written later."""

Figures = dict[str, float]


@dataclass(frozen=True)
class Chat:
    """One conversation, and what is expected of it."""

    name: str
    turns: tuple[Turn, ...]
    deciding: frozenset[str] = frozenset()
    words: tuple[str, ...] = ()


def main() -> None:
    """Print the figures."""
    for name, figure in run(show="--show" in sys.argv[1:]).items():
        print(f"{name:<72} {figure:8.2f}")


def run(show: bool = False) -> Figures:
    """Measure everything there is data for."""
    figures: Figures = {}
    for name in (OWN, FRESH):
        figures |= labelled("dev", show, name) | labelled("test", show, name)
    place = part("decisions")
    if place is None:
        print(missing("decisions"))
        return figures
    return figures | held(place, show)


def held(place: Path, show: bool) -> Figures:
    """Hold every chat as a session and count what is left of it."""
    decoys = [chat for file in sorted(place.glob("decoys_*.json")) for chat in decoy_chats(file)]
    tasks = [chat for file in sorted(place.glob("tasks_*.json")) for chat in task_chats(file)]
    plain = [chat for chat in tasks if "amended" not in chat.name]
    amended = [chat for chat in tasks if "amended" in chat.name]
    first, second = record([*decoys, *plain]), record([*decoys, *amended])
    found = first | second
    chatter = [one for chat in decoys for one in first[chat.name]]
    wrong = [one for one in chatter if one.memory and one.kind in RULING]
    read = [chat for chat in tasks if any(one.turn in chat.deciding for one in found[chat.name])]
    kept = [chat for chat in tasks if any(one.turn in chat.deciding for one in ruled(found[chat.name]))]
    for chat in tasks if show else ():
        if chat not in kept:
            print("found, not promoted:" if chat in read else "not found:", chat.name)
    for one in wrong if show else ():
        print(f"promoted from a decoy: {one.content}")
    return {
        f"chat tasks with a finding from a deciding turn ({len(tasks)}; aim 0.95)": len(read) / len(tasks),
        f"chat tasks whose rule is promoted ({len(tasks)}; aim 0.80)": len(kept) / len(tasks),
        "rules promoted a chat task": sum(len(ruled(found[chat.name])) for chat in tasks) / len(tasks),
        f"findings a decoy chat ({len(decoys)}; aim at most 5)": len(chatter) / len(decoys),
        f"rules promoted from all decoys ({len(decoys)}; aim at most 10)": float(len(wrong)),
    }


def record(chats: Sequence[Chat]) -> dict[str, list[Finding]]:
    """Hold chats as sessions of one new project; return their findings, which name the turns of the chats."""
    os.environ["HOLDFAST_EMBEDDING_MODEL"] = "none"
    with tempfile.TemporaryDirectory() as place:
        os.environ["HOLDFAST_DATA_HOME"] = str(Path(place) / "data")
        project = Path(place) / "project"
        project.mkdir()
        with Holdfast.open(project) as memory:
            return {chat.name: _session(memory, chat) for chat in chats}


def _session(memory: Holdfast, chat: Chat) -> list[Finding]:
    session = memory.start_session(agent="bench")
    names = {session.record(turn.role, turn.text).id: turn.id for turn in chat.turns}
    session.end()
    return [_renamed(finding, names) for finding in session.findings()]


def _renamed(finding: Finding, names: dict[str, str]) -> Finding:
    evidence = tuple(replace(place, turn=names[place.turn]) for place in finding.evidence)
    return replace(finding, evidence=evidence)


def ruled(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings that became rules of the project."""
    return [one for one in findings if one.memory and one.kind in RULING]


def labelled(split: str, show: bool, name: str = OWN) -> Figures:
    """Score one half of the project's own chats."""
    rows = [row for row in read_lines(name) if row["split"] == split]
    settled = [own_chat(row) for row in rows if row["settled"]]
    open_ended = [own_chat(row) for row in rows if not row["settled"]]
    found = [chat for chat in settled if any(one.turn in chat.deciding for one in findings(chat))]
    ruled = [chat for chat in settled if any(names(chat, one) for one in promoted(chat))]
    wrong = [chat for chat in open_ended if any(not chat.words or names(chat, one) for one in promoted(chat))]
    if show:
        print(name, split, "not promoted:", [chat.name for chat in settled if chat not in ruled])
        print(name, split, "wrong:", [(chat.name, *(one.content for one in promoted(chat))) for chat in wrong])
    return {
        f"{name}, {split}: found ({len(settled)})": len(found) / len(settled),
        f"{name}, {split}: promoted ({len(settled)})": len(ruled) / len(settled),
        f"{name}, {split}: promoted where nothing was settled ({len(open_ended)})": len(wrong) / len(open_ended),
    }


def findings(chat: Chat) -> tuple[Finding, ...]:
    """Return what is found in a chat."""
    return extract(chat.turns).new


def promoted(chat: Chat) -> list[Finding]:
    """Return what of it becomes a rule of the project."""
    preset = PRESETS["balanced"]
    return [one for one in findings(chat) if one.kind in RULING and judge(one, Sightings(), preset).promoted]


def names(chat: Chat, finding: Finding) -> bool:
    """Say whether a finding holds the words that the rule is told by."""
    text = finding.content.lower()
    return sum(word.lower() in text for word in chat.words) >= NAMED * len(chat.words)


def task_chats(file: Path) -> Iterator[Chat]:
    """Yield the chats of a file of tasks, each part of an amended one by itself."""
    for task in json.loads(file.read_text(encoding="utf-8")):
        chats = task.get("conversations") or []
        chats = [chats] if chats and "role" in chats[0] else chats
        for number, chat in enumerate(chats):
            turns = make_turns((one["role"], one["text"]) for one in chat)
            yield Chat(f"{task['task_id']}/{number}", turns, deciding(turns, task["policy"]))


def deciding(turns: tuple[Turn, ...], policy: str) -> frozenset[str]:
    """Return the turns that state the rule."""
    rule = topic(policy)
    closing = max(turns[-3:], key=lambda turn: len(turn.text))
    stating = [turn for turn in turns if len(topic(turn.text) & rule) >= HELD * len(rule)]
    return frozenset(turn.id for turn in (turns[-1], closing, *stating))


def decoy_chats(file: Path) -> Iterator[Chat]:
    """Yield the chats of a file of decoys."""
    for chat in json.loads(file.read_text(encoding="utf-8")):
        yield Chat(chat["id"], make_turns((one["role"], one["text"]) for one in chat["turns"]))


def own_chat(row: dict[str, object]) -> Chat:
    """Return a labelled chat of our own."""
    turns = make_turns((str(role), str(text)) for role, text in row["turns"])  # type: ignore[attr-defined]  # JSON
    chosen = frozenset(turns[place].id for place in row["deciding"])  # type: ignore[attr-defined]  # JSON
    return Chat(str(row["name"]), turns, chosen, tuple(row["words"]))  # type: ignore[arg-type]  # JSON


def make_turns(messages: Iterable[tuple[str, str]]) -> tuple[Turn, ...]:
    """Return messages as the turns of one session."""
    return tuple(
        Turn(id=f"turn {place}", session="chat", role=role, text=text, at=place)
        for place, (role, text) in enumerate(messages)
    )


def read_lines(name: str = OWN) -> list[dict[str, object]]:
    """Return the project's own labelled chats."""
    lines = (ROOT / "tests" / "data" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


if __name__ == "__main__":
    main()
