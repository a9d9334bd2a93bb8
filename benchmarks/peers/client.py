"""Adapters' processes from the outside: started, asked and ended; peers asked in turn.

Each process has a home of its own, and no network where the system can take it away (`unshare`): nothing is got
or sent, and nobody waits for a server that is out of reach.
"""

import functools
import json
import os
import shutil
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from benchmarks.peers.adapters.protocol import Entry
from benchmarks.peers.environments import ROOT, Peer, prepare_home, python_of

PATIENCE = 600.0
"""Seconds that an answer may take; a peer that takes longer has failed."""

T = TypeVar("T")


class PeerFailed(Exception):
    """A peer did not do what it was asked."""


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer: what it took, and what it says."""

    wall: float
    cpu: float
    total_cpu: float
    peak: int
    resident: int = 0
    ids: list[str] | None = None
    texts: list[str] = field(default_factory=list)


class Running:
    """An adapter under way, over a store in a folder; with a wrapper, as it is out of the box."""

    def __init__(self, peer: Peer, place: Path, wrapper: Sequence[str] = ()) -> None:
        self.peer, self.place = peer, place
        home = place / "home"
        prepare_home(peer, home)
        self._log = (place / "log.txt").open("a", encoding="utf-8")
        self._process = subprocess.Popen(
            [
                *without_network(),
                *wrapper,
                str(python_of(peer)),
                "-m",
                f"benchmarks.peers.adapters.{peer.adapter}",
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            cwd=place,
            env=_environment(home) | ({} if wrapper else peer.reports_off),
        )

    def open(self) -> Reply:
        """Open the store."""
        return self.ask("open", place=str(self.place))

    def add(self, entries: Sequence[Entry]) -> Reply:
        """Add entries."""
        rows = [
            {name: getattr(entry, name) for name in ("id", "text", "session", "speaker", "at")}
            for entry in entries
        ]
        return self.ask("add", entries=rows)

    def search(self, query: str, limit: int) -> list[str]:
        """Return the ids that answer a query."""
        return self.ask("search", query=query, limit=limit).ids or []

    def ask(self, verb: str, **fields: object) -> Reply:
        """Ask one thing and wait for the answer."""
        assert self._process.stdin
        assert self._process.stdout
        watch = threading.Timer(PATIENCE, self._process.kill)
        watch.start()
        try:
            self._process.stdin.write(json.dumps({"do": verb, **fields}) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        finally:
            watch.cancel()
        return self._reply(verb, json.loads(line) if line else {"error": f"no answer; {self._last_words()}"})

    def end(self) -> None:
        """Close the store and wait for the process; end one that does not close."""
        if self._process.poll() is None:
            try:
                self.ask("close")
            except PeerFailed:
                self._process.kill()
        self._collect()

    def kill(self) -> None:
        """End the process at once."""
        self._process.kill()
        self._collect()

    def _collect(self) -> None:
        try:
            self._process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()
        self._log.close()

    def _reply(self, verb: str, answer: Mapping[str, object]) -> Reply:
        if problem := answer.get("error"):
            raise PeerFailed(f"{verb}: {str(problem)[:300]}")
        return Reply(**answer)  # type: ignore[arg-type]  # the protocol's own form

    def _last_words(self) -> str:
        lines = (self.place / "log.txt").read_text("utf-8", errors="replace").strip().splitlines()
        return lines[-1][:200] if lines else "nothing was printed"


class InTurn:
    """Peers over stores of the same content, asked in turn. One that fails is left out from then on."""

    def __init__(self, peers: Sequence[Peer], place: Path, failures: dict[str, list[str]]) -> None:
        self._failures = failures
        self._running: dict[str, Running] = {}
        for peer in peers:
            own = place / peer.name
            own.mkdir(parents=True, exist_ok=True)
            self._running[peer.name] = Running(peer, own)
        self.each(Running.open)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for running in self._running.values():
            running.end()

    def each(self, work: Callable[[Running], T]) -> dict[str, T]:
        """Let every peer do the same thing, one after the other; return what came of it, by name."""
        results: dict[str, T] = {}
        for name, running in list(self._running.items()):
            try:
                results[name] = work(running)
            except PeerFailed as problem:
                self._failures.setdefault(name, []).append(str(problem))
                self._running.pop(name).kill()
        return results


@functools.cache
def without_network() -> tuple[str, ...]:
    """Return the command that takes the network away from a process, where it works."""
    command = ("unshare", "--map-root-user", "--net")
    if not shutil.which(command[0]):
        return ()
    done = subprocess.run([*command, "true"], capture_output=True, check=False)
    return command if done.returncode == 0 else ()


def _environment(home: Path) -> dict[str, str]:
    """Give a process its home, and nothing of the user's settings."""
    inherited = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
    return inherited | {"HOME": str(home), "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
