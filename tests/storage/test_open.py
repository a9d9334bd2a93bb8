"""From a directory to a service: which store, whose configuration."""

import stat
from pathlib import Path

import pytest

from holdfast.errors import ConfigError, InvalidInput, NotAStore, StoreError, UnsafePath
from holdfast.machine import paths
from holdfast.model.requests import Draft
from holdfast.model.search import Filters
from holdfast.settings.load import Registry
from holdfast.storage.open import open_service
from holdfast.storage.workspace import find_workspace


def configure(project: Path, text: str) -> Path:
    """Write a project's configuration."""
    file = project / ".holdfast" / "config.toml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    return file


def vouch(file: Path) -> None:
    """Vouch for a configuration as its user."""
    Registry(Path(paths.data_directory()) / "vouched").vouch_for_config(file)


def names(project: Path) -> list[str]:
    """Return what lies in a project's own directory."""
    return sorted(path.name for path in (project / ".holdfast").iterdir())


def test_the_store_is_made_in_a_private_directory_that_git_passes_over(project: Path) -> None:
    """Nobody's files are edited."""
    open_service(project, actor="test").close()
    assert names(project) == [".gitignore", "memory.db"]
    assert (project / ".holdfast" / ".gitignore").read_text() == "*\n"
    assert stat.S_IMODE((project / ".holdfast").stat().st_mode) == 0o700
    assert [path.name for path in project.iterdir()] == [".holdfast"]


def test_looking_without_a_store_leaves_no_trace(project: Path) -> None:
    """An empty one in memory stands in."""
    service = open_service(project, actor="test", create=False)
    assert list(service.list(Filters())) == []
    service.close()
    assert list(project.iterdir()) == []
    assert not Path(paths.data_directory()).exists()


def test_a_configuration_that_came_with_the_project_is_not_obeyed_whole(project: Path, tmp_path: Path) -> None:
    """Neither at first nor once the store is made; it is when the user vouches for it, until it changes."""
    file = configure(project, f"[store]\npath = '{tmp_path / 'theirs.db'}'\n[search]\nfloor = 0.5\n")
    for _ in range(2):
        found = find_workspace(project)
        assert (found.config.ignored, found.config.search.floor) == (("store.path",), 0.5)
        open_service(project, actor="test").close()
    assert names(project) == [".gitignore", "config.toml", "memory.db"]
    vouch(file)
    assert find_workspace(project).database == tmp_path / "theirs.db"
    file.write_text(file.read_text() + "\n")
    assert find_workspace(project).config.ignored == ("store.path",)


def test_a_relative_path_of_the_store_is_taken_from_the_project_root(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever the caller stands."""
    monkeypatch.setenv("HOLDFAST_STORE_PATH", "db/memory.db")
    monkeypatch.chdir(tmp_path)
    assert find_workspace(project).database == project.resolve() / "db" / "memory.db"


def test_a_configured_place_keeps_the_mode_it_has(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A directory that others use is not closed to them."""
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o755)
    monkeypatch.setenv("HOLDFAST_STORE_PATH", str(shared / "memory.db"))
    open_service(project, actor="test").close()
    assert stat.S_IMODE(shared.stat().st_mode) == 0o755
    assert not (project / ".holdfast").exists()


def test_the_users_store_is_made_when_it_is_first_needed_and_private(project: Path) -> None:
    """Not before."""
    data = Path(paths.data_directory())
    service = open_service(project, actor="test")
    service.add(Draft(content="one"))
    assert not (data / "memory.db").exists()
    service.add(Draft(content="mine", scope="user"))
    assert stat.S_IMODE(data.stat().st_mode) == 0o700
    assert stat.S_IMODE((data / "memory.db").stat().st_mode) == 0o600
    service.close()


def test_what_cannot_be_a_project_is_named(project: Path) -> None:
    """A missing directory, a file."""
    (project / "file").write_text("x")
    for wrong in (project / "missing", project / "file"):
        with pytest.raises(InvalidInput, match=r"^directory: .* is not a directory\."):
            find_workspace(wrong)


def test_what_stands_in_the_stores_place_is_left_alone(project: Path, tmp_path: Path) -> None:
    """A symlink that leads out, a file, another program's data."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (project / ".holdfast").symlink_to(elsewhere)
    with pytest.raises(UnsafePath, match="symbolic link"):
        open_service(project, actor="test")
    assert list(elsewhere.iterdir()) == []
    (project / ".holdfast").unlink()
    (project / ".holdfast").write_text("notes")
    with pytest.raises(StoreError):
        open_service(project, actor="test")
    assert (project / ".holdfast").read_text() == "notes"
    (project / ".holdfast").unlink()
    (project / ".holdfast").mkdir()
    (project / ".holdfast" / "memory.db").write_text("notes")
    with pytest.raises(NotAStore):
        open_service(project, actor="test")
    assert (project / ".holdfast" / "memory.db").read_text() == "notes"


def test_a_store_reached_through_a_symlinked_directory_is_not_opened(project: Path, tmp_path: Path) -> None:
    """Even when a store is there: a cloned repository may lead to somebody else's."""
    other = tmp_path / "other"
    other.mkdir()
    open_service(other, actor="test").close()
    (project / ".holdfast").symlink_to(other / ".holdfast")
    with pytest.raises(UnsafePath, match="symbolic link"):
        open_service(project, actor="test")


def test_a_wrong_setting_of_the_user_is_raised(project: Path) -> None:
    """Before anything is made."""
    file = Path(paths.config_directory()) / "config.toml"
    file.parent.mkdir()
    file.write_text("[search]\nfloor = 5\n")
    with pytest.raises(ConfigError, match=r"^search\.floor: must lie from 0 to 0\.5, not 5"):
        open_service(project, actor="test")
    assert list(project.iterdir()) == []
