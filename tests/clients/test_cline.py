"""What the agent of Cline does in its shell is its own, though no hook tells. `make test-clients` runs this."""

import subprocess
from pathlib import Path

import pytest

from holdfast import Holdfast
from tests.clients.drive import base_env, run_session
from tests.clients.installed import PROGRAM
from tests.clients.test_mcp import PLACE

pytestmark = pytest.mark.clients


def test_a_pin_from_its_shell_becomes_a_proposal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    home.mkdir()
    project.mkdir()
    env = base_env(PLACE, home)
    subprocess.run([PROGRAM, "add", "Deploys go out on Tuesdays"], env=env, cwd=project, check=True, timeout=60)
    monkeypatch.setenv("HOLDFAST_DATA_HOME", str(home / ".local" / "share" / "holdfast"))
    with Holdfast.open(project) as memory:
        [kept] = memory.list()
    command = f"{PROGRAM} pin {kept.id[-8:]}"
    script = [{"tool": "run_commands", "input": {"commands": [command]}}, {"text": "Done."}]
    result = run_session("cline", clients=PLACE, home=home, project=project, script=script, prompt="Pin it.")
    assert (result.exit_code, result.unplayed_tools) == (0, []), result.stderr_tail
    assert "holdfast review" in result.tool_results()[0]["text"]
    with Holdfast.open(project) as memory:
        assert [one.status for one in memory.list()] == [kept.status]
