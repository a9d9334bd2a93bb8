"""Quality of briefs, through the public API and through the real hook: `python -m benchmarks.decisions`.

Coding decisions are buried in developer chats among chats without any. For each task the brief is asked for with
the bug report as the prompt, at 1,500 tokens: from `context`, and from `holdfast-hook` as a client runs it, whose
figures carry its name. The chats of the decisions data, and our own pairs of chats
(`tests/data/amended.json`), of which the later amends the earlier or, in the last dozen, does not.

found     the brief holds a turn of the right chat
current   the amended rule is there, the old one is not
complete  share of the content words of the chat's closing statement (the longest of its last three turns)
silent    share of web questions (CoSQA) whose brief is empty; of the hook the first hundred are asked
"""

import argparse
import json
import os
import re
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks import data, hooked
from holdfast import Holdfast

OWN = Path(__file__).parents[1] / "tests" / "data" / "amended.json"
BUDGET = 1_500
BY_HOOK = 100
"""Web questions that hooks are asked: each is a process."""

DAY = 86_400_000
FIRST = 1_760_000_000_000
AIMS = {
    "found": 1.0,
    "amended found": 1.0,
    "complete": 0.9,
    "amended complete": 0.9,
    "amended current": 1.0,
    "own current": 0.9,
    "silent (plain)": 0.9,
    "silent (own)": 0.9,
}

Turns = Sequence[dict[str, str]]
Figures = dict[str, float]
Ask = Callable[[str], str]
"""Asks for the brief on a prompt."""


@dataclass(frozen=True, slots=True)
class Task:
    """A prompt, the chats that answer it, oldest first, and phrases of the rule that holds and of the one
    before."""

    id: str
    prompt: str
    chats: tuple[Turns, ...]
    now: tuple[str, ...] = ()
    then: tuple[str, ...] = ()
    amends: bool = True
    """Whether the later chat changes the rule of the earlier."""

    @property
    def rule(self) -> Turns:
        """The chat whose rule holds."""
        return self.chats[-1] if self.amends else self.chats[0]


def main() -> None:
    """Print the figures, and what went wrong where asked."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.decisions", description=__doc__)
    parser.add_argument("--work", type=Path, help="keep stores and their vectors here between runs")
    parser.add_argument("--questions", type=int, default=500, help="web questions asked")
    parser.add_argument("--verbose", action="store_true", help="name every miss")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    arguments = parser.parse_args()
    figures = run(arguments.work, arguments.questions, _told if arguments.verbose else lambda line: None)
    if figures is None:
        sys.exit("No data: set HOLDFAST_BENCH_DATA to its directory (docs/benchmarks.md).")
    show(figures, sys.stdout.write)
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


def run(
    work: Path | None = None, questions: int = 500, miss: Callable[[str], None] = lambda line: None
) -> Figures | None:
    """Measure; None when the data is not there."""
    place = data.folder()
    if place is None:
        return None
    plain, amended = tasks(place / "decisions")
    decoys = [one["turns"] for one in json.loads((place / "decisions" / "decoys_dev.json").read_text("utf-8"))]
    asked = [one.text for one in data.cosqa(place).questions][:questions]
    groups = (("plain", plain), ("amended", amended), ("own", own()))
    figures: Figures = {}
    with workplace(work) as home:
        for name, group in groups:
            fill(home / name, name, group, decoys)
        for way in (_context, _hook):
            for name, group in groups:
                with way(home / name, name) as ask:
                    figures |= _named(name, way, _measure(name, group, ask, miss))
            for name in ("plain", "own"):
                with way(home / name, name) as ask:
                    silent = _silent(ask, asked if way is _context else asked[:BY_HOOK], miss)
                figures |= _named("plain", way, {f"silent ({name})": silent})
    return figures


def _named(group: str, way: object, measured: Figures) -> Figures:
    lead = "" if group == "plain" else f"{group} "
    tail = ", hook" if way is _hook else ""
    return {f"{lead}{measure}{tail}": value for measure, value in measured.items()}


@contextmanager
def _context(place: Path, name: str) -> Iterator[Ask]:
    """Ask the public API."""
    with Holdfast.open(place, project=name) as memory:
        yield lambda prompt: memory.context(prompt, budget=BUDGET, agent="claude-code").text


@contextmanager
def _hook(place: Path, name: str) -> Iterator[Ask]:
    """Ask as a client does: a process of its own for a session's first prompt."""
    yield lambda prompt: hooked.on_prompt(place, prompt)


def show(figures: Figures, write: Callable[[str], object]) -> None:
    """Print the figures beside their aims."""
    write(f"{'':<24}{'context':>8}{'hook':>8}{'aim':>8}\n")
    for name, value in figures.items():
        if name.endswith(", hook"):
            continue
        aim, by_hook = AIMS.get(name), figures.get(f"{name}, hook")
        write(f"{name:<24}{value:8.3f}{'' if by_hook is None else f'{by_hook:8.3f}'}")
        write("\n" if aim is None else f"{aim:8.2f}\n")


def tasks(place: Path) -> tuple[list[Task], list[Task]]:
    """Read the tasks that have chats: with one, and with one that a second amends."""
    plain, amended = [], []
    for one in json.loads((place / "tasks_dev.json").read_text("utf-8")):
        chats = one.get("conversations")
        if not chats:
            continue
        if isinstance(chats[0], dict):
            plain.append(Task(one["task_id"], one["bug_report"], (chats,)))
        else:
            now, then = _closing(chats[-1]), _closing(chats[0])
            amended.append(Task(one["task_id"], one["bug_report"], tuple(chats), (now,), (then,)))
    return plain, amended


