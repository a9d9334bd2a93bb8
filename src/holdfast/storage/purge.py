"""Removing everything that is remembered: this project's store, the user's own, and what was kept for both.

The data directory holds things of other projects, too, first of all their backups: those stay unless all is to go,
and it is said what stays. How files of agents were that still hold our entries stays in any case.
"""

import contextlib
import json
import os
import shutil
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from holdfast.agents import spool
from holdfast.errors import ConfigError
from holdfast.machine import paths as places
from holdfast.machine.environment import EVERYWHERE
from holdfast.machine.paths import key_of
from holdfast.recall.act import match
from holdfast.settings.load import CONFIG
from holdfast.storage.admission import Backups, StoreRecord, Stores
from holdfast.storage.workspace import find_workspace

INSTALLED = "installed"
"""The folder of what was written into the files of agents."""


class Leftover(NamedTuple):
    """Something that stays: what it is, and where."""

    what: str
    path: str


class Purge(NamedTuple):
    """What is removed, and what stays."""

    gone: Sequence[Path]
    left: Sequence[Leftover]


def plan_purge(root: Path, *, all_projects: bool, freed_paths: Collection[str] = ()) -> Purge:
    """Say what there is to remove for a project; with `all_projects` nothing of other projects stays
    in the data directory. `freed_paths` are files of agents that will hold nothing of ours by then."""
    home, data = root / places.PROJECT_HOME, Path(places.data_directory())
    removals = [home] if home.is_dir() and not home.is_symlink() else []
    leftovers = _elsewhere(root)
    if data.is_symlink():
        return Purge(
            removals, [*leftovers, Leftover("your data directory is a link, which is not followed", str(data))]
        )
    other_projects = _Others(root, data, freed_paths)
    leftovers += other_projects.left(with_backups=not all_projects)
    if data.is_dir():
        removals += _without(
            data, {INSTALLED: other_projects.keeps[INSTALLED]} if all_projects else other_projects.keeps
        )
    return Purge(removals, leftovers)


def remove(paths: Sequence[Path]) -> None:
    """Remove files, and directories with all that is in them."""
    for path in paths:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def _elsewhere(root: Path) -> list[Leftover]:
    """Say what of this project's memory, and of the user's settings, lies where nothing is removed."""
    leftovers = []
    with contextlib.suppress(ConfigError):
        workspace = find_workspace(root)
        if workspace.host:
            leftovers.append(Leftover("what the server keeps", workspace.place))
        elif workspace.database.parent != root / places.PROJECT_HOME and workspace.exists:
            leftovers.append(Leftover("this project's memory, where store.path says", workspace.place))
    settings = places.config_directory()
    if settings == places.data_directory():
        settings = os.path.join(settings, CONFIG)
    if os.path.exists(settings):
        leftovers.append(Leftover("your settings", settings))
    return leftovers


def _without(data: Path, keeps: "Mapping[str, Callable[[Path], bool]]") -> list[Path]:
    """Return what is in the data directory and is not others'; all of it as one where nothing is.

    On macOS the user's settings are in the same place, and stay.
    """
    removals: list[Path] = []
    settings = Path(places.config_directory()) / CONFIG
    whole = settings.parent != data or not settings.exists()
    for entry in sorted(data.iterdir()):
        if entry == settings:
            continue
        is_kept = keeps.get(entry.name)
        inside = sorted(entry.iterdir()) if is_kept and entry.is_dir() and not entry.is_symlink() else []
        staying = [path for path in inside if is_kept and is_kept(path)]
        whole = whole and not staying
        removals += [path for path in inside if path not in staying] if staying else [entry]
    return [data] if whole else removals


class _Others:
    """What the data directory holds that is neither this project's nor the user's own."""

    def __init__(self, root: Path, data: Path, freed_paths: Collection[str]) -> None:
        self._root = root
        self._backups = Backups(data / "backups")
        self._stores = Stores(data / "stores")
        database = Path(places.project_database(str(root)))
        with contextlib.suppress(ConfigError):
            database = find_workspace(root).database
        own = (*self._stores.at(database), *self._stores.at(Path(places.user_database())))
        self._own = {record.store for record in own}
        self.keeps: dict[str, Callable[[Path], bool]] = {
            "backups": lambda path: path.name not in self._own and self._alive(path.name),
            "stores": self._keeps_store,
            "transcripts": lambda path: path.stem not in self._own and self._alive(path.stem),
            "spool": lambda path: str(path) != spool.folder_of(str(root)) and spool.extent(str(path))[0] > 0,
            match.FOLDER: self._keeps_rules,
            "vouched": self._keeps_vouched,
            "paused": self._keeps_pause,
            INSTALLED: lambda path: _is_in_use(path, freed_paths),
        }
        """By folder of the data directory, whether an entry stays; what is not named here goes."""

    def _keeps_rules(self, path: Path) -> bool:
        """Say whether compiled rules are of another project that is there: its guards hold on."""
        records = [record for record in self._stores.everything() if record.store not in self._own]
        roots = [str(Path(record.path).parent.parent) for record in records if not record.vacant()]
        return str(path) in map(match.file_of, roots)

    def left(self, *, with_backups: bool) -> list[Leftover]:
        """Say what stays of other projects: their stores in any case, their backups if they do."""
        places_of: dict[str, list[StoreRecord]] = {}
        for record in self._stores.everything():
            if record.store not in self._own:
                places_of.setdefault(record.store, []).append(record)
        there = {record.path for records in places_of.values() for record in records if not record.vacant()}
        label = "memory of another project" + (
            "" if with_backups else "; `holdfast trust --own` there opens it again"
        )
        leftovers = [Leftover(label, path) for path in sorted(there)]
        if not with_backups:
            return leftovers
        for folder in sorted(self._backups.folder.glob("*")):
            copies = self._backups.of(folder.name)
            if folder.name not in self._own and copies:
                records = places_of.get(folder.name, [])
                owner = records[-1].path if records else "a store that is not known any more"
                leftovers.append(
                    Leftover(f"{len(copies)} backup{'s' * (len(copies) > 1)} of {owner}", str(folder))
                )
        return leftovers

    def _alive(self, store_id: str) -> bool:
        """Whether there is anything of a store yet: itself, or a backup."""
        return bool(self._backups.of(store_id)) or any(
            not record.vacant() for record in self._stores.known(store_id)
        )

    def _keeps_store(self, entry: Path) -> bool:
        store_id = _read_json(entry).get("store")
        return isinstance(store_id, str) and store_id not in self._own and self._alive(store_id)

    def _keeps_vouched(self, entry: Path) -> bool:
        file = _read_json(entry).get("path")
        own = os.path.realpath(self._root / places.PROJECT_HOME / "config.toml")
        return isinstance(file, str) and file != own and os.path.exists(file)

    def _keeps_pause(self, entry: Path) -> bool:
        own = key_of(os.path.realpath(self._root))
        return entry.name not in (own, EVERYWHERE)


def _is_in_use(entry: Path, freed_paths: Collection[str]) -> bool:
    """Whether a file of an agent that we wrote to is still there: how it was before is known from nowhere else."""
    file = _read_json(entry).get("path")
    return isinstance(file, str) and file not in freed_paths and os.path.exists(file)


def _read_json(entry: Path) -> dict[str, object]:
    try:
        content = json.loads(entry.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}
