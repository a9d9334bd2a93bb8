"""Briefs and searches over stores made of the talk and decisions data, asked through `Holdfast`.

Every store is filled as a person's would be: sessions in the order of their days, the clock set to each turn.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import Any, NamedTuple

from holdfast import Holdfast
from scripts.golden import clock
from scripts.golden.answers import Mask, Plain, lines_of, plain

DAY = 86_400_000
FIRST = 1_760_000_000_000
DECOYS = 40
BRIEFS, SEARCHES = 200, 500
AGENTS = ("claude-code", "codex", "gemini", "opencode")
BUDGETS: tuple[int | None, ...] = (None, 1_500, 600)
MODES = ("hybrid", "keyword", "vector")
TARGETS: tuple[str | None, ...] = (None, "memories", "turns", "sessions", "all")

Row = dict[str, Any]
"""One line of the data: its shape is the file's own."""


class Said(NamedTuple):
    """One turn of a chat."""

    role: str
    text: str
    at: int
    ref: str


class Chat(NamedTuple):
    """One session of a store."""

    ref: str
    at: int
    turns: tuple[Said, ...]


class Store(NamedTuple):
    """What a store is made of, and the prompts that are asked there."""

    name: str
    chats: tuple[Chat, ...]
    notes: tuple[Row, ...]
    prompts: tuple[str, ...]


def stores(data: Path) -> Iterator[Store]:
    """Read the stores."""
    talk = data / "talk"
    web = tuple(islice(_web_questions(data), 25))
    yield Store("shop", _talk(talk, "shop"), (), _prompts(talk, "shop.prompts") + web)
    notes = tuple(_rows(talk, "shop.notes"))
    yield Store("notes", (), notes, _prompts(talk, "shop.noteprompts"))
    yield Store("odyash", _talk(talk, "odyash"), (), _prompts(talk, "odyash.prompts"))
    chats, prompts = _decisions(data / "decisions")
    yield Store("decisions", chats, (), prompts + web[:10])


def answers(data: Path, place: Path) -> dict[str, dict[str, Plain]]:
    """Fill every store; return its briefs and searches."""
    made = [(store, _project(place, store.name)) for store in stores(data)]
    prompts = sum(len(store.prompts) for store, _ in made)
    briefs: dict[str, Plain] = {}
    searches: dict[str, Plain] = {}
    for store, project in made:
        share = len(store.prompts) / prompts
        with Holdfast.open(project, project=store.name) as memory:
            fill(memory, store)
            briefs |= _briefs(memory, store, round(BRIEFS * share))
            searches |= _searches(memory, store, round(SEARCHES * share))
    return {"briefs": briefs, "searches": searches}


def fill(memory: Holdfast, store: Store) -> None:
    """Record the sessions, add the notes, wait for the vectors."""
    for chat in store.chats:
        clock.set_to(chat.at)
        with memory.start_session(agent="claude-code", at=chat.at, ref=chat.ref) as session:
            for turn in chat.turns:
                clock.set_to(turn.at)
                session.record(turn.role, turn.text, at=turn.at, ref=turn.ref)
    for row in store.notes:
        clock.advance(60_000)
        memory.add(str(row["text"]), kind=str(row["kind"]), files=row.get("files") or (), trust="user")
    clock.advance(DAY)
    memory.flush()


def _briefs(memory: Holdfast, store: Store, count: int) -> dict[str, Plain]:
    asked: dict[str, Plain] = {}
    for agent, budget in zip(AGENTS, cycle(BUDGETS), strict=False):
        name = f"{store.name}, start, {agent}, {budget}"
        asked[name] = _brief(memory, None, agent, budget)
    ways = cycle((agent, budget) for budget in BUDGETS for agent in AGENTS)
    for number, prompt in enumerate(_spread(store.prompts, count)):
        agent, budget = next(ways)
        name = f"{store.name}, {number}, {agent}, {budget}"
        asked[name] = _brief(memory, prompt, agent, budget)
    return asked


