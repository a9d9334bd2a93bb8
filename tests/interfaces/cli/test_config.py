"""Settings on the command line: what is in force, who set it, and changing it."""

from pathlib import Path

import pytest

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
    shell("config", "unset", "store.sync", "--user")
    assert "store.sync was not set in" in shell.err


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
