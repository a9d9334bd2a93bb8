"""The main job from the first command to the last, in one process: run by a test on a system that this is not.

Prints what each step came to as JSON. Every step closes what it opened: what a step before it left open would keep
Windows from renaming or removing it.
"""

import contextlib
import importlib
import io
import json
import os
import pkgutil
import sys

import holdfast
from holdfast.interfaces.cli.main import run
from holdfast.machine import disk

RULE = "Jobs are queued in Redis – lists, never streams ✓"
SECRET = "The staging host is called marigold"  # noqa: S105 - nothing of the kind
AGENTS = ("claude", "codex", "gemini", "copilot", "cursor", "opencode")
STEPS = (
    ("init", ["init"]),
    ("add", ["add", RULE, "--json"]),
    ("add another", ["add", SECRET, "--json"]),
    ("search", ["search", "how are jobs queued", "--json"]),
    ("context", ["context"]),
    ("backup", ["backup", "--json"]),
    ("forget", ["forget", "marigold", "--yes", "--backups"]),
    ("search again", ["search", "marigold", "--json"]),
    ("export", ["export", "--output", "memories.jsonl"]),
    ("import", ["import", "memories.jsonl", "--json"]),
    ("restore", ["restore", "--yes"]),
    ("search restored", ["search", "how are jobs queued", "--json"]),
    ("reindex", ["reindex", "--pending"]),
    ("doctor", ["doctor", "--json"]),
    ("config", ["config", "set", "--user", "brief.ceiling", "900"]),
    ("install", ["install", *AGENTS]),
    ("status", ["status", "--json"]),
    ("uninstall", ["uninstall", *AGENTS, "--purge", "--yes"]),
)


def main() -> None:
    """Take the steps; then import whatever none of them did."""
    outcomes = {name: _take(words) for name, words in STEPS}
    modules = [module.name for module in pkgutil.walk_packages(holdfast.__path__, "holdfast.")]
    for name in modules:
        importlib.import_module(name)
    facts = {"outcomes": outcomes, "platform": vars(disk)["sys"].platform, "modules": len(modules)}
    sys.stdout.buffer.write(json.dumps(facts).encode())
    sys.stdout.flush()
    os._exit(0)


def _take(words: list[str]) -> tuple[int, str, str]:
    sys.argv = [os.environ["FAKE_PROGRAM"], *words]
    printed, complaints = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(complaints):
        code = run(words)
    return code, printed.getvalue(), complaints.getvalue()


if __name__ == "__main__":
    main()
