"""Where a user's own files live."""

import os
import pwd
from pathlib import Path

import pytest

from holdfast.machine import paths
from holdfast.machine.paths import config_directory, data_directory


def test_our_own_variables_come_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Taken as they are."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "xdg"))
    assert data_directory() == str(tmp_path / "data")
    assert config_directory() == str(tmp_path / "config")


def test_then_come_the_platforms_and_relative_values_are_ignored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the rules of XDG say."""
    monkeypatch.setenv("HOLDFAST_DATA_HOME", "relative")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "xdg"))
    assert data_directory() == str(tmp_path / "xdg" / "holdfast")


@pytest.mark.parametrize(
    ("platform", "expected"),
    [("linux", ".local/share/holdfast"), ("darwin", "Library/Application Support/holdfast")],
)
def test_without_variables_the_home_directory_has_them(
    platform: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where each platform keeps them."""
    monkeypatch.setattr("sys.platform", platform)
    for name in ("HOLDFAST_DATA_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert data_directory() == str(tmp_path / expected)


def test_an_empty_home_is_not_the_root_of_the_file_system(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is the one that the system knows; where that knows none either, the place is no absolute one."""
    for name in ("HOLDFAST_DATA_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", "")
    assert data_directory() == f"{pwd.getpwuid(os.getuid()).pw_dir}/.local/share/holdfast"
    monkeypatch.setattr("os.getuid", lambda: 987_654)
    assert data_directory() == "~/.local/share/holdfast"


def test_the_root_of_the_file_system_and_the_home_are_no_projects(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "home")
    monkeypatch.setenv("HOME", str(tmp_path / "link"))
    assert paths.is_no_project("/")
    assert paths.is_no_project(str(tmp_path / "home"))
    assert not paths.is_no_project(str(tmp_path))


def test_a_private_folder_where_a_file_stands_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(FileExistsError):
            paths.make_private(str(folder))
