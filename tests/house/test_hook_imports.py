"""What a hook loads while an agent waits."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast import Holdfast
from tests.house.test_layers import HEAVY, VALUES

PROGRAM = """
import os, sys
leave = os._exit
def tell(code):
    sys.stderr.write(" ".join(sorted(sys.modules)))
    sys.stderr.flush()
    leave(code)
os._exit = tell
sys.argv = ["holdfast-hook", *sys.argv[1:]]
from holdfast.interfaces.hooks.entry import main
main()
"""
RECORDING = """
holdfast holdfast.agents holdfast.agents.claude holdfast.agents.events holdfast.agents.spool
holdfast.capture holdfast.capture.forget_command holdfast.capture.text holdfast.capture.text.clean
holdfast.errors holdfast.interfaces holdfast.interfaces.hooks holdfast.interfaces.hooks.entry
holdfast.interfaces.hooks.respond holdfast.interfaces.hooks.watchdog
holdfast.machine holdfast.machine.disk holdfast.machine.environment
holdfast.machine.failures holdfast.machine.paths holdfast.model holdfast.model.act holdfast.model.ids
holdfast.model.limits holdfast.settings
""".split()
WIRED = """
storage.open storage.settings storage.workspace storage.drain service.service settings.schema
settings.load storage.guard storage.doctor ingest share export upkeep
""".split()
"""Packages and modules that open stores for good and look after them: a brief needs none of them."""


def loaded_by(event: str, project: Path) -> tuple[set[str], str]:
    """Run a hook's process; return the modules that it held in the end, and what it printed."""
    payload = {
        "session_id": f"s{event}",
        "cwd": str(project),
        "source": "startup",
        "prompt_id": "p1",
        "prompt": "How do we store prices?",
        "last_assistant_message": "In cents.",
    }
    command = [sys.executable, "-I", "-c", PROGRAM, "claude", event]
    done = subprocess.run(command, input=json.dumps(payload), capture_output=True, text=True, check=True)
    return set(done.stderr.split()), done.stdout


def ours(modules: set[str]) -> list[str]:
    """Return our own modules; what `capture.redact` loads depends on the text."""
    own = {name for name in modules if name.split(".")[0] == "holdfast"}
    return sorted(name for name in own if not name.startswith("holdfast.capture.text.redact"))


@pytest.fixture
def project_with_rule(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose store holds a rule and its vector; the settings have been read for hooks before."""
    monkeypatch.setenv("HOLDFAST_EMBEDDING_MODEL", "minilm")
    with Holdfast.open(project) as memory:
        memory.add("Prices are stored in integer cents", trust="user")
        memory.flush()
    loaded_by("Notification", project)
    return project


def test_a_recording_hook_loads_this_list_and_nothing_else(project_with_rule: Path) -> None:
    """msgspec alone would cost fifteen milliseconds."""
    modules, printed = loaded_by("Stop", project_with_rule)
    assert printed == ""
    assert modules & (HEAVY | VALUES) == set()
    assert ours(modules) == sorted(RECORDING)


@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit"])
def test_a_brief_loads_the_pipeline_and_nothing_heavy(project_with_rule: Path, event: str) -> None:
    """It is the pipeline of every brief, over stores opened as they are."""
    modules, printed = loaded_by(event, project_with_rule)
    assert "integer cents" in printed
    assert modules & {*HEAVY, "onnxruntime", "tokenizers", "subprocess", "asyncio", "sqlite3", "logging"} == set()
    assert {
        "holdfast.service.briefs",
        "holdfast.recall.brief.pipeline",
        "holdfast.storage.brief_stores",
    } <= modules
    loaded = [name.removeprefix("holdfast.") for name in ours(modules)]
    assert [name for name in loaded if name.startswith(tuple(WIRED))] == []
    others = [name for name in ours(modules) if name.startswith("holdfast.interfaces.")]
    assert all(name.startswith("holdfast.interfaces.hooks") for name in others)
