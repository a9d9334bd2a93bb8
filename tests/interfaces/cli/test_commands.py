"""The command line as a person and a program use it: real runs, real store."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.interfaces.cli.main import COMMANDS, cli, run

Capture = pytest.CaptureFixture[str]


class Shell:
    """Runs commands on one project and keeps what they print."""

    def __init__(self, project: Path, capture: Capture) -> None:
        self.project = project
        self._capture = capture
        self.err = ""

    def __call__(self, *arguments: str, code: int = 0) -> str:
        self._capture.readouterr()
        got = run([*arguments, "--project", str(self.project)])
        out, self.err = self._capture.readouterr()
        assert got == code, self.err
        return out

    def json(self, *arguments: str) -> object:
        return json.loads(self(*arguments, "--json"))


@pytest.fixture
def shell(project: Path, capsys: Capture) -> Shell:
    return Shell(project, capsys)


def added_id(out: str) -> str:
    """Return the short id that add printed."""
    found = re.search(r"as ([0-9a-f]{8,})", out)
    assert found, out
    return found[1]


def test_what_a_person_adds_is_confirmed_and_found(shell: Shell) -> None:
    short = added_id(shell("add", "Use tabs in Makefiles", "--kind", "preference", "--tags", "make, style"))
    hits = shell.json("search", "tabs makefile")
    assert isinstance(hits, list)
    assert [(hit["id"][-8:], hit["kind"], hit["trust"], hit["status"]) for hit in hits] == [
        (short, "preference", "user", "confirmed")
    ]
    assert sorted(hits[0]) == [
        "created_at", "id", "kind", "ref", "score", "session", "source", "status", "title", "trust", "why",
    ]  # fmt: skip
    found = shell.json("get", short)
    assert isinstance(found, list)
    [memory] = found
    assert (memory["tags"], memory["source"], memory["reads"]) == (["make", "style"], "manual", 1)


def test_add_reports_what_became_of_the_text_as_json(shell: Shell) -> None:
    first = shell.json("add", "Prices are in cents")
    again = shell.json("remember", "prices are  in CENTS")
    assert isinstance(first, dict)
    assert isinstance(again, dict)
    assert first["created"]
    assert again == {**first, "created": False, "duplicate": True}


def test_text_comes_from_standard_input_for_a_dash(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    import io

    monkeypatch.setattr("sys.stdin", io.StringIO("Piped in\nwith a second line"))
    added_id(shell("save", "-"))
    assert "with a second line" in shell("get", shell("list").split()[0])


def test_the_three_layers_print_for_people(shell: Shell) -> None:
    first = added_id(shell("add", "The queue is Redis", "--kind", "decision"))
    second = added_id(shell("add", "The cache is Memcached", "--kind", "decision", "--file", "src/cache.py"))
    assert re.search(
        rf"{first}  decision  \d{{4}}-\d\d-\d\d  \d\.\d\d  user  The queue is Redis", shell("search", "queue")
    )
    assert re.search(rf"▸  {first}.*\n   {second}", shell("timeline", first))
    page = shell("get", second)
    assert page.startswith("The cache is Memcached\ndecision ")
    assert "files: src/cache.py" in page


def test_a_superseded_memory_leaves_the_list(shell: Shell) -> None:
    old = added_id(shell("add", "The queue is Redis"))
    shell("add", "The queue is Postgres", "--supersedes", old)
    assert "Redis" not in shell("list")
    assert "superseded by" in shell("get", old)


def test_forget_asks_for_yes_without_a_terminal_and_keeps_the_memory(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    import io

    short = added_id(shell("add", "Not for long, this one"))
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    shell("forget", short, code=2)
    assert "--yes: is needed when there is no terminal" in shell.err
    assert shell("forget", short, "--yes") == "Forgotten: Not for long, this one\n"
    assert shell.json("list") == []


def test_user_scope_is_seen_from_every_project(shell: Shell, tmp_path: Path) -> None:
    shell("add", "Prefer small commits", "--user")
    other = tmp_path / "other"
    other.mkdir()
    shell.project = other
    assert "Prefer small commits" in shell("search", "commits")


def test_looking_makes_no_store(shell: Shell) -> None:
    assert shell.json("search", "anything") == []
    assert shell("list") == ""
    assert "Nothing remembered yet" in shell.err
    assert list(shell.project.iterdir()) == []


def test_init_says_where_and_twice_changes_nothing(shell: Shell) -> None:
    said = shell("init")
    assert said.rstrip().endswith("memory.db")
    before = (shell.project / ".holdfast" / "memory.db").read_bytes()
    assert shell("init") == said
    assert (shell.project / ".holdfast" / "memory.db").read_bytes() == before
    assert (shell.project / ".holdfast" / ".gitignore").read_text() == "*\n"


def test_stats_counts_for_people_and_programs(shell: Shell) -> None:
    shell("add", "One", "--kind", "fact")
    shell("add", "Two", "--kind", "fact", "--user")
    text = shell("stats")
    assert "1 current, 0 superseded, 0 expired" in text
    assert "by kind    fact 1" in text
    figures = shell.json("stats")
    assert isinstance(figures, dict)
    assert figures["counts"]["by_kind"] == figures["user_counts"]["by_kind"] == {"fact": 1}


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["add", "x", "--kind", "decisoin"], 2, "did you mean 'decision'?"),
        (["add", "x", "--importance", "7"], 2, "importance: 7.0 is out of range"),
        (["add", "   "], 2, "content: is empty"),
        (["add", "x", "--metadata", "[1]"], 2, "metadata: must be a JSON object"),
        (["add", "x", "--metadata", "{"], 2, "metadata: is not JSON"),
        (["add", "x", "--expires", "soon"], 2, "expires: 'soon' is not a time"),
        (["add", "x", "--supersedes", "feedbeef"], 3, "No memory has the id 'feedbeef'"),
        (["add", "x", "--session", "feedbeef"], 2, "session: no session has the id"),
        (["get", "feedbeef"], 3, "No memory has the id 'feedbeef'"),
        (["timeline", "feedbeef"], 3, "No memory has the id 'feedbeef'"),
        (["forget", "feedbeef", "--yes"], 3, "No memory has the id 'feedbeef'"),
        (["search", "x", "--limit", "0"], 2, "limit: 0 is no whole number"),
        (["search", "x", "--since", "yesterday-ish"], 2, "since: 'yesterday-ish' is not a time"),
        (["search", "x", "--kind", "nope"], 2, "kind: 'nope' is not a kind"),
        (["serch", "x"], 2, "Did you mean `holdfast search`?"),
        (["frobnicate"], 2, "`holdfast --help` lists the commands"),
        (["search"], 2, "Missing argument 'QUERY'"),
    ],
)
def test_a_mistake_ends_in_one_line_that_says_what_to_do(
    shell: Shell, arguments: list[str], code: int, message: str
) -> None:
    assert shell(*arguments, code=code) == ""
    assert message in shell.err
    assert shell.err.startswith("holdfast: ")
    assert len(shell.err.strip().splitlines()) == 1


def test_a_directory_that_is_not_there_is_named(shell: Shell) -> None:
    shell.project = shell.project / "gone"
    shell("list", code=2)
    assert "is not a directory" in shell.err


def test_a_file_that_is_no_store_is_refused_and_kept(shell: Shell) -> None:
    place = shell.project / ".holdfast"
    place.mkdir()
    (place / "memory.db").write_text("my diary")
    shell("add", "x", code=6)
    assert "is not a holdfast store" in shell.err
    assert (place / "memory.db").read_text() == "my diary"


def test_a_bad_setting_is_named_with_its_file(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.toml").write_text("[search]\nfloor = 3\n")
    shell("list", code=4)
    assert re.search(r"search\.floor: must lie from 0 to 1, not 3 \(in .*config\.toml\)", shell.err)


def stand_ins(project: Path, number: int, line: str) -> str:
    """Put the ids of a real conflict and of its two memories in place of an example's."""
    with Holdfast.open(project) as memory:
        rule = f"enable strict mode in module{number}.ts"
        ids = [memory.add(f"{word} {rule}", trust="user").id or "" for word in ("Always", "Never")]
        conflict = memory.conflicts()[0]
        if "--undo" in line:
            memory.supersede(*ids)
    for example, real in zip(("1f2e3d4c", "5a6b7c8d", "0c1d2e3f"), (*ids, conflict.id), strict=True):
        line = line.replace(example, real[-8:])
    return f"{line} --yes" if line.startswith("forget") else line


