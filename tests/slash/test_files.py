"""The files that make slash commands of each agent: whole, and safe with whatever a person types."""

import os
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import holdfast.agents
from holdfast import Holdfast
from holdfast.slash import COMMANDS
from tests.rows import each

AGENTS = Path(holdfast.agents.__file__).parent
FILES = {
    "claude": "{}.md",
    "gemini": "{}.toml",
    "opencode": "{}.md",
    "codex": "{}/SKILL.md",
}
SLY = """It's "done"; $(touch pwned) && touch pwned #50% \\n $HOME !{x} 'q' <<END"""


def file_of(agent: str, command: str) -> Path:
    """Return a command's file; Gemini CLI has a /memory of its own, so ours stands in a folder there."""
    own = agent == "gemini" and command == "memory"
    return AGENTS / agent / "commands" / ("holdfast" if own else "") / FILES[agent].format(command)


@each("command", COMMANDS)
@each("agent", FILES)
def test_every_agent_has_every_command(agent: str, command: str) -> None:
    text = file_of(agent, command).read_text(encoding="utf-8")
    assert "description" in text
    assert "holdfast slash" in text
    assert f"/{command} " in text


def test_the_second_place_of_claudes_memory_holds_the_same() -> None:
    """Claude Code has a /memory of its own; where it wins, /holdfast:memory is ours."""
    assert (AGENTS / "claude/commands/holdfast/memory.md").read_bytes() == (
        AGENTS / "claude/commands/memory.md"
    ).read_bytes()


def shell_command(agent: str, command: str, typed: str) -> str:
    """Return what the agent's shell runs when a person types something after a command."""
    text = file_of(agent, command).read_text(encoding="utf-8")
    match agent:
        case "claude":
            return text.split("```!\n")[1].split("\n```")[0].replace("$ARGUMENTS", typed)
        case "codex" | "opencode":
            return text.split("```sh\n")[1].split("\n```")[0].replace("WORDS", typed)
        case _:
            prompt: str = tomllib.loads(text)["prompt"]
            return prompt.split("!{")[1].split("}\n")[0].replace("{{args}}", shlex.quote(typed))


def run(command: str, project: Path) -> subprocess.CompletedProcess[str]:
    """Run a line in a shell, as an agent does."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = {**os.environ, "PATH": path}
    return subprocess.run(["bash", "-c", command], cwd=project, env=env, capture_output=True, text=True)


@each("agent", FILES, fresh=("project",))
def test_what_a_person_types_is_text_to_every_shell(agent: str, project: Path) -> None:
    done = run(shell_command(agent, "remember", SLY), project)
    assert done.stdout.startswith("Remembered as"), done.stderr
    assert [path.name for path in project.iterdir()] == [".holdfast"]
    with Holdfast.open(project) as memory:
        assert [one.content for one in memory.list()] == [SLY]


@each("agent", ["claude", "opencode", "codex"], fresh=("project",))
def test_a_text_that_was_cut_on_the_way_is_refused_not_kept(agent: str, project: Path) -> None:
    """As agents cut it that look for the backtick at the end of a command."""
    whole = shell_command(agent, "remember", "use `make demo` first")
    done = run(whole.split("`")[0], project)
    assert "cut on the way" in done.stdout + done.stderr
    assert not (project / ".holdfast").exists()