def own() -> list[Task]:
    """Read our own pairs."""
    return [
        Task(one["id"], one["prompt"], tuple(one["chats"]), tuple(one["now"]), tuple(one["then"]), one["amends"])
        for one in json.loads(OWN.read_text("utf-8"))
    ]


def _measure(name: str, group: Sequence[Task], ask: Ask, miss: Callable[[str], None]) -> Figures:
    found: list[bool] = []
    complete: list[float] = []
    current: list[bool] = []
    kept: list[bool] = []
    for task in group:
        brief = ask(task.prompt)
        right = is_found(brief, task)
        share = covered(_closing(task.rule), _flat(brief))
        found.append(right)
        complete.append(share)
        if task.now:
            (current if task.amends else kept).append(holds := is_current(brief, task))
            if not holds:
                miss(f"{name} {task.id}: not current\n{brief}")
        if not right:
            miss(f"{name} {task.id}: not found\n{brief}")
        elif share < 0.8:
            miss(f"{name} {task.id}: complete {share:.2f}\n{brief}")
    figures = {"found": statistics.fmean(found), "complete": statistics.fmean(complete)}
    if current:
        figures["current"] = statistics.fmean(current)
    if kept:
        figures["kept"] = statistics.fmean(kept)
    return figures


def _silent(ask: Ask, questions: Sequence[str], miss: Callable[[str], None]) -> float:
    quiet = 0
    for question in questions:
        brief = ask(question)
        quiet += not brief
        if brief:
            miss(f"not silent: {question}\n{brief}")
    return quiet / len(questions)


def is_found(brief: str, task: Task) -> bool:
    """Say whether a brief holds a good part of a turn of the chat that holds now."""
    said = _flat(brief)
    return any(covered(turn["text"], said) >= 0.8 for turn in task.rule if len(content(turn["text"])) > 3)


def is_current(brief: str, task: Task) -> bool:
    """Say whether the rule that holds is there, and the one before is not."""
    valid = [_flat(entry) for entry in re.split(r"\n(?=- |<entry)", brief)]
    there = all(any(_says(entry, one) for entry in valid for one in phrase.split("|")) for phrase in task.now)
    return there and not any(_says(entry, phrase) for entry in valid for phrase in task.then)


def tells_outdated(brief: str, task: Task) -> bool:
    """Say whether a brief tells the rule that no longer holds as if it did."""
    entries = [_flat(entry) for entry in re.split(r"\n(?=- |<entry)", brief)]
    return any(_says(entry, phrase) for entry in entries for phrase in task.then)


def _says(entry: str, phrase: str) -> bool:
    wanted = _flat(phrase)
    return wanted in entry or (len(content(phrase)) > 12 and covered(phrase, entry) >= 0.9)


def covered(text: str, said: str) -> float:
    """Return the share of a text's content words that stand in another."""
    wanted = content(text)
    there = content(said)
    return len(wanted & there) / len(wanted) if wanted else 0.0


def content(text: str) -> set[str]:
    """Return the words of a text that say something."""
    return {word for word in re.findall(r"[a-z0-9_]{3,}", text.lower()) if word not in _STOP}


_STOP = frozenset(
    (
        "the and for that with this from are was were has have had not but you your our its it's they them "
        "then than "
        "will would can could should must all any one two out into over also just only when what which who "
        "how why "
        "there here their his her him she let i'll i've don't does did done been being per via etc too very "
        "more most"
    ).split()
)


def _closing(chat: Turns) -> str:
    return max((turn["text"] for turn in chat[-3:]), key=len)


def _flat(text: str) -> str:
    plain = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    return " ".join(plain.lower().replace("\n  | ", " ").split())


def fill(place: Path, name: str, group: Sequence[Task], decoys: Sequence[Turns]) -> None:
    """Record every chat as a session, the older of two first; unless a run before did."""
    if (place / ".holdfast").exists():
        return
    place.mkdir(parents=True, exist_ok=True)
    with Holdfast.open(place, project=name) as memory:
        for number, chat in enumerate(decoys):
            _record(memory, f"decoy-{number}", chat, FIRST + number * DAY)
        for later in range(2):
            for number, task in enumerate(group):
                if later < len(task.chats):
                    at = FIRST + (60 + number + 100 * later) * DAY
                    _record(memory, f"{task.id}/{later}", task.chats[later], at)
        memory.flush()


def _record(memory: Holdfast, ref: str, chat: Turns, at: int) -> None:
    session = memory.start_session(agent="claude-code", at=at, ref=ref)
    for place, turn in enumerate(chat):
        session.record(turn["role"], turn["text"], at=at + place * 60_000, ref=f"{ref}:{place}")
    session.end()


@contextmanager
def workplace(work: Path | None) -> Iterator[Path]:
    """Give the stores a place, and keep the user's own memory and settings out."""
    with tempfile.TemporaryDirectory() as spare:
        place = work or Path(spare)
        os.environ["HOLDFAST_DATA_HOME"] = os.environ["HOLDFAST_CONFIG_HOME"] = str(place / "home")
        yield place


def _told(line: str) -> None:
    sys.stderr.write(line + "\n")


if __name__ == "__main__":
    main()
