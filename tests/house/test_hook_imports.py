"""What a hook loads while an agent waits: this list, and nothing else of ours."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast import Holdfast
from tests.house.test_layers import HEAVY

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
holdfast holdfast.agent_events holdfast.checkout holdfast.digest holdfast.errors holdfast.hook_settings
holdfast.places holdfast.spool holdfast.switch
holdfast.capture holdfast.capture.clean holdfast.capture.normalise holdfast.capture.strip
holdfast.hearing holdfast.hearing.additions holdfast.hearing.echo holdfast.hearing.entry holdfast.hearing.fields
holdfast.hearing.moments holdfast.interfaces holdfast.interfaces.hooks
holdfast.interfaces.hooks.clients holdfast.interfaces.hooks.clients.claude
holdfast.interfaces.hooks.entry holdfast.interfaces.hooks.marks
holdfast.interfaces.hooks.payload holdfast.interfaces.hooks.place
holdfast.interfaces.hooks.respond holdfast.interfaces.hooks.settings
holdfast.interfaces.hooks.told holdfast.interfaces.hooks.trace holdfast.interfaces.hooks.watchdog
holdfast.model holdfast.model.ids holdfast.model.limits holdfast.model.refs
""".split()
BRIEFING = """
holdfast.interfaces.hooks.brief holdfast.interfaces.hooks.page holdfast.interfaces.hooks.reading
holdfast.interfaces.hooks.weighing holdfast.ownership
holdfast.recall holdfast.recall.brief holdfast.recall.brief.agents holdfast.recall.brief.budget
holdfast.recall.brief.escape holdfast.recall.brief.render holdfast.recall.brief.tokens holdfast.recall.stopwords
holdfast.stores holdfast.stores.analyser holdfast.stores.named holdfast.stores.sqlite
holdfast.stores.sqlite.connection holdfast.stores.sqlite.queries holdfast.stores.weights
""".split()


@pytest.mark.parametrize(
    ("event", "loaded"), [("Stop", RECORDING), ("UserPromptSubmit", [*RECORDING, *BRIEFING])], ids=str
)
def test_a_hook_loads_what_it_needs_and_nothing_heavy(project: Path, event: str, loaded: list[str]) -> None:
    """dataclasses alone would cost thirty milliseconds. What is in `capture.redact` depends on the text."""
    with Holdfast.open(project) as memory:
        memory.add("Prices are stored in integer cents", trust="user")
    payload = {
        "session_id": "s1",
        "cwd": str(project),
        "prompt_id": "p1",
        "prompt": "How are prices stored?",
        "last_assistant_message": "In cents.",
    }
    command = [sys.executable, "-I", "-c", PROGRAM, "claude", event]
    done = subprocess.run(command, input=json.dumps(payload), capture_output=True, text=True, check=True)
    modules = set(done.stderr.split())
    assert modules & HEAVY == set()
    assert bool(done.stdout) == (event == "UserPromptSubmit")
    ours = {name for name in modules if name.split(".")[0] == "holdfast"}
    assert sorted(name for name in ours if not name.startswith("holdfast.capture.redact")) == sorted(loaded)
