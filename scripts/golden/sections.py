"""The sections of a recording: which there are, and how each is made."""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from scripts.golden import commands, figures, installers, speed
from scripts.golden.answers import Plain
from scripts.golden.checkout import Checkout, answer_of, cpu_s, workplace

SECTIONS = ("story", "briefs", "searches", "hooks", "commands", "redaction", "installers", "figures", "speed")
USUAL = SECTIONS[:-1]
"""All but speed, which wants a quiet machine."""
STORES = ("briefs", "searches", "hooks")
"""Sections asked of the same stores."""

Section = dict[str, Plain]


class Run(NamedTuple):
    """What a recording is made of."""

    checkout: Checkout
    data: Path
    say: Callable[[str], object]


def make(run: Run, wanted: Sequence[str]) -> Iterator[tuple[str, Section]]:
    """Make the sections that are wanted, one after the other."""
    groups: list[tuple[str, ...]] = [STORES if set(STORES) & set(wanted) else ()]
    groups += [(name,) for name in wanted if name not in STORES]
    for group in filter(None, groups):
        began, cpu = time.monotonic(), cpu_s()
        with workplace() as place:
            sections = (
                _stores(run, place, wanted) if group is STORES else {group[0]: _section(run, place, group[0])}
            )
        counts = ", ".join(f"{name} {len(section)}" for name, section in sections.items())
        run.say(f"{counts}: {cpu_s() - cpu:.0f} s of CPU, {time.monotonic() - began:.0f} s")
        yield from ((name, section) for name, section in sections.items() if name in wanted)


def _stores(run: Run, place: Path, wanted: Sequence[str]) -> dict[str, Section]:
    options = {"data": str(run.data), "place": str(place)}
    sections: dict[str, Section] = _sections(answer_of(run.checkout, "stores", place, options))
    if "hooks" in wanted:
        tasks = json.loads((run.data / "decisions" / "tasks_dev.json").read_text(encoding="utf-8"))
        prompts = [str(task["bug_report"]) for task in tasks][: commands.PROMPTS]
        sections["hooks"] = commands.hook_answers(run.checkout, place, prompts)
    return sections


def _section(run: Run, place: Path, name: str) -> Section:
    match name:
        case "story":
            options = {"place": str(place), "checkout": str(run.checkout.folder)}
            return _sections(answer_of(run.checkout, "story", place, options))["story"]
        case "redaction":
            options = {"data": str(run.data), "place": str(place)}
            return _sections(answer_of(run.checkout, "redaction", place, options))["redaction"]
        case "commands":
            return commands.answers(run.checkout, place)
        case "installers":
            return installers.answers(run.checkout, place)
        case "figures":
            return figures.answers(run.checkout, place, run.data)
        case _:
            return speed.answers(run.checkout, place)


def _sections(answer: Mapping[str, object]) -> dict[str, Section]:
    return {name: section for name, section in answer.items() if isinstance(section, dict)}


def read(folder: Path, name: str) -> Section | None:
    """Read a section of a recording; None where there is none."""
    path = folder / f"{name}.json"
    if not path.exists():
        return None
    section: Section = json.loads(path.read_text(encoding="utf-8"))
    return section


def write(folder: Path, name: str, section: Section) -> None:
    """Write a section as a file of its own, in lines that a diff can show."""
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(section, indent=1, ensure_ascii=False)
    (folder / f"{name}.json").write_text(text + "\n", encoding="utf-8", errors="backslashreplace")
