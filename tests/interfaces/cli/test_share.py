"""Sharing on the command line."""

from pathlib import Path

from tests.interfaces.cli.shell import Shell


def test_what_was_written_and_read_is_told(shell: Shell) -> None:
    short = shell.add("Prefer small commits")
    told = shell("share", "--dry-run").splitlines()
    assert told[1] == f"Would write project-memory/prefer-small-commits-{short}.md."
    assert not (shell.project / "project-memory").exists()
    assert shell("share").splitlines()[1].startswith("Wrote project-memory/")
    assert shell("share").splitlines() == ["Read project-memory: nothing new."]


def test_an_edit_of_ones_own_entry_waits_until_it_is_accepted(shell: Shell) -> None:
    shell.add("Prefer small commits")
    shell("share")
    [file] = (shell.project / "project-memory").iterdir()
    file.write_text(file.read_text().replace("Prefer small", "Prefer tiny"))
    assert "was edited" in shell("share")
    assert "1 edits taken over" in shell("share", "--accept")
    assert [one["title"] for one in shell.json("list")] == ["Prefer tiny commits"]
    assert shell.json("conflicts") == []
    assert shell("share").splitlines() == ["Read project-memory: nothing new."]


def test_the_folder_is_a_setting_and_one_outside_is_refused(shell: Shell, tmp_path: Path) -> None:
    shell.add("Prefer small commits")
    shell("config", "set", "share.folder", "notes/team")
    shell("share")
    assert len(list((shell.project / "notes" / "team").iterdir())) == 1
    shell("config", "set", "share.folder", str(tmp_path / "elsewhere"))
    shell("share", code=2)
    assert "share.folder" in shell.err
