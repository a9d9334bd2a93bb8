"""A long run: one server that lives through all of it, and around it hooks, processes that are killed and backups.

A round asks the server for some of everything, runs a session through real hook processes, lets other processes
be killed at a named point while they write, and now and then makes a backup. What was acknowledged is noted;
after each round the server is measured.

A server holds the vectors of its store, so that a store that grows makes a server that grows. To tell that from a
leak the memories of a round are forgotten a number of rounds later, after a look at whether all of them are there.
Turns stay, with that text masked.
"""

import os
import random
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from holdfast.storage.drain import drain_everything
from holdfast.storage.workspace import open_guard
from tests.faults.hostile import ask
from tests.faults.mortal import Mortal
from tests.faults.processes import database
from tests.hooking import hook, prompt, reply
from tests.interfaces.hooks.test_worker import wait_for_no_worker
from tests.interfaces.http.served import Asking, Program

MOST_WAL = 64 << 20
"""Bytes of the write-ahead log, at any time."""

MOST_GROWTH = 1.10
"""The server's resident memory at the end, as a multiple of what it was once everything had been loaded."""

WARM_PART = 4
"""A quarter of a run is left out: models and caches are loaded in it."""

PAGE = os.sysconf("SC_PAGE_SIZE")

BACKUP_EVERY = 5

KEEPS = 15
"""Rounds after which the memories of one are forgotten: fewer than a quarter of a run that says something."""

SAMPLES = "samples"
"""The file in the home that has what was measured, a line for each round."""

FURTHEST_MOMENT = 600
"""Where a life has fewer moments it ends by itself, now and then."""

NOUNS = ("cache", "queue", "parser", "ledger", "router", "palette", "deploy", "schema", "broker", "worker")
VERBS = ("retries", "rejects", "rounds", "splits", "archives", "reloads", "indexes", "expires", "mirrors", "signs")


class Sample(NamedTuple):
    """The server after a round."""

    resident: int
    anonymous: int
    """The part of it that is no file's."""
    descriptors: int
    wal: int
    memories: int
    turns: int


@dataclass
class Tally:
    """What was acknowledged, and what it took."""

    promises: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    given: dict[str, list[str]] = field(default_factory=dict)
    """By round: the ids of memories that are still to be forgotten."""
    lost: list[str] = field(default_factory=list)
    """What was gone when it was to be forgotten."""
    samples: list[Sample] = field(default_factory=list)
    lines: int = 0
    """How many promises processes that may be killed have made."""
    rounds: int = 0
    requests: int = 0
    hooks: int = 0
    lives: int = 0
    kills: int = 0
    backups: int = 0