def _brief(memory: Holdfast, prompt: str | None, agent: str, budget: int | None) -> Plain:
    clock.advance(60_000)
    brief = memory.context(prompt, budget=budget, agent=agent)
    items: list[Plain] = [
        {"kind": item.kind, "tier": item.tier, "score": round(item.score, 4)} for item in brief.items
    ]
    return Mask().cover(
        "", {"prompt": prompt, "text": lines_of(brief.text), "items": items, "failure": plain(brief.failure)}
    )


def _searches(memory: Holdfast, store: Store, count: int) -> dict[str, Plain]:
    asked: dict[str, Plain] = {}
    ways = cycle((mode, within) for within in TARGETS for mode in MODES)
    prompts = store.prompts * 10
    for number, prompt in enumerate(prompts[:count]):
        mode, within = next(ways)
        query = prompt if number % 2 else " ".join(prompt.split()[:6])
        clock.advance(1_000)
        hits = memory.search(query, limit=10, mode=mode, within=within)
        name = f"{store.name}, {number}, {mode}, {within}"
        found = [
            {"title": hit.title, "kind": hit.kind, "score": round(hit.score, 4), "snippet": hit.snippet}
            for hit in hits
        ]
        asked[name] = Mask().cover("", {"query": query, "hits": plain(found)})
    return asked


def _spread(prompts: Sequence[str], count: int) -> list[str]:
    """Return so many prompts, taken evenly from all of them."""
    return [prompts[place * len(prompts) // count] for place in range(min(count, len(prompts)))]


def _project(place: Path, name: str) -> Path:
    project = place / name
    project.mkdir()
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    return project


def _talk(folder: Path, name: str) -> tuple[Chat, ...]:
    chats = []
    for row in _rows(folder, f"{name}.sessions"):
        said = tuple(
            Said(str(one["role"]), str(one["text"]), int(one["at"]), str(one["ref"]))
            for one in row["turns"]
            if str(one["text"]).strip()
        )
        chats.append(Chat(str(row["session"]), int(str(row["at"])), said))
    return tuple(chats)


def _decisions(folder: Path) -> tuple[tuple[Chat, ...], tuple[str, ...]]:
    """Read some chats without a decision, then all that have one; a chat that amends another is later."""
    decoys = [one["turns"] for one in json.loads((folder / "decoys_dev.json").read_text(encoding="utf-8"))]
    chats = [_chat(f"decoy-{number}", FIRST + number * DAY, turns) for number, turns in enumerate(decoys[:DECOYS])]
    prompts = []
    for number, task in enumerate(json.loads((folder / "tasks_dev.json").read_text(encoding="utf-8"))):
        told = task.get("conversations") or []
        amended = bool(told) and isinstance(told[0], list)
        for later, turns in enumerate(told if amended else [told] if told else []):
            chats.append(_chat(f"{task['task_id']}/{later}", FIRST + (60 + number + 100 * later) * DAY, turns))
        prompts.append(str(task["bug_report"]))
    return tuple(sorted(chats, key=lambda chat: chat.at)), tuple(prompts)


def _chat(ref: str, at: int, turns: Sequence[dict[str, str]]) -> Chat:
    said = (
        Said(turn["role"], turn["text"], at + place * 60_000, f"{ref}:{place}") for place, turn in enumerate(turns)
    )
    return Chat(ref, at, tuple(said))


def _web_questions(data: Path) -> Iterator[str]:
    for one in json.loads((data / "cosqa" / "cosqa-retrieval-dev-500.json").read_text(encoding="utf-8")):
        yield str(one["doc"])


def _prompts(folder: Path, name: str) -> tuple[str, ...]:
    return tuple(str(row["prompt"]) for row in _rows(folder, name))


def _rows(folder: Path, name: str) -> list[Row]:
    text = (folder / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.split("\n") if line.strip()]


if __name__ == "__main__":
    options = json.loads(sys.argv[1])
    asked = answers(Path(options["data"]), Path(options["place"]))
    Path(options["target"]).write_text(json.dumps(asked), encoding="utf-8")
