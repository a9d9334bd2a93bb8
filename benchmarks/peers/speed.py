"""What it costs to add, to search and to begin; and what is left on the disk.

The same made-up notes go into every memory, batch by batch in turn, and the same questions are asked in turn, so
that a noisy machine slows all alike. An add has ended when what was added is found by meaning as well as by words.
"""

import os
import secrets
import statistics
import string
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.peers.adapters.protocol import Entry
from benchmarks.peers.client import InTurn, PeerFailed, Reply, Running
from benchmarks.peers.environments import Peer
from benchmarks.texts import notes, questions

BATCH = 250
WARM_UP = Entry("first", "The first text of a process loads what the others need")
BATCH_TOGETHER = 10

Figures = dict[str, float | str | None]
Report = dict[str, Figures]
Failures = dict[str, list[str]]


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is measured."""

    texts: int = 1_000
    queries: int = 60
    cold_starts: int = 5
    together: int = 100
    """Entries that each of two processes adds to one store at the same time, ten at a time."""


def measure(peers: Sequence[Peer], place: Path, sizes: Sizes, failures: Failures) -> Report:
    """Measure every peer."""
    report: Report = {peer.name: {} for peer in peers}
    entries = [Entry(f"n{number}", text) for number, text in enumerate(notes(sizes.texts))]
    token = fake_token()
    with InTurn(peers, place / "one", failures) as group:
        _fill(group, entries, report)
        _search(group, sizes.queries, report)
        group.each(lambda running: _add(running, [Entry("secret", f"Deploys use the token {token} since May")]))
    for peer in peers:
        if peer.name not in failures:
            _look_at_disk(report[peer.name], place / "one" / peer.name, token)
    left = [peer for peer in peers if peer.name not in failures]
    for name, starts in _begin_anew(left, place / "one", sizes.cold_starts, failures).items():
        report[name] |= starts
    for peer in left:
        two = two_at_once(peer, place / "two" / peer.name, sizes.together)
        report[peer.name] |= {"of two processes at once, came back": two} | _returns(peer, place / "one", entries)
    return report


def fake_token() -> str:
    """Return a text of the form of a real access token that never was one."""
    return "ghp" + "_" + "".join(secrets.choice(string.ascii_letters + string.digits) for _ in range(36))


def _fill(group: InTurn, entries: Sequence[Entry], report: Report) -> None:
    added: dict[str, list[Reply]] = {}
    settled: dict[str, list[Reply]] = {}
    group.each(lambda running: _add(running, [WARM_UP]))  # who loads a model with the first text has it by now
    before = group.each(lambda running: running.ask("settle"))
    for start in range(0, len(entries), BATCH):
        batch = entries[start : start + BATCH]
        for name, (reply, after) in group.each(lambda running: _add(running, batch)).items():  # noqa: B023 - called at once
            added.setdefault(name, []).append(reply)
            settled.setdefault(name, []).append(after)
    for name, replies in settled.items():
        wall = sum(reply.wall for reply in added[name])
        ready = wall + sum(reply.wall for reply in replies)
        spent = replies[-1].total_cpu - before[name].total_cpu
        report[name] |= {
            "add returns, ms an entry": wall / len(entries) * 1000,
            "add until found by meaning, ms an entry": ready / len(entries) * 1000,
            "add, ms CPU an entry": spent / len(entries) * 1000,
            "most memory while adding, MB": max(reply.peak for reply in replies) / 1e6,
        }


def _add(running: Running, batch: Sequence[Entry]) -> tuple[Reply, Reply]:
    return running.add(batch), running.ask("settle")


def _search(group: InTurn, queries: int, report: Report) -> None:
    group.each(lambda running: running.search("warm up", 10))
    replies: dict[str, list[Reply]] = {}
    for question in questions(queries):
        answers = group.each(lambda running: running.ask("search", query=question, limit=10))  # noqa: B023 - called at once
        for name, reply in answers.items():
            replies.setdefault(name, []).append(reply)
    for name, timed in replies.items():
        wall, cpu = [reply.wall * 1000 for reply in timed], [reply.cpu * 1000 for reply in timed]
        report[name] |= {
            "search p50, ms": statistics.median(wall),
            "search p95, ms": statistics.quantiles(wall, n=20)[-1],
            "search p50, ms CPU": statistics.median(cpu),
            "search p95, ms CPU": statistics.quantiles(cpu, n=20)[-1],
        }


def _look_at_disk(figures: Figures, place: Path, token: str) -> None:
    sizes = {path: path.stat().st_size for path in files(place)}
    figures["on disk, MB"] = sum(sizes.values()) / 1e6
    figures["planted token in clear"] = "yes" if any(holds(path, token) for path in sizes) else "no"


def files(place: Path) -> Iterator[Path]:
    """Yield what a memory wrote: no models, which are links, and not the benchmark's own log."""
    for folder, _, names in os.walk(place):
        paths = (Path(folder) / name for name in names)
        yield from (path for path in paths if path.is_file() and not path.is_symlink() and path.name != "log.txt")


