"""A store with something of everything in it, bits of its file flipped one at a time, and what comes of it.

A verb must answer as before, raise an error of ours, or leave rows out and say so; `doctor` must find whatever
made an answer differ; and `doctor --repair` must bring back what was there, or name what is lost. A seed names the
flips.
"""

import random
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from holdfast import Holdfast
from holdfast.errors import HoldfastError
from holdfast.model.care import PROBLEM
from holdfast.model.memory import Memory
from holdfast.model.records import EventFilters
from holdfast.model.requests import BriefRequest, SearchRequest
from holdfast.model.search import Filters
from holdfast.model.value import replace
from holdfast.service.service import Service
from holdfast.storage.open import open_service
from holdfast.storage.workspace import open_guard
from tests.faults.processes import database

QUERIES = ("redis cache", "deploy friday", "port 8080", "queue retries", "walrus")
Answer = object


@dataclass
class Outcome:
    """What one flip did."""

    place: str
    raw: list[str] = field(default_factory=list)
    """Errors that are none of ours."""
    unlike: list[str] = field(default_factory=list)
    """Verbs that answered otherwise than before."""
    unsaid: list[str] = field(default_factory=list)
    """Those of them that did not say themselves that something is left out."""
    findings: list[str] = field(default_factory=list)
    unrepaired: list[str] = field(default_factory=list)
    """What is otherwise than before after a repair that does not name it as lost."""
    lost: list[str] = field(default_factory=list)
    restored: list[str] = field(default_factory=list)
    """What came from a backup: rows, which are as they were then."""
    rewound: bool = False
    """Whether the whole store is as it was when the backup was made."""

    @property
    def silent(self) -> bool:
        """Whether an answer was wrong and nobody would ever say so."""
        return bool(self.unlike) and not self.findings


class Specimen:
    """One store, its file as it was, and what it answers."""

    def __init__(self, project: Path) -> None:
        self.project = project
        self.ids = _fill(project)
        guard = open_guard(project, actor="test")
        guard.back_up()
        self.backed_up = self.answers(Outcome("backup"))
        with Holdfast.open(project) as memory:
            memory.add("Written after the backup: retries of the queue stop at seven", kind="decision")
        self.pristine = database(project).read_bytes()
        self.truth = self.answers(Outcome("truth"))
        """Rows that a backup has are there as they were then: nothing but a memory more came since."""
        assert not [name for name, answer in self.truth.items() if isinstance(answer, str)]

    def flip(self, place: int, bit: int) -> Outcome:
        """Flip one bit, ask everything, examine, repair, and ask again."""
        data = bytearray(self.pristine)
        data[place] ^= 1 << bit
        self._put(bytes(data))
        outcome = Outcome(f"byte {place}, bit {bit}")
        _compare(self.truth, self.answers(outcome), outcome.unlike)
        outcome.unsaid = [] if self.left_out else list(outcome.unlike)
        self._care(outcome)
        return outcome

    def answers(self, outcome: Outcome, *, flush: bool = False) -> dict[str, Answer]:
        """Return what every verb answers; an error of ours is an answer, any other is noted.

        `flush`: once all vectors are there, which a repair lets some rows wait for.
        """
        self.left_out = 0
        try:
            service = open_service(self.project, actor="test", upkeep=False)
        except HoldfastError as error:
            return {"open": f"error {type(error).__name__}"}
        except Exception as error:  # that is what is looked for
            outcome.raw.append(f"open: {type(error).__name__}: {error}")
            return {"open": "raw"}
        try:
            if flush:
                service.flush()
            return {name: _ask(name, verb, service, outcome) for name, verb in _verbs(self.ids).items()}
        finally:
            self.left_out = len(service.left_out())
            try:
                service.close()
            except HoldfastError:
                pass
            except Exception as error:
                outcome.raw.append(f"close: {type(error).__name__}: {error}")

    def _care(self, outcome: Outcome) -> None:
        try:
            guard = open_guard(self.project, actor="test")
            outcome.findings = [
                f"{one.name}: {one.message}" for one in guard.examine().diagnoses if one.severity == PROBLEM
            ]
            repaired = guard.repair()
        except HoldfastError as error:
            outcome.unrepaired.append(f"{type(error).__name__}: {error}")
            return
        except Exception as error:
            outcome.raw.append(f"doctor: {type(error).__name__}: {error}")
            return
        outcome.lost = list(repaired.lost)
        outcome.restored = [one for one in repaired.repaired if "backup" in one or "restored" in one]
        outcome.unrepaired += [
            f"{one.name}: {one.message}"
            for one in repaired.diagnoses
            if one.severity == PROBLEM and not (one.name == "audit-chain" and _lost_events(outcome))
        ]
        outcome.rewound = any("and restored" in one for one in repaired.repaired)
        self._compare_repaired(outcome)

    def _compare_repaired(self, outcome: Outcome) -> None:
        """Note what a repaired store answers otherwise than its last good state, but for rows named as lost."""
        last_good = self.backed_up if outcome.rewound else self.truth
        answers = self.answers(outcome, flush=True)
        if len(_lost_events(outcome)) == len(outcome.lost):
            _compare(last_good, answers, outcome.unrepaired)
            if outcome.lost and "log" in outcome.unrepaired:
                outcome.unrepaired.remove("log")
            return
        for name in ("list", "get"):
            missing = [
                one
                for one in cast("list[Memory]", last_good[name])
                if one not in cast("list[Memory]", answers[name])
            ]
            outcome.unrepaired += [
                f"{name}: {one.id} is lost, and nobody says so"
                for one in missing
                if not any(one.id in line for line in outcome.lost)
            ]

    def _put(self, data: bytes) -> None:
        path = database(self.project)
        for beside in path.parent.iterdir():
            if beside != path and beside.name not in (".gitignore", "config.toml"):
                shutil.rmtree(beside) if beside.is_dir() else beside.unlink()
        path.write_bytes(data)  # in place: the store is known by its inode


