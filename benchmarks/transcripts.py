"""What reading past sessions costs: CPU seconds for 10,000 turns of 100 sessions, and for a second run.

    python -m benchmarks.transcripts

The sessions are made up in Claude Code's format: people and agents take turns, every third message is what a tool
printed, and one in twenty settles something.
"""

import json
import resource
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from holdfast.ingest.locate import Finder, Homes
from holdfast.ingest.transcripts import ReadMarks, Transcripts
from holdfast.model.ingest import TranscriptsIngested
from holdfast.service.service import Service
from holdfast.storage.ingest import open_tables
from holdfast.storage.open import open_service

SESSIONS = 100
TURNS = 100
START = 1_700_000_000
TOPICS = ("the queue", "the parser", "retries", "the price table", "the session cache", "uploads", "the gateway")


def main() -> None:
    """Print the figures."""
    for name, figure in run().items():
        print(f"{name:<40} {figure:8.2f}")


def run() -> dict[str, float]:
    """Measure."""
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as place:
        home, project = Path(place) / "home", Path(place) / "project"
        project.mkdir()
        write(home / ".claude" / "projects" / "x", project)
        service = open_service(project, actor="bench", embed_on_add=False)
        figures, done = {}, None
        for name in (f"CPU s, {SESSIONS * TURNS:,} turns", "CPU s, second run"):
            before = time.process_time()
            done = ingest(service, home, project)
            figures[name] = time.process_time() - before
        service.close()
    assert done
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return figures | {"new in the second run": float(done.turns), "largest resident memory, MB": peak}


def ingest(service: Service, home: Path, project: Path) -> TranscriptsIngested:
    """Read the sessions, as the command does."""
    homes = Homes(*(home / name for name in (".claude", ".codex", ".gemini", ".opencode", ".copilot")))
    with ExitStack() as stack:
        finder = Finder(homes, lambda cwd: cwd == str(project), [project], open_tables)
        sources = list(finder.of_project(["claude"], stack))
        return Transcripts(service, ReadMarks(home / "seen.json")).ingest(sources)


def write(folder: Path, project: Path) -> None:
    """Write the transcripts."""
    folder.mkdir(parents=True)
    for session in range(SESSIONS):
        text = "".join(json.dumps(line) + "\n" for line in lines(session, str(project)))
        (folder / f"s{session}.jsonl").write_text(text, encoding="utf-8")


def lines(session: int, cwd: str) -> Iterator[dict[str, object]]:
    """Make one session."""
    for number in range(TURNS):
        place = session * TURNS + number
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(START + place * 60))
        role = "user" if number % 3 != 1 else "assistant"
        yield {
            "type": role, "sessionId": f"s{session}", "uuid": f"u{place}", "promptId": f"p{place // 3}",
            "cwd": cwd, "timestamp": stamp, "message": {"role": role, "content": content(place)},
        }  # fmt: skip


def content(place: int) -> object:
    """Make what is said in one place."""
    topic = TOPICS[place % len(TOPICS)]
    if place % 3 == 2:
        printed = f"ran {place} checks of {topic}\n" * 40
        return [{"type": "tool_result", "tool_use_id": f"t{place}", "content": printed}]
    if place % 20 == 0:
        return (
            f"We settled it: {topic} waits {place} milliseconds before it gives up, because the gateway says so."
        )
    return f"Looking at {topic} in step {place}: what happens there when file number {place % 97} is missing?"


if __name__ == "__main__":
    main()
