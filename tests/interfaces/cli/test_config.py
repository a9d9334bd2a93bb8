"""Settings on the command line: what is in force, who set it, and changing it."""

from pathlib import Path

import pytest

from holdfast.settings.load import vouch_for_config
from holdfast.storage import settings
from tests.interfaces.cli.shell import Shell


@pytest.fixture
def file(project: Path) -> Path:
    return project / ".holdfast" / "config.toml"


def test_every_setting_is_listed_with_who_set_it(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, file: Path, tmp_path: Path
) -> None:
    shell("config", "set", "store.synchronous", "full")
    shell("config", "set", "user.name", "ada", "--user")
    monkeypatch.setenv("HOLDFAST_SEARCH_FLOOR", "0.3")
    listed = {
        one["key"]: (one["value"], one["origin"], one["where"]) for one in shell.json("config", "list")["settings"]
    }
    assert listed["store.synchronous"] == ("full", "project", str(file))
    assert listed["user.name"] == ("ada", "user", str(tmp_path / "config" / "config.toml"))
    assert listed["search.floor"] == (0.3, "environment", "HOLDFAST_SEARCH_FLOOR")
    assert listed["store.busy_timeout_ms"] == (5000, "default", None)
    assert "store.synchronous       project file  full" in shell("config", "list")


def test_get_prints_the_bare_value(shell: Shell) -> None:
    assert shell("config", "get", "store.synchronous") == "normal\n"
    assert shell("config", "get", "project.enabled") == "true\n"
    assert shell("config", "get", "user.name") == "\n"