def summary(outcomes: Sequence[Outcome]) -> str:
    """Return how often what happened."""
    return (
        f"{sum(bool(one.findings) for one in outcomes)} found by doctor, "
        f"{sum(bool(one.unlike) for one in outcomes)} with an answer that was otherwise, "
        f"{sum(bool(one.restored) for one in outcomes)} repaired with the backup "
        f"({sum(one.rewound for one in outcomes)} as a whole), "
        f"{sum(bool(one.lost) for one in outcomes)} with rows named as lost"
    )


def _lost_events(outcome: Outcome) -> list[str]:
    """Return what of the log is named as lost: it stays known that the log was altered."""
    return [line for line in outcome.lost if line.startswith("event")]


def places(data: bytes, count: int, seed: int) -> list[tuple[int, int]]:
    """Return so many bits of a file, anywhere in it."""
    luck = random.Random(seed)
    return [(luck.randrange(len(data)), luck.randrange(8)) for _ in range(count)]


def _fill(project: Path) -> list[str]:
    with Holdfast.open(project) as memory:
        texts = [
            ("Use Redis for the cache of the API", "decision", ("cache", "redis")),
            ("Never deploy on Friday afternoons", "warning", ("deploy",)),
            ("The API listens on port 8080", "fact", ("api",)),
            *(
                (f"Fact {n}: the queue retries job type {n} with backoff {n * 7} seconds", "fact", ())
                for n in range(60)
            ),
        ]
        ids = [
            str(
                memory.add(
                    text, kind=kind, tags=tags, files=("src/app.py",), metadata={"n": "1"}, context="why"
                ).id
            )
            for text, kind, tags in texts
        ]
        replaced = memory.add("The API listens on port 9090", supersedes=ids[2], kind="fact")
        memory.pin(ids[0])
        memory.forget(str(memory.add("A walrus that is to be forgotten").id))
        session = memory.start_session(agent="claude-code", ref="one")
        for n in range(12):
            session.record(
                "user" if n % 2 == 0 else "assistant", f"Turn {n}: remember that module {n} is written in Rust"
            )
        session.end()
        memory.search("redis cache")
        memory.flush()
    service = open_service(project, actor="test")
    service.aliases.add("redis", ["keyvalue"])
    service.close()
    return [*ids, str(replaced.id)]


def _verbs(ids: list[str]) -> "dict[str, Callable[[Service], Answer]]":
    verbs: dict[str, Callable[[Service], Answer]] = {
        "list": lambda service: [_memory(one) for one in service.list(Filters(), limit=100)],
        "export": lambda service: [
            (_memory(one), len(ties)) for one, ties in service.exchange.everything("project")
        ],
        "sessions": lambda service: [
            (one.id, one.agent, one.status, one.ref) for one in service.sessions(limit=50)
        ],
        "turns": lambda service: [
            (one.text, one.role, one.at) for session in service.sessions() for one in service.turns(session.id)
        ],
        "findings": lambda service: [
            (one.content, one.evidence) for session in service.sessions() for one in service.findings(session.id)
        ],
        "aliases": lambda service: service.aliases.all(),
        "conflicts": lambda service: [one.id for one in service.conflicts()],
        "log": lambda service: [
            (one.action, one.ids) for one in service.events(EventFilters(limit=500)) if one.action != "read"
        ],
        "history": lambda service: [_memory(one) for one in service.history(ids[-1])],
        "get": lambda service: [_memory(one) for one in service.get(ids)],
        "timeline": lambda service: [(one.id, one.title) for one in service.timeline(ids[5])],
        "context": lambda service: service.context(BriefRequest(prompt="redis cache")).items,
    }
    return verbs | {f"search {query}": _search(query) for query in QUERIES}


def _search(text: str) -> "Callable[[Service], Answer]":
    return lambda service: [(hit.id, hit.title) for hit in service.search(SearchRequest(query=text, within="all"))]


def _memory(memory: Memory) -> Answer:
    """Return what a memory says; how often it was read is only counted."""
    return replace(memory, reads=0, accessed_at=None, fades=None)


def _ask(name: str, verb: "Callable[[Service], Answer]", service: Service, outcome: Outcome) -> Answer:
    try:
        return verb(service)
    except HoldfastError as error:
        return f"error {type(error).__name__}"
    except Exception as error:
        outcome.raw.append(f"{name}: {type(error).__name__}: {error}")
        return "raw"


def _compare(truth: dict[str, Answer], answers: dict[str, Answer], unlike: list[str]) -> None:
    """Note the verbs that answered, and otherwise; an error is no wrong answer."""
    for name, answer in answers.items():
        if not (isinstance(answer, str) and answer.startswith(("error", "raw"))) and answer != truth.get(name):
            unlike.append(name)
