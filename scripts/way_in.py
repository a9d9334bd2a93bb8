"""The way in, walked as somebody new walks it: connect Claude Code, state a rule, and see the next session told.

The programs were installed by whoever calls this: a test from a wheel, a release from the index, a benchmark with
each installer. Nothing here knows holdfast's code: it types commands, and runs what Claude Code's settings hold.
"""

import json
import os
import subprocess
from pathlib import Path

RULE = "From now on we use uv, never pip."
SETTINGS = ".claude/settings.json"
INSTALLERS = {"uv": "uv tool install", "pipx": "pipx install", "pip": "pip install"}
"""By their names, what one types before what is to be installed."""
CONNECT = "holdfast install --yes"
NEEDED = ("SYSTEMROOT", "TEMP", "TMP")
"""What no process on Windows can do without."""


def bare_environment(home: Path, programs: Path) -> dict[str, str]:
    """Return the environment of somebody who has a home, the programs that were installed, and a system."""
    system = {name: os.environ[name] for name in NEEDED if name in os.environ}
    path = os.pathsep.join((str(programs), os.environ["PATH"] if os.name == "nt" else "/usr/bin:/bin"))
    return {**system, "HOME": str(home), "USERPROFILE": str(home), "PATH": path, "LC_ALL": "C.UTF-8"}


def make_home(place: Path) -> Path:
    """Make a home where Claude Code was used before and nothing else ever was, with a repository; return that."""
    (place / ".claude").mkdir(parents=True)
    project = place / "shop"
    project.mkdir()
    subprocess.run(["git", "init", "--quiet", str(project)], check=True)
    return project


def connect(project: Path, environment: dict[str, str]) -> str:
    """Type the second command; return what it says."""
    return _run(CONNECT, project, environment)


def second_session(project: Path, environment: dict[str, str]) -> str:
    """State the rule in a first session; return what a second one is told before anybody says anything."""
    _hook("SessionStart", {"source": "startup", "session_id": "first"}, project, environment)
    _hook("UserPromptSubmit", {"prompt": RULE, "session_id": "first", "prompt_id": "1"}, project, environment)
    _hook("SessionEnd", {"reason": "exit", "session_id": "first"}, project, environment)
    answer = _hook("SessionStart", {"source": "startup", "session_id": "second"}, project, environment)
    if not answer:
        raise SystemExit("The second session was told nothing.")
    brief: str = json.loads(answer)["hookSpecificOutput"]["additionalContext"]
    return brief


def leave(project: Path, environment: dict[str, str]) -> str:
    """Go again; what waits is taken in first."""
    return _run("holdfast uninstall", project, environment)


def walk(place: Path, programs: Path) -> None:
    """Walk all of it, and end where a step fails or the rule is not told."""
    project = make_home(place)
    environment = bare_environment(place, programs)
    connect(project, environment)
    brief = second_session(project, environment)
    if RULE not in brief:
        raise SystemExit(f"The second session was not told the rule, but: {brief}")
    leave(project, environment)


def _hook(event: str, payload: dict[str, str], project: Path, environment: dict[str, str]) -> str:
    """Do what Claude Code does at an event: run the very command that its settings hold, in a shell."""
    settings = json.loads((Path(environment["HOME"]) / SETTINGS).read_text(encoding="utf-8"))
    [entry] = settings["hooks"][event]
    [handler] = entry["hooks"]
    text = json.dumps({**payload, "cwd": str(project), "hook_event_name": event})
    return _run(handler["command"], project, environment, text)


def _run(command: str, project: Path, environment: dict[str, str], text: str = "") -> str:
    """Run a line as it is typed, or as it stands in a file."""
    result = subprocess.run(  # noqa: S602 - what a shell makes of the line is what is tried
        command, check=False, shell=True, cwd=project, env=environment,
        input=text, capture_output=True, encoding="utf-8",
    )  # fmt: skip
    if result.returncode:
        raise SystemExit(f"{command} ended with {result.returncode}: {result.stderr}")
    return result.stdout
