"""What this user vouches for."""

import os
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from holdfast.settings.load import Registry, Vouching
from holdfast.storage.doctor import diagnose_settings


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    """An empty registry in a data directory that is not there yet."""
    return Registry(tmp_path / "data" / "vouched")


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A project's configuration."""
    file = tmp_path / "project" / ".holdfast" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text("[project]\nid = 'mine'\n")
    return file


@pytest.fixture
def _open_umask() -> Iterator[None]:
    """Let every new file be as open as it may."""
    usual = os.umask(0)
    yield
    os.umask(usual)


def test_nobody_vouches_for_a_file_by_itself(registry: Registry, config: Path) -> None:
    """Nor does asking leave a trace."""
    assert not vouches(registry, config)
    assert not registry.folder.exists()


def vouches(registry: Registry, file: Path) -> bool:
    """Say whether the registry vouches for a file as it stands; for none, when it is gone."""
    return registry.vouches_for_config(file, file.read_bytes() if file.exists() else b"")


def test_a_file_is_vouched_for_as_it_stands(registry: Registry, config: Path) -> None:
    """Its text and its place: a change, by a pull say, is not vouched for until it is taken back."""
    registry.vouch_for_config(config)
    assert vouches(registry, config)
    text = config.read_text()
    config.write_text(text + "[store]\npath = '/elsewhere'\n")
    assert not vouches(registry, config)
    config.write_text(text)
    assert vouches(registry, config)
    config.unlink()
    assert not vouches(registry, config)


def test_the_same_text_elsewhere_is_another_matter(registry: Registry, config: Path, tmp_path: Path) -> None:
    """But another name of the same file is not."""
    registry.vouch_for_config(config)
    copy = tmp_path / "copy.toml"
    copy.write_text(config.read_text())
    assert not vouches(registry, copy)
    (tmp_path / "link").symlink_to(config.parent)
    assert vouches(registry, tmp_path / "link" / config.name)


def test_a_damaged_entry_vouches_for_nothing(registry: Registry, config: Path) -> None:
    """And can be written anew."""
    registry.vouch_for_config(config)
    [entry] = registry.folder.iterdir()
    for content in (b"", b"null", b"{}", b"[]", b"\xff"):
        entry.write_bytes(content)
        assert (content, vouches(registry, config)) == (content, False)
        registry.vouch_for_config(config)
        assert (content, vouches(registry, config)) == (content, True)


@pytest.mark.usefixtures("_open_umask")
def test_the_registry_is_its_owners_alone_under_any_umask(registry: Registry, config: Path) -> None:
    """The data directory that is made for it included."""
    registry.vouch_for_config(config)
    [entry] = registry.folder.iterdir()
    modes = [stat.S_IMODE(place.stat().st_mode) for place in (registry.folder.parent, registry.folder, entry)]
    assert modes == [0o700, 0o700, 0o600]


def test_threads_that_vouch_at_once_do_not_disturb_each_other(registry: Registry, config: Path) -> None:
    """One whole entry is left."""
    with ThreadPoolExecutor(8) as pool:
        for done in [pool.submit(registry.vouch_for_config, config) for _ in range(64)]:
            done.result()
    assert vouches(registry, config)
    assert len(list(registry.folder.iterdir())) == 1


def test_doctor_says_that_most_commands_stop_at_settings_that_cannot_be_used() -> None:
    """Not every one: `status`, `help`, `config edit` and others go on."""
    [diagnosis] = diagnose_settings(Vouching(problems=("search.floor: must be a number",)))
    assert diagnosis.advice == "until then most commands stop there, and hooks neither record nor brief"