class Round:
    """One round of everything on a home with a project in it."""

    def __init__(self, home: Path, server: Program, mortal: Mortal, tally: Tally, seed: int) -> None:
        self._home = home
        self._project = home / "project"
        self._server = server
        self._mortal = mortal
        self._tally = tally
        self._luck = random.Random(seed)
        self._name = f"round{seed:05}"

    def run(self, keeps: int) -> None:
        """Do all of it once."""
        self._ask_for_everything()
        if self._tally.rounds >= keeps:
            self._forget_the_oldest()
        self._hold_a_session()
        self._run_hooks()
        for _ in range(2):
            self._let_one_be_killed()
        if self._tally.rounds % BACKUP_EVERY == 0:
            open_guard(self._project, actor="test").back_up()
            self._tally.backups += 1
        self._tally.rounds += 1
        self._tally.samples.append(sample(self._server, self._project))
        with (self._home / SAMPLES).open("a") as file:
            print(*self._tally.samples[-1], file=file)

    def _ask_for_everything(self) -> None:
        known = [self._add(self._marked_text()) for _ in range(16)]
        many = {"items": [{"content": self._marked_text(), "kind": "fact"} for _ in range(20)]}
        others = self._promise_all(self._request("POST", "/api/memories/batch", many))
        self._tally.given[self._name] = [*known[:1], *known[2:], *others]
        for _ in range(40):
            self._request("POST", "/api/search", {"query": self._text()})
        for _ in range(5):
            self._request("POST", "/api/context", {"prompt": self._text(), "budget": 1_000})
            self._request("GET", "/api/memories?limit=20")
        self._request("PATCH", f"/api/memories/{known[0]}", {"tags": [self._luck.choice(NOUNS)]})
        self._tally.promises.append(f"forgetting:{known[1]}")
        self._request("DELETE", f"/api/memories/{known[1]}")
        self._tally.promises.append(f"forgotten:{known[1]}")

    def _forget_the_oldest(self) -> None:
        """Forget the memories of the oldest round, by its name, which all of them hold."""
        name = min(self._tally.given)
        known = self._tally.given.pop(name)
        self._tally.promises += [f"forgetting:{memory_id}" for memory_id in known]
        answer = self._request("POST", "/api/memories/forget", {"matching": name})
        gone = answer["ids"]  # type: ignore[index]  # an object, as the API says
        self._tally.lost += sorted(set(known).difference(gone))
        self._tally.promises += [f"forgotten:{memory_id}" for memory_id in known]

    def _hold_a_session(self) -> None:
        session = self._request("POST", "/api/sessions", {"agent": "claude-code", "ref": f"http:{self._name}"})
        place = f"/api/sessions/{session['id']}"  # type: ignore[index]  # an object, as the API says
        for number, role in enumerate(("user", "assistant") * 3):
            said = {"role": role, "text": f"Remember: {self._marked_text()}", "ref": f"{self._name}-{number}"}
            turn = self._request("POST", f"{place}/turns", said)
            self._tally.promises.append(f"turn:{turn['id']}")  # type: ignore[index]  # as above
        self._request("POST", f"{place}/end", {})

    def _run_hooks(self) -> None:
        """Say what no memory says: what says a forgotten one again would be cut out of the talk with it."""
        where = {"session_id": self._name, "cwd": str(self._project)}
        self._hook("SessionStart", where | {"source": "startup"})
        for number in range(2):
            asked, answered = f"Who looks after shelf {self._mark()}?", f"Nobody knows of box {self._mark()}."
            self._hook("UserPromptSubmit", prompt(self._project, asked, self._name, f"p{number}"))
            self._hook("Stop", reply(self._project, answered, self._name, f"p{number}"))
            self._tally.promises += [f"heard:{text.replace(' ', '_')}" for text in (asked, answered)]
        self._hook("SessionEnd", where | {"reason": "other"})

    def _hook(self, event: str, payload: Mapping[str, object]) -> None:
        done = hook("claude", event, payload)
        self._tally.hooks += 1
        if done.code or done.err:
            self._tally.refused.append(f"hook {event}: {done.code} {done.err}")

    def _let_one_be_killed(self) -> None:
        where = self._luck.randint(1, FURTHEST_MOMENT)
        ended = self._mortal.live("work_on", self._project, where, HOLDFAST_WORK=self._marked_text())
        self._tally.given[self._name] += self._to_be_forgotten(ended.promises[self._tally.lines :])
        self._tally.lines = len(ended.promises)
        self._tally.lives += 1
        self._tally.kills += ended.killed
        if ended.code and not ended.killed:
            self._tally.refused.append(f"{where}: {ended.promises[-1]}")

    @staticmethod
    def _to_be_forgotten(promises: Sequence[str]) -> list[str]:
        begun = {word.removeprefix("forgetting:") for word in promises if word.startswith("forgetting:")}
        known = [word.removeprefix("memory:") for word in promises if word.startswith("memory:")]
        return [memory_id for memory_id in known if memory_id not in begun]

    def _add(self, text: str) -> str:
        added = self._request("POST", "/api/memories", {"content": text, "kind": "decision"})
        return self._promise_all([added])[0]

    def _promise_all(self, added: object) -> list[str]:
        ids = [str(memory["id"]) for memory in added]  # type: ignore[attr-defined]  # a list, as the API says
        self._tally.promises += [f"memory:{memory_id}" for memory_id in ids]
        return ids

    def _request(self, method: str, path: str, body: object = None) -> object:
        asking: Asking = self._server.asking
        answer = asking(method, path, json=body) if body is not None else asking(method, path)
        self._tally.requests += 1
        if answer.status_code != 200:
            self._tally.refused.append(f"{method} {path}: {answer.status_code} {answer.text}")
        return answer.json()

    def _marked_text(self) -> str:
        """Return such a text that can be told by its round."""
        return f"In {self._name} {self._text()}"

    def _text(self) -> str:
        """Return what nobody has said yet, of words that others have said, too."""
        one, other = self._luck.sample(NOUNS, 2)
        return f"The {one} {self._luck.choice(VERBS)} the {other} of module {self._mark()}"

    def _mark(self) -> str:
        return f"{self._luck.getrandbits(40):x}"


