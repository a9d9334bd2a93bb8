"""The composition root: from a directory to a service. The only module that names a backend."""

import getpass
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from holdfast import places
from holdfast.capture.clean import Cleaner
from holdfast.config import Config, load
from holdfast.errors import InvalidInput
from holdfast.model.kinds import USER_PROJECT
from holdfast.model.memory import Origin
from holdfast.ports import Clock, Store
from holdfast.project import Project, find_project, read_head
from holdfast.registry import Registry
from holdfast.scopes import Scopes
from holdfast.service import Service, Settings
from holdfast.stores.reference.store import ReferenceStore
from holdfast.stores.sqlite import files
from holdfast.stores.sqlite.store import SqliteStore

DIRECTORY = ".holdfast"
DATABASE = "memory.db"
CONFIG = "config.toml"


class SystemClock:
    """`ports.Clock` by the machine's clock."""

    def now(self) -> int:
        return time.time_ns() // 1_000_000


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a directory means: its project, its configuration and where its store is."""

    project: Project
    config: Config
    database: Path

    @property
    def exists(self) -> bool:
        """Whether a store is there already."""
        return self.database.exists()


def survey(directory: Path, environment: Mapping[str, str] | None = None) -> Surroundings:
    """Find out what a directory means, without making or opening anything."""
    if not directory.is_dir():
        raise InvalidInput(field="directory", problem=f"{str(directory)!r} is not a directory.")
    project = find_project(directory)
    registry = Registry(Path(places.data_directory()) / "vouched")
    home = project.root / DIRECTORY
    config = load(
        user_file=Path(places.config_directory()) / CONFIG,
        project_file=home / CONFIG,
        project_trusted=registry.vouches_for_config(home / CONFIG),
        environment=os.environ if environment is None else environment,
    )
    database = project.root / Path(config.store.path).expanduser() if config.store.path else home / DATABASE
    return Surroundings(project, config, database)


def open_service(
    directory: Path,
    *,
    actor: str,
    create: bool = True,
    project_id: str | None = None,
    agent: str | None = None,
    clock: Clock | None = None,
) -> Service:
    """Open the service for a directory. Where there is no store one is made, or, without `create`, an empty
    one in memory stands in, so that looking leaves no trace."""
    found = survey(directory)
    clock = clock or SystemClock()
    store: Store
    if found.exists or create:
        store = _open_project_store(found, project_id, clock)
    else:
        store = ReferenceStore(found.project.id)
    named = project_id or found.config.project.id or store.state().project
    cleaner = Cleaner(found.config.redact.allow)
    user = cleaner.label(found.config.user.name or _login())
    named = cleaner.label(named)

    def origin() -> Origin:
        head = read_head(found.project.git)
        branch = cleaner.label(head.branch) if head.branch else None
        return Origin(project=named, tenant="local", user=user, agent=agent, branch=branch, commit=head.commit)

    scopes = Scopes(store, lambda create: _open_user_store(found.config, clock, create))
    settings = Settings(
        actor=actor,
        floor=found.config.search.floor,
        root=found.project.root,
        cleaner=cleaner,
        ignored_settings=found.config.ignored,
    )
    return Service(scopes, clock, origin, settings)


def _open_project_store(found: Surroundings, project_id: str | None, clock: Clock) -> SqliteStore:
    if not found.exists and found.database.parent.name == DIRECTORY:
        files.prepare_directory(found.database.parent)
        files.ignore_in_git(found.database.parent)
    identity = Cleaner(found.config.redact.allow).label(project_id or found.config.project.id or found.project.id)
    return _open(found.database, identity, found.config, clock)


def _open_user_store(config: Config, clock: Clock, create: bool) -> Store | None:
    path = Path(places.data_directory()) / DATABASE
    if not create and not path.exists():
        return None
    files.prepare_directory(path.parent)
    return _open(path, USER_PROJECT, config, clock)


def _open(path: Path, project: str, config: Config, clock: Clock) -> SqliteStore:
    return SqliteStore.open(
        path,
        project=project,
        now=clock.now(),
        busy_ms=config.store.busy_timeout_ms,
        synchronous=config.store.synchronous,
        postings_budget=config.search.postings_budget,
    )


def _login() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "unknown"
