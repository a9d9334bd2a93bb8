"""Export and import on the command line."""

import json
import os
from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.interfaces.cli.main import run
from tests.interfaces.cli.test_conflicts import Capture, Shell


@pytest.fixture
def shell(project: Path, capsys: Capture) -> Shell:
    return Shell(project, capsys)


def test_everything_goes_out_and_comes_back_in_another_project(
    shell: Shell, tmp_path: Path, capsys: Capture
) -> None:
    shell("add", "Use Postgres", "--kind", "decision", "--tags", "db")
    out = tmp_path / "out.jsonl"
    shell("export", "--format", "jsonl", "--output", str(out))
    assert out.stat().st_mode & 0o777 == 0o600
    [line] = out.read_text().splitlines()
    assert json.loads(line)["tags"] == ["db"]
    (tmp_path / "other").mkdir()
    other = Shell(tmp_path / "other", capsys)
    assert other("import", str(out)) == "Imported 1 of 1 entries as they were.\n"
    other("export", "--format", "jsonl", "--output", str(tmp_path / "again.jsonl"))
    assert (tmp_path / "again.jsonl").read_bytes() == out.read_bytes()


def test_what_is_printed_is_what_would_be_written_and_counts_as_an_export(shell: Shell, tmp_path: Path) -> None:
    shell("add", "Use Postgres — natürlich")
    printed = shell("export", "--format", "json")
    shell("export", "-o", str(tmp_path / "a.json"))
    assert (tmp_path / "a.json").read_text(encoding="utf-8") == printed
    (tmp_path / "b.json").write_text(printed, encoding="utf-8")
    assert json.loads(shell("import", str(tmp_path / "b.json"), "--json"))["own"] is True


def test_kinds_tags_and_what_holds_can_be_chosen(shell: Shell) -> None:
    shell("add", "Use Redis for the queue", "--kind", "decision")
    shell(
        "add", "We no longer use Redis for the queue, switched to Postgres", "--kind", "decision", "--tags", "db"
    )
    shell("add", "The sky is blue", "--kind", "fact")

    def contents(*more: str) -> list[str]:
        return [json.loads(line)["content"] for line in shell("export", *more).splitlines()]

    assert len(contents()) == 3
    assert contents("--kind", "fact") == ["The sky is blue"]
    assert len(contents("--current")) == 2
    assert len(contents("--tag", "db")) == 1
    assert contents("--user") == []


def test_the_format_follows_the_name_of_the_file(shell: Shell, tmp_path: Path) -> None:
    shell("add", "Use Postgres")
    starts = {"a.csv": "id,user,kind", "a.md": "# Memories", "a.json": "[", "a.txt": "{"}
    for name, start in starts.items():
        shell("export", "-o", str(tmp_path / name))
        assert (tmp_path / name).read_text().startswith(start)
    shell("export", "--format", "xml", code=2)
    assert "'xml' is none of: jsonl, json, csv, markdown" in shell.err


def test_an_export_that_fails_leaves_the_old_file(shell: Shell, tmp_path: Path) -> None:
    shell("add", "Use Postgres")
    folder = tmp_path / "locked"
    folder.mkdir()
    (folder / "a.jsonl").write_text("old")
    shell("export", "-o", str(folder / "missing" / "a.jsonl"), code=1)
    assert os.listdir(folder) == ["a.jsonl"]
    assert (folder / "a.jsonl").read_text() == "old"