def test_every_example_in_the_help_runs(shell: Shell) -> None:
    """With the short ids of real entries in place of the examples'."""
    import shlex

    with cli.make_context("holdfast", ["--help"], resilient_parsing=True) as context:
        commands = {name: cli.get_command(context, name) for name in COMMANDS}
    shell("add", "The staging password is in the vault")
    ran = 0
    for command in commands.values():
        assert command
        for line in re.findall(r"^ +holdfast (.+)$", command.help or "", re.MULTILINE):
            if line != "demo":
                shell(*shlex.split(stand_ins(shell.project, ran, line)))
                ran += 1
    assert ran >= len({module for module, _ in COMMANDS.values()}) - 1


def test_the_installed_command_answers_and_survives_a_closed_pipe(project: Path) -> None:
    program = Path(sys.executable).with_name("holdfast")
    version = subprocess.run([program, "--version"], capture_output=True, text=True)
    assert (version.returncode, version.stdout.split()[0]) == (0, "holdfast")
    with Holdfast.open(project) as memory:
        memory.add_many([{"content": f"Note number {number} {'x' * 60}"} for number in range(3_000)])
    pipe = f'"{program}" list --limit 3000 --project "{project}" | head -1'
    done = subprocess.run(["bash", "-c", pipe], capture_output=True, text=True)
    assert (done.returncode, done.stdout.count("\n"), done.stderr) == (0, 1, "")


def test_the_demo_tells_its_story(capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It works on a project of its own and leaves nothing behind."""
    monkeypatch.chdir(tmp_path)
    assert run(["demo"]) == 0
    out = capsys.readouterr().out
    assert "$ holdfast search" in out
    assert "Forgotten: Prices are integers in cents everywhere" in out
    assert list(tmp_path.iterdir()) == []
