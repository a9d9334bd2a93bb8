"""Numbers that need a process: the files that a verb runs through, and the tests that `make test` collects.

Verbs run as a user runs them, by the programs of the checkout's environment, in an empty home and without vectors
(`embedding.model = none`), so that neither a model nor a worker for vectors is counted.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SHIM = Path(__file__).resolve().parent / "shim"
PATIENCE_S = 20.0
TALK = (
    ("The importer crashes on empty files, please fix it.", "Fixed: the importer now skips empty files."),
    ("Yes, we decided to stream everything above one megabyte.", "Recap: we settled on streaming large files."),
    ("Remember that the limit is one megabyte. Never raise it without asking me.", "Noted."),
)


def files_run(root: Path) -> dict[str, float]:
    """Count the files run by the second `holdfast add`, and by a session's end with the worker that it starts."""
    with tempfile.TemporaryDirectory(prefix="house-") as folder:
        place = Path(folder).resolve()
        for name in ("project", "home", "add", "end"):
            (place / name).mkdir()
        subprocess.run(["git", "init", "-q", str(place / "project")], check=True)
        _run(root, place, ["holdfast", "add", "The first one is about queues"])
        _run(root, place, ["holdfast", "add", "The second one is about retries with jitter"], trace=place / "add")
        for number, (prompt, reply) in enumerate(TALK):
            _hook(root, place, "UserPromptSubmit", {"prompt": prompt, "prompt_id": str(number)})
            _hook(root, place, "Stop", {"last_assistant_message": reply, "prompt_id": str(number)})
        _hook(root, place, "SessionEnd", {"reason": "exit"}, trace=place / "end")
        return {
            "files run by the second add": len(_traced(place / "add", processes=1)),
            "files run by a session's end": len(_traced(place / "end", processes=2)),
        }


def test_items(root: Path) -> int:
    """Count the tests that `make test` runs, as pytest collects them."""
    words = [_program(root, "python"), "-m", "pytest", "--collect-only", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*words, "-m", "not soak and not clients"], cwd=root, capture_output=True, text=True, check=False
    )
    found = re.search(r"^(\d+)(?:/\d+)? tests? collected", done.stdout, re.MULTILINE)
    if not found:
        sys.exit(f"pytest collected nothing:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return int(found[1])


def _hook(root: Path, place: Path, event: str, fields: dict[str, str], trace: Path | None = None) -> None:
    payload = {"session_id": "house", "cwd": str(place / "project"), "hook_event_name": event, **fields}
    _run(root, place, ["holdfast-hook", "claude", event], json.dumps(payload), trace)


def _run(root: Path, place: Path, words: list[str], typed: str = "", trace: Path | None = None) -> None:
    variables = {
        "PATH": os.environ["PATH"],
        "HOME": str(place / "home"),
        "LANG": "C.UTF-8",
        "HOLDFAST_DATA_HOME": str(place / "data"),
        "HOLDFAST_CONFIG_HOME": str(place / "config"),
        "HOLDFAST_EMBEDDING_MODEL": "none",
        "HOLDFAST_EMBEDDING_BACKGROUND": "false",
        "HOLDFAST_HOOK_PACE": "1000",
    }
    if trace:
        variables |= {"PYTHONPATH": str(SHIM), "HOUSE_TRACE": str(trace)}
    subprocess.run(
        [_program(root, words[0]), *words[1:]],
        input=typed,
        text=True,
        env=variables,
        cwd=place / "project",
        stdout=subprocess.DEVNULL,
        check=True,
    )


def _program(root: Path, name: str) -> str:
    return str(root / ".venv" / "bin" / name)


def _traced(folder: Path, processes: int) -> set[str]:
    """Return the files that all traced processes ran, once they have ended; a worker may begin a little later."""
    limit = time.monotonic() + PATIENCE_S
    while time.monotonic() < limit:
        begun, done = (list(folder.glob(f"*.{mark}")) for mark in ("begun", "done"))
        if len(begun) == len(done) >= processes:
            break
        time.sleep(0.1)
    return {line for path in folder.glob("*.done") for line in path.read_text(encoding="utf-8").splitlines()}