def test_set_obeys_at_once_and_says_when_something_else_wins(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert shell("config", "set", "user.name", "ada") == "user.name: ada (project file)\n"
    monkeypatch.setenv("HOLDFAST_USER_NAME", "bob")
    assert shell("config", "set", "user.name", "eve") == "user.name: bob (environment)\n"
    assert "HOLDFAST_USER_NAME wins" in shell.err


def test_unset_takes_a_key_out_even_one_that_is_no_setting(shell: Shell, tmp_path: Path) -> None:
    """A misspelt key stops everything else, so taking it out must work."""
    (tmp_path / "config").mkdir()
    own = tmp_path / "config" / "config.toml"
    own.write_text('# mine\n[store]\nsync = "full"\n')
    shell("list", code=4)
    shell("config", "unset", "store.sync", "--user")
    assert own.read_text() == "# mine\n[store]\n"
    shell("list")
    shell("config", "unset", "store.sync", "--user", code=4)
    assert "store.sync: is not a setting; did you mean store.synchronous?" in shell.err
    shell("config", "unset", "store.synchronous", "--user")
    assert "store.synchronous was not set in" in shell.err


@pytest.mark.parametrize("broken", ["[store", "[search]\nfloor = 9\n", "[serch]\nfloor = 0.2\n"])
def test_an_editor_opens_a_file_that_nothing_else_can_read(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    own = tmp_path / "config" / "config.toml"
    own.parent.mkdir()
    own.write_text(broken)
    monkeypatch.setenv("EDITOR", "true")
    shell("config", "edit", "--user", code=4)
    assert f"(in {own}, line " in shell.err
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nprintf "[search]\nfloor = 0.2\n" > "$1"\n')
    editor.chmod(0o755)
    monkeypatch.setenv("EDITOR", str(editor))
    assert shell("config", "edit", "--user") == f"{own}: nothing is wrong in it.\n"
    assert shell("config", "get", "search.floor") == "0.2\n"


def test_a_projects_file_that_its_owner_edits_stays_theirs_and_a_foreign_one_foreign(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: Path
) -> None:
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nprintf "[user]\nname = \'$NAME\'\n" > "$1"\n')
    editor.chmod(0o755)
    monkeypatch.setenv("EDITOR", str(editor))
    monkeypatch.setenv("NAME", "ada")
    shell("config", "edit")
    assert shell("config", "get", "user.name") == "ada\n"
    monkeypatch.setenv("NAME", "bob")
    shell("config", "edit")
    assert shell("config", "get", "user.name") == "bob\n"
    file.write_text("[user]\nname = 'mallory'\n")
    monkeypatch.setenv("NAME", "eve")
    shell("config", "edit")
    assert shell("config", "get", "user.name") == "\n"


def test_only_the_bytes_that_an_editor_left_are_vouched_for(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, file: Path
) -> None:
    """What somebody writes after they were read is not: here, in the moment before they are vouched for."""

    def vouch_too_late(place: Path, *text: bytes) -> None:
        place.write_text("[user]\nname = 'mallory'\n")
        vouch_for_config(place, *text)

    monkeypatch.setattr(settings, "vouch_for_config", vouch_too_late)
    settings.edit(shell.project, user=False, editor=lambda place: _write(place, "ada"))
    assert "mallory" in file.read_text()
    assert shell("config", "get", "user.name") == "\n"
    file.write_text("[user]\nname = 'ada'\n")
    assert shell("config", "get", "user.name") == "ada\n"


def test_whose_a_file_was_is_decided_by_what_was_read_of_it_once(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, file: Path
) -> None:
    """A file that somebody else wrote is put back to the user's own in the moment after it was read."""
    shell("config", "set", "user.name", "ada")
    own = file.read_bytes()
    _write(file, "mallory")
    read_bytes = Path.read_bytes

    def put_back_after(place: Path) -> bytes:
        text = read_bytes(place)
        if place == file and b"mallory" in text:
            file.write_bytes(own)
        return text

    monkeypatch.setattr(Path, "read_bytes", put_back_after)
    settings.edit(shell.project, user=False, editor=lambda place: _write(place, "eve"))
    assert shell("config", "get", "user.name") == "\n"


def _write(file: Path, name: str) -> None:
    file.write_text(f"[user]\nname = '{name}'\n")


def test_an_editor_needs_a_terminal_or_a_name(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EDITOR", raising=False)
    monkeypatch.delenv("VISUAL", raising=False)
    shell("config", "edit", code=2)
    assert "there is no terminal for an editor" in shell.err
    assert list(shell.project.iterdir()) == []


def test_a_value_that_cannot_be_used_is_not_written(shell: Shell, file: Path) -> None:
    shell("config", "set", "search.floor", "3", code=4)
    assert "must lie from 0 to 0.5" in shell.err
    shell("config", "set", "serch.floor", "0.3", code=4)
    assert "did you mean search.floor?" in shell.err
    shell("config", "get", "floor", code=4)
    assert not file.exists()


def test_a_file_that_came_with_the_project_is_not_taken_over_unseen(shell: Shell, file: Path) -> None:
    """To vouch for the whole file because of one key would obey the keys of whoever wrote it."""
    file.parent.mkdir()
    planted = '[store]\npath = "/somewhere/else.db"\n'
    file.write_text(planted)
    shell("config", "set", "search.floor", "0.2", code=4)
    assert "also sets store.path, which somebody else wrote" in shell.err
    assert file.read_text() == planted
    shell("config", "set", "search.floor", "0.2", "--yes")
    assert shell("config", "get", "store.path") == "/somewhere/else.db\n"


def test_a_harmless_file_that_came_with_the_project_is_taken_over(shell: Shell, file: Path) -> None:
    file.parent.mkdir()
    file.write_text("[search]\nfloor = 0.5\n")
    shell("config", "set", "user.name", "ada")
    assert shell.json("config", "list")["ignored"] == []
    assert shell("config", "get", "user.name") == "ada\n"


def test_a_link_in_place_of_the_projects_file_is_refused(shell: Shell, file: Path, tmp_path: Path) -> None:
    precious = tmp_path / "precious.toml"
    precious.write_text("")
    file.parent.mkdir()
    file.symlink_to(precious)
    shell("config", "set", "search.floor", "0.2", code=6)
    assert precious.read_text() == ""


def test_your_own_file_may_be_a_link(shell: Shell, tmp_path: Path) -> None:
    """As those who keep their settings in a repository have it."""
    kept = tmp_path / "dotfiles.toml"
    kept.write_text("# kept elsewhere\n")
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.toml").symlink_to(kept)
    shell("config", "set", "search.floor", "0.2", "--user")
    assert kept.read_text() == "# kept elsewhere\n\n[search]\nfloor = 0.2\n"
    assert (tmp_path / "config" / "config.toml").is_symlink()
    assert "wins" not in shell.err


def test_path_names_both_files(shell: Shell, file: Path, tmp_path: Path) -> None:
    own = tmp_path / "config" / "config.toml"
    assert shell("config", "path") == f"{own}\n{file}\n"
    assert shell("config", "path", "--user") == f"{own}\n"
    assert shell.json("config", "path") == {"user": str(own), "project": str(file)}


def test_set_keeps_what_others_wrote_and_leaves_nothing_beside_it(shell: Shell, file: Path) -> None:
    shell("config", "set", "search.floor", "0.2")
    file.write_text("# why: noisy queries\n" + file.read_text().replace("0.2", "0.2  # tuned"))
    shell("config", "set", "search.floor", "0.4")
    assert file.read_text() == "# why: noisy queries\n[search]\nfloor = 0.4  # tuned\n"
    assert sorted(one.name for one in file.parent.iterdir()) == [".gitignore", "config.toml"]
    assert file.stat().st_mode & 0o777 == 0o600
