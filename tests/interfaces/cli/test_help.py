"""Help that helps: every command has it, and every example in it runs."""

import contextlib
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from holdfast.compose.open import open_service
from holdfast.compose.tenancy import tokens
from holdfast.errors import Proposed
from holdfast.interfaces.cli.main import COMMANDS, GROUPS, OTHER_WORDS, cli, run
from holdfast.model.search import Filters
from tests.ingest.git.repositories import Repository
from tests.ingest.transcripts.recordings import RECORDED
from tests.interfaces.cli.conftest import FreshShell
from tests.interfaces.cli.shell import Shell

SERVER = "postgresql://db.example/holdfast"
FIRST = {
    "restore": [["backup"]],
    "reindex": [["add", "Mine everywhere", "--user"]],
    "migrate-store": [["migrate-store", "--to", SERVER, "--tenant", "acme"]],
}
"""What must have happened before the examples of a command can run."""


FILES = {"memories.jsonl": '{"content": "From elsewhere"}\n', "CLAUDE.md": "- Deploy on Tuesdays\n"}
TRANSCRIPT = "old-machine/rollout-2026-01-07.jsonl"
"""What examples read."""


def every_command() -> Iterator[tuple[str, click.Command]]:
    """Yield each command with its whole name, those of groups included."""
    with cli.make_context("holdfast", ["--help"], resilient_parsing=True) as context:
        for name in COMMANDS:
            command = cli.get_command(context, name)
            assert command
            yield name, command
            if isinstance(command, click.Group):
                yield from ((f"{name} {one}", part) for one, part in command.commands.items())


def examples() -> list[str]:
    """Return every example of every help text."""
    found = [
        line
        for _, command in every_command()
        for line in re.findall(r"^ +holdfast (.+)$", command.help or "", re.MULTILINE)
    ]
    return [line for line in dict.fromkeys(found) if line.split()[0] not in ("demo", "mcp", "serve", "view")]


def a_token_id() -> str:
    """Make a token; return its id."""
    made = tokens().create(name="x", tenant="local", scope="read", project=None, expires=None, now=0)
    return made[0].id


def a_proposal_id(shell: Shell) -> str:
    """Let an agent ask for something; return the id of what waits."""
    service = open_service(shell.project, actor="mcp", person=False)
    with contextlib.closing(service), pytest.raises(Proposed) as waits:
        service.forget(service.list(Filters())[0].id)
    return str(waits.value.facts["proposal_id"])


def _item_id(shell: Shell, line: str) -> str:
    """Return what an example is about: a conflict, or where one cannot be accepted or dropped, a proposal."""
    about_proposal = any(f"review {verb}" in line for verb in ("accept", "drop", "show"))
    return a_proposal_id(shell) if about_proposal else str(shell.json("conflicts")[0]["id"])