def holds(path: Path, text: str) -> bool:
    """Say whether a file holds a text as it is."""
    return text.encode() in path.read_bytes()


def _begin_anew(peers: Sequence[Peer], place: Path, rounds: int, failures: Failures) -> Report:
    """Start processes over what was added, in turn."""
    starts: dict[str, list[tuple[float, Reply]]] = {}
    for _ in range(rounds):
        for peer in (peer for peer in peers if peer.name not in failures):
            try:
                starts.setdefault(peer.name, []).append(_cold_start(peer, place / peer.name))
            except PeerFailed as problem:
                failures.setdefault(peer.name, []).append(f"a new process: {problem}")
    return {
        name: {
            "new process to first answer, s": statistics.median(wall for wall, _ in taken),
            "new process to first answer, s CPU": statistics.median(reply.total_cpu for _, reply in taken),
            "its memory then, MB": statistics.median(reply.resident for _, reply in taken) / 1e6,
            "its most memory, MB": statistics.median(reply.peak for _, reply in taken) / 1e6,
        }
        for name, taken in starts.items()
        if taken
    }


def _cold_start(peer: Peer, place: Path) -> tuple[float, Reply]:
    question = next(questions(1, seed=4))
    begin = time.perf_counter()
    running = Running(peer, place)
    try:
        running.open()
        reply = running.ask("search", query=question, limit=10)
        return time.perf_counter() - begin, reply
    finally:
        running.end()


def _returns(peer: Peer, place: Path, entries: Sequence[Entry]) -> Figures:
    """Say which share of the entries a new process lists."""
    try:
        listed = _listed(peer, place / peer.name)
    except PeerFailed:
        return {"entries that come back": None}
    return {"entries that come back": sum(entry.text in listed for entry in entries) / len(entries)}


def two_at_once(peer: Peer, place: Path, count: int) -> str:
    """Let two processes add to one store at the same time; say how much of it is there afterwards."""
    place.mkdir(parents=True)
    problems: list[str] = []
    halves = [
        [Entry(f"{side}{number}", text) for number, text in enumerate(notes(count, seed=20 + place_of))]
        for place_of, side in enumerate("ab")
    ]
    writers = [threading.Thread(target=_write, args=(peer, place, half, problems)) for half in halves]
    _together(writers)
    try:
        listed = _listed(peer, place)
    except PeerFailed as problem:
        return f"failed: {problem}"
    there = sum(entry.text in listed for half in halves for entry in half)
    return f"{there} of {2 * count}" + (f"; {problems[0]}" if problems else "")


def _together(writers: Sequence[threading.Thread]) -> None:
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()


def _write(peer: Peer, place: Path, entries: Sequence[Entry], problems: list[str]) -> None:
    running = Running(peer, place)
    try:
        running.open()
        for start in range(0, len(entries), BATCH_TOGETHER):
            _tried(lambda: running.add(entries[start : start + BATCH_TOGETHER]), problems)  # noqa: B023 - called at once
        _tried(lambda: running.ask("settle"), problems)
    except PeerFailed as problem:
        problems.append(str(problem))
    finally:
        running.end()


def _tried(work: Callable[[], object], problems: list[str]) -> None:
    try:
        work()
    except PeerFailed as problem:
        problems.append(str(problem))


def _listed(peer: Peer, place: Path) -> set[str]:
    running = Running(peer, place)
    try:
        running.open()
        return set(running.ask("texts").texts)
    finally:
        running.end()