def test_what_is_settled_goes_into_the_file_that_agents_read(shell: Shell) -> None:
    agents = shell.project / "AGENTS.md"
    agents.write_text("# House rules\n")
    shell("add", "Deploy on Tuesdays only", "--kind", "decision")
    with Holdfast.open(shell.project) as memory:
        memory.add("A guess of an agent")
    shell("export", "--into", str(agents))
    assert shell.err == f"Wrote 1 memories into {agents}.\n"
    text = agents.read_text()
    assert text.startswith("# House rules\n\n<!-- holdfast:begin")
    assert "Deploy on Tuesdays only" in text
    assert "A guess" not in text
    shell("export", "--into", str(agents))
    assert shell.err == f"{agents} is as it should be.\n"
    (shell.project / "CLAUDE.md").write_text("x\n")
    shell("export", "--into", str(shell.project / "CLAUDE.md"))
    assert "some agents read both" in shell.err
    told = json.loads(shell("export", "--into", str(agents), "--remove", "--json"))
    assert told == {"into": str(agents), "changed": True, "held": 0, "left": 0}
    assert agents.read_text() == "# House rules\n\n"


def test_a_file_keeps_its_line_endings_when_the_section_is_written_into_it(shell: Shell) -> None:
    agents = shell.project / "AGENTS.md"
    agents.write_bytes(b"# House rules\r\n")
    shell("add", "Deploy on Tuesdays only", "--kind", "decision")
    shell("export", "--into", str(agents))
    written = agents.read_bytes()
    assert written.startswith(b"# House rules\r\n\r\n<!-- holdfast:begin")
    assert written.count(b"\n") == written.count(b"\r\n")
    shell("export", "--into", str(agents))
    assert agents.read_bytes() == written
    shell("export", "--into", str(agents), "--remove")
    assert agents.read_bytes() == b"# House rules\r\n\r\n"


def test_a_section_is_not_written_into_a_file_that_is_not_utf_8(shell: Shell) -> None:
    agents = shell.project / "AGENTS.md"
    agents.write_bytes(b"Gr\xfc\xdfe\n")
    shell("export", "--into", str(agents), code=2)
    assert "not UTF-8" in shell.err
    assert agents.read_bytes() == b"Gr\xfc\xdfe\n"


def test_a_link_in_the_place_of_the_file_is_written_through(shell: Shell, tmp_path: Path) -> None:
    """CLAUDE.md is often a link to AGENTS.md, and stays one."""
    (tmp_path / "real.md").write_text("x\n")
    (shell.project / "CLAUDE.md").symlink_to(tmp_path / "real.md")
    shell("export", "--into", str(shell.project / "CLAUDE.md"))
    assert (shell.project / "CLAUDE.md").is_symlink()
    assert "holdfast:begin" in (tmp_path / "real.md").read_text()


def test_options_that_do_not_go_together_are_refused(shell: Shell, tmp_path: Path) -> None:
    shell("export", "--remove", code=2)
    shell("export", "--into", "x.md", "--format", "csv", code=2)


def test_an_import_tells_what_became_of_every_entry(shell: Shell, tmp_path: Path) -> None:
    shell("add", "Always enable strict mode in tsconfig.json")
    shell("add", "Known already")
    path = tmp_path / "CLAUDE.md"
    path.write_text("- Never enable strict mode in tsconfig.json\n- Known already\n- ---\n- New\n")
    before = shell("export")
    tried = shell("import", str(path), "--dry-run")
    assert tried.startswith("Would import 2 of 3 entries as unconfirmed imports.\n")
    assert shell("export") == before
    done = shell("import", str(path))
    assert done.splitlines()[1:] == [
        "1 here already",
        "1 in conflict with what is here; see `holdfast conflicts`",
        "1 left out: without text",
    ]
    told = json.loads(shell("import", str(path), "--json"))
    assert (told["entries"], told["created"], told["duplicates"]) == (3, 0, 3)


def test_a_dry_run_where_there_is_no_store_makes_none(project: Path, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"content": "x"}\n')
    assert run(["import", str(tmp_path / "a.jsonl"), "--dry-run", "--project", str(project)]) == 0
    assert not (project / ".holdfast").exists()


def test_a_wrong_file_ends_in_one_line_that_names_the_place(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"content": "x"}\n{"content": "y"')
    shell("import", str(tmp_path / "a.jsonl"), code=2)
    assert shell.err.startswith("holdfast: a.jsonl, line 2: is not JSON")
    assert shell.err.count("\n") == 1