def test_every_example_in_the_help_runs(
    fresh_shell: FreshShell,
    subtests: pytest.Subtests,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    for line in examples():
        with subtests.test(line=line):
            run_example(line, fresh_shell(), monkeypatch, request)


def run_example(line: str, shell: Shell, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Run an example in a project of its own, with real ids and a real server in place of the example's."""
    server = request.getfixturevalue("empty_postgres") if SERVER in line else SERVER
    monkeypatch.chdir(shell.project)
    monkeypatch.setenv("EDITOR", "true")
    Repository(shell.project).commit("fix: handle an empty list in chunked")
    for name, text in FILES.items():
        (shell.project / name).write_text(text, encoding="utf-8")
    (shell.project / TRANSCRIPT).parent.mkdir()
    shutil.copyfile(RECORDED / "codex-rollout.jsonl", shell.project / TRANSCRIPT)
    ids = {
        "1f2e3d4c": shell.add("Always squash the staging password commits"),
        "5a6b7c8d": shell.add("Never squash the staging password commits"),
        "9a8b7c6d": shell("session", "start").split()[0],
        "0c1d2e3f": _item_id(shell, line),
        "3f2a9c01d4e5": a_token_id(),
    }
    for known, real in ids.items():
        line = line.replace(known, real)
    words = shlex.split(line.split(" > ")[0].split(" >> ")[0])
    words = [word.replace(SERVER, server) for word in words]
    for before in FIRST.get(words[0], []):
        shell(*(word.replace(SERVER, server) for word in before))
    if words[:2] == ["review", "undo"]:
        shell("review", "drop", a_proposal_id(shell))
    if "--undo" in words:
        shell("supersede", ids["1f2e3d4c"], ids["5a6b7c8d"])
    if words[0] == "forget" and "--yes" not in words:
        words.append("--yes")  # nobody is there to ask
    if words == ["install"]:
        words.append("claude")  # which agents are there is this machine's affair
    if "--purge" in words:
        words.append("--yes")
    if words[0] in ("completion", "token"):
        assert run(words) == 0
    else:
        shell(*words)


def test_every_command_has_help_with_an_example(subtests: pytest.Subtests) -> None:
    for name, command in list(every_command()):
        with subtests.test(name=name, command=command):
            if not isinstance(command, click.Group):
                assert re.search(r"^ +holdfast ", command.help or "", re.MULTILINE)
            for option in command.params:
                assert not isinstance(option, click.Option) or option.help, f"{name} {option.name}"


def test_holdfast_alone_shows_its_help_and_so_does_a_group(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == 0
    out = capsys.readouterr().out
    assert [name for name in COMMANDS if not re.search(rf"\n  {name} |Also:.* {name}[,.]", out)] == []
    assert run(["config"]) == 0
    assert "  unset" in capsys.readouterr().out


def test_commands_are_shown_by_what_they_are_for_and_the_first_ones_first(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert run(["--help"]) == 0
    out = capsys.readouterr().out
    titles = re.findall(r"^(\S.*):$", out, re.MULTILINE)
    assert titles == [*GROUPS, "Options"]
    assert re.findall(r"^  ([a-z-]+)  ", out, re.MULTILINE)[:2] == ["install", "status"]


def test_what_a_command_does_fits_on_one_line_of_a_small_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    run(["--help"])
    listed = capsys.readouterr().out.partition("\nOptions:")[0].splitlines()
    assert len([line for line in listed if re.match(r"  [a-z]+(-[a-z]+)* +[A-Z].*\.$", line)]) == len(
        {place for place, _ in COMMANDS.values()}
    )


def test_help_imports_no_command() -> None:
    """Or each command would make it slower."""
    code = "import sys; from holdfast.interfaces.cli.main import run; run(['--help']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules = done.stdout.splitlines()[-1].split()
    assert "holdfast.interfaces.cli.main" in modules
    assert [name for name in modules if name.startswith("holdfast.interfaces.cli.commands.")] == []
    assert {"difflib", "holdfast.compose", "holdfast.service", "numpy", "tomllib"}.isdisjoint(modules)


def test_a_word_of_other_tools_leads_to_the_command(
    capsys: pytest.CaptureFixture[str], subtests: pytest.Subtests
) -> None:
    for word in OTHER_WORDS:
        with subtests.test(word=word):
            assert word not in COMMANDS
            assert run([word]) == 2
            assert f"Did you mean `holdfast {OTHER_WORDS[word]}`" in capsys.readouterr().err


def test_a_slip_in_a_word_of_other_tools_leads_there_too(
    capsys: pytest.CaptureFixture[str], subtests: pytest.Subtests
) -> None:
    for typed, advice in [
        ("setings", "Did you mean `holdfast config`?"),
        ("delte", "Did you mean `holdfast forget`?"),
        ("dashbord", "Did you mean `holdfast view`?"),
        ("serch", "Did you mean `holdfast search`?"),
        ("frobnicate", "`holdfast --help` lists the commands."),
    ]:
        with subtests.test(typed=typed, advice=advice):
            assert run([typed]) == 2
            assert f"{typed!r} is not a command. {advice}" in capsys.readouterr().err


def test_the_project_is_given_before_or_after_the_command(
    shell: Shell, project: Path, capsys: pytest.CaptureFixture[str], subtests: pytest.Subtests
) -> None:
    for words in [
        ["--project", "HERE", "list"],
        ["list", "--project", "HERE"],
        ["--project", "nowhere", "list", "--project", "HERE"],
        ["--project", "HERE", "session", "list"],
        ["session", "list", "--project", "HERE"],
    ]:
        with subtests.test(words=words):
            shell.add("Here and not elsewhere")
            shell("session", "start", "--agent", "Here and not elsewhere")
            assert run([str(project) if word == "HERE" else word for word in words]) == 0
            assert "Here and not elsewhere" in capsys.readouterr().out
