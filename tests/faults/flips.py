"""A store with something of everything in it, bits of its file flipped one at a time, and what comes of it.

A verb must answer as before or raise an error of ours. An answer that is otherwise must be named by `doctor`, or
differ in one value of one row: a letter or a number that reads as another. Restoring the backup must bring back
what was there. A seed names the flips.
"""

import random
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from msgspec.structs import replace

from holdfast import Holdfast
from holdfast.errors import HoldfastError
from holdfast.model.care import PROBLEM, Checkup
from holdfast.model.memory import Memory
from holdfast.model.records import EventFilters
from holdfast.model.requests import BriefRequest, SearchRequest
from holdfast.model.search import Filters
from holdfast.service.service import Service
from holdfast.storage.open import open_service
from holdfast.storage.workspace import open_guard
from tests.faults.processes import database

QUERIES = ("redis cache", "deploy friday", "port 8080", "queue retries", "walrus")
Answer = object
LISTING = ("list", "get", "sessions", "turns", "findings")
"""Verbs that answer with a row each, as it is."""


@dataclass
class Outcome:
    """What one flip did."""

    place: str
    raw: list[str] = field(default_factory=list)
    """Errors that are none of ours."""
    unlike: list[str] = field(default_factory=list)
    """Verbs that answered otherwise than before."""
    missing: list[str] = field(default_factory=list)
    """Verbs that list rows, and whose answer differs in more than one of them."""
    findings: list[str] = field(default_factory=list)
    unrepaired: list[str] = field(default_factory=list)
    """Problems that a repair leaves and does not restore a backup for; an altered log stays known."""
    lost: list[str] = field(default_factory=list)
    unrestored: list[str] = field(default_factory=list)
    """Verbs that answer otherwise after a restore than when the backup was made."""

    @property
    def silent(self) -> bool:
        """Whether rows are missing from an answer and `doctor` finds nothing."""
        return bool(self.missing) and not self.findings


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
        assert not [name for name, answer in self.truth.items() if isinstance(answer, str)]

    def flip(self, place: int, bit: int) -> Outcome:
        """Flip one bit, ask everything, examine, repair, and ask again."""
        data = bytearray(self.pristine)
        data[place] ^= 1 << bit
        self._put(bytes(data))
        outcome = Outcome(f"byte {place}, bit {bit}")
        answers = self.answers(outcome)
        outcome.unlike = _unlike(self.truth, answers)
        outcome.missing = [name for name in LISTING if _differing(self.truth[name], answers.get(name)) > 1]
        self._care(outcome)
        return outcome

    def answers(self, outcome: Outcome) -> dict[str, Answer]:
        """Return what every verb answers; an error of ours is an answer, any other is noted."""
        try:
            service = open_service(self.project, actor="test", upkeep=False)
        except HoldfastError as error:
            return {"open": f"error {type(error).__name__}"}
        except Exception as error:  # that is what is looked for
            outcome.raw.append(f"open: {type(error).__name__}: {error}")
            return {"open": "raw"}
        try:
            return {name: _ask(name, verb, service, outcome) for name, verb in _verbs(self.ids).items()}
        finally:
            try:
                service.close()
            except HoldfastError:
                pass
            except Exception as error:
                outcome.raw.append(f"close: {type(error).__name__}: {error}")

    def _care(self, outcome: Outcome) -> None:
        try:
            guard = open_guard(self.project, actor="test")
            outcome.findings = _problems(guard.examine())
            repaired = guard.repair()
            outcome.lost = list(repaired.lost)
            if not repaired.lost:
                outcome.unrepaired = [line for line in _problems(repaired) if not line.startswith("audit-chain")]
            guard.restore()
        except HoldfastError as error:
            outcome.unrestored.append(f"{type(error).__name__}: {error}")
            return
        except Exception as error:  # that is what is looked for
            outcome.raw.append(f"doctor: {type(error).__name__}: {error}")
            return
        outcome.unrestored = _unlike(self.backed_up, self.answers(outcome))

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
        f"{sum(bool(one.unlike and not one.findings) for one in outcomes)} of those in a value nothing checks, "
        f"{sum(bool(one.lost) for one in outcomes)} restored from the backup"
    )


def _problems(checkup: Checkup) -> list[str]:
    return [f"{one.name}: {one.message}" for one in checkup.diagnoses if one.severity == PROBLEM]


def _differing(truth: Answer, answer: Answer) -> int:
    """Count the rows that an answer lacks; an error lacks none, as it is no answer."""
    return sum(row not in answer for row in truth) if isinstance(answer, list) and isinstance(truth, list) else 0


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


def _unlike(truth: dict[str, Answer], answers: dict[str, Answer]) -> list[str]:
    """Return the verbs that answered, and otherwise; an error is no wrong answer."""
    return [
        name
        for name, answer in answers.items()
        if not (isinstance(answer, str) and answer.startswith(("error", "raw"))) and answer != truth.get(name)
    ]