def run(
    home: Path,
    server: Program,
    mortal: Mortal,
    goes_on: Callable[[Tally], bool],
    idle: Callable[[float], None],
    keeps: int = KEEPS,
) -> Tally:
    """Do round after round, as long as is wanted, with a pause of what a round took after each."""
    tally = Tally()
    while goes_on(tally):
        began = time.monotonic()
        Round(home, server, mortal, tally, seed=tally.rounds).run(keeps)
        idle(time.monotonic() - began)
    wait_for_no_worker(home / "project")
    drain_everything()
    return tally


def sample(server: Program, project: Path) -> Sample:
    """Measure the server."""
    pid = server.process.pid
    pages, of_files = map(int, Path(f"/proc/{pid}/statm").read_text().split()[1:3])
    wal = Path(f"{database(project)}-wal")
    return Sample(
        resident=pages * PAGE,
        anonymous=(pages - of_files) * PAGE,
        descriptors=len(os.listdir(f"/proc/{pid}/fd")),
        wal=wal.stat().st_size if wal.exists() else 0,
        memories=rows(project, "memory"),
        turns=rows(project, "turn"),
    )


def rows(project: Path, table: str) -> int:
    """Return how many rows a table has."""
    [(count,)] = ask(database(project), f"SELECT count(*) FROM {table}")
    return int(str(count))


def unsteady(samples: Sequence[Sample]) -> list[str]:
    """Return what grew: resident memory and descriptors after the first quarter, the log at any time."""
    warm = samples[len(samples) // WARM_PART :]
    early, late = warm[: len(warm) // 3], warm[-len(warm) // 3 :]
    before, after = (statistics.median(one.resident for one in part) for part in (early, late))
    held, holds = (max(one.descriptors for one in part) for part in (early, late))
    return [
        *([f"resident memory: {before:,} became {after:,.0f}"] if after > before * MOST_GROWTH else []),
        *([f"descriptors: {held} became {holds}"] if holds > held else []),
        *([f"log: {max(wals):,}"] if max(wals := [one.wal for one in samples]) > MOST_WAL else []),
    ]


def figures(tally: Tally, project: Path) -> str:
    """Return a run in figures."""
    memories, turns = rows(project, "memory"), rows(project, "turn")
    resident = [one.resident / 1_048_576 for one in tally.samples]
    warm = resident[len(resident) // WARM_PART :]
    descriptors = [one.descriptors for one in tally.samples]
    return (
        f"{tally.rounds} rounds: {tally.requests} requests, {tally.hooks} hooks, {tally.lives} lives of which "
        f"{tally.kills} were killed, {tally.backups} backups; {len(tally.promises)} promises; "
        f"{memories} memories and {turns} turns; resident {resident[0]:.0f} MB at first, {warm[0]:.0f} warm, "
        f"{min(warm):.0f} to {max(warm):.0f}, {resident[-1]:.0f} at the end; "
        f"descriptors {min(descriptors)} to {max(descriptors)}, {descriptors[-1]} at the end; "
        f"log at most {max(one.wal for one in tally.samples) / 1_048_576:.1f} MB"
    )
