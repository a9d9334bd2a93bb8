"""Every block of commands in README.md and the docs is run, as a reader would, or says why not."""

import json
import os
import re
import shlex
import subprocess
import sysconfig
from itertools import takewhile
from pathlib import Path

import click
import pytest

from holdfast.interfaces.cli.main import cli
from tests.docs.blocks import COMMAND, PAGES, PYTHON, REASON, ROOT, SHELLS, Block, blocks

REFERENCE = ROOT / "docs" / "cli.md"
"""Made from the program's own help: its examples name files and ids of nobody; its options are what counts."""
GUIDES = [page for page in PAGES if page != REFERENCE]
RUN = {
    page: runnable
    for page in GUIDES
    if (runnable := [block for block in blocks(page) if block.is_shell and not block.reason])
}
"""The blocks that are run, by their page."""
SHELL_SIGNS = ("|", ">", ">>", "<", "&&", ";")
INSTALLER = re.compile(
    r"^\s*(?:sudo|apt|apt-get|brew|pip|pipx|uv|uvx|npm|npx|make|python3? -m pip)\b", re.MULTILINE
)
"""Programs that change more than an empty home."""
SHORT_ID = re.compile(r"\b[0-9a-f]{8}\b")


@pytest.mark.parametrize("page", RUN, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_commands_of_a_page_work_in_their_order(page: Path, tmp_path: Path) -> None:
    """In an empty home and a small project, by the real command; for each id that it names there is a memory."""
    script = "\n".join(_script_of(block) for block in RUN[page])
    environment = _environment(tmp_path)
    project = _project(tmp_path, environment, sorted(set(SHORT_ID.findall(script))))
    result = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=project, env=environment, input="y\n" * 20, capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert result.returncode == 0, f"{result.stdout[-2_000:]}\n{result.stderr[-2_000:]}"


def test_what_looks_like_commands_is_labelled_as_such() -> None:
    """Or nobody would notice that it is not run."""
    plain = [block for page in PAGES for block in blocks(page) if block.label in ("", "text")]
    unlabelled = [block.place for block in plain if COMMAND.search(block.text)]
    assert unlabelled == [], f"label them one of {', '.join(SHELLS)}"


def test_a_reason_stands_above_a_block_of_commands() -> None:
    """A comment that lost its block would excuse nothing, and mislead. Python is run by test_examples.py."""
    excused_blocks = [block for page in GUIDES for block in blocks(page) if block.reason]
    assert [block.place for block in excused_blocks if not (block.is_shell or block.label == PYTHON)] == []
    lines = [line for page in GUIDES for line in page.read_text(encoding="utf-8").splitlines()]
    assert sum(bool(REASON.match(line)) for line in lines) == len(excused_blocks)


def test_what_a_reason_refers_to_is_there() -> None:
    reasons = [(block.place, block.reason) for page in GUIDES for block in blocks(page)]
    named = [(place, path) for place, reason in reasons for path in re.findall(r"\btests/[\w./]*\w", reason)]
    assert named
    assert [(place, path) for place, path in named if not (ROOT / path).exists()] == []


EXAMPLES = [
    (block.place, line) for block in blocks(REFERENCE) if block.is_shell for line in block.commands.splitlines()
]


def test_the_examples_of_the_reference_are_understood(subtests: pytest.Subtests) -> None:
    for place, line in EXAMPLES:
        with subtests.test(place=place, line=line):
            words = shlex.split(line, comments=True)
            holdfast = [at for at, word in enumerate(words) if word == "holdfast"]
            assert holdfast, place
            _parse(list(takewhile(lambda word: word not in SHELL_SIGNS, words[holdfast[-1] + 1 :])))


def _script_of(block: Block) -> str:
    """Return a block as part of a script. What would change this machine, not only an empty home, is never run."""
    assert not INSTALLER.search(block.commands), f"{block.place} installs something: say why it is not run"
    return f"echo '--- {block.place}'\n{block.commands}"


def _environment(folder: Path) -> dict[str, str]:
    """Return the environment of somebody new who has Claude Code: a home of theirs, the command on their path."""
    home = folder / "home"
    (home / ".claude").mkdir(parents=True)
    return {
        "HOME": str(home),
        "PATH": os.pathsep.join((sysconfig.get_path("scripts"), os.environ["PATH"])),
        "LC_ALL": "C.UTF-8",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "ada", "GIT_AUTHOR_EMAIL": "ada@example.org",
        "GIT_COMMITTER_NAME": "ada", "GIT_COMMITTER_EMAIL": "ada@example.org",
        "HOLDFAST_EMBEDDING_MODEL": "hashing",  # what a command does is tried here, not the model
        "HOLDFAST_EMBEDDING_BACKGROUND": "false",
        "HOLDFAST_HOOK_PACE": "1000",  # nor how fast this machine is
    }  # fmt: skip


def _project(folder: Path, environment: dict[str, str], ids: list[str]) -> Path:
    """Make a repository with a commit, some files and a decision, and a memory for each id."""
    project = folder / "shop"
    (project / "src").mkdir(parents=True)
    (project / "src" / "client.py").write_text("# generated\n", encoding="utf-8")
    (project / "README.md").write_text("# Shop\n\nPrices are integers in cents.\n", encoding="utf-8")
    memories = [{"id": f"01a1e4d5-f219-7698-af66-90f8{short}", "content": f"What {short} says."} for short in ids]
    memories.append({"content": "Jobs are queued in Redis lists, one for each priority.", "kind": "decision"})
    seeds = folder / "seeds.jsonl"
    seeds.write_text("".join(json.dumps(memory) + "\n" for memory in memories), encoding="utf-8")
    steps = [
        ["git", "init", "--quiet", "--initial-branch=main", "."],
        ["git", "add", "."],
        ["git", "commit", "--quiet", "-m", "Decision: prices are integers in cents"],
        ["holdfast", "import", "--own", str(seeds)],
    ]
    for step in steps:
        result = subprocess.run(step, cwd=project, env=environment, capture_output=True, text=True)
        assert result.returncode == 0, result.stderr
    return project


def _parse(words: list[str]) -> None:
    """Read a command line as the program would, down to the last subcommand, and run nothing."""
    command: click.Command = cli
    context = click.Context(cli, info_name="holdfast", **cli.context_settings)  # commands remember their options
    while isinstance(command, click.Group) and words and (named := command.get_command(context, words[0])):
        command, context = named, click.Context(named, info_name=words[0], parent=context)
        words = words[1:]
    with command.make_context(context.info_name, words, parent=context.parent):
        pass
