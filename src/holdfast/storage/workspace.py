"""The meaning of a directory or a server: its project, its settings, its store, and the guard of that store.

Nothing is opened or made here.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from holdfast.capture.text.clean import Cleaner, quote
from holdfast.errors import InvalidInput
from holdfast.machine import environment, paths
from holdfast.machine.environment import SystemClock
from holdfast.machine.project import Project, find_project, read_head
from holdfast.model.care import Diagnosis
from holdfast.model.kinds import USER_PROJECT
from holdfast.model.memory import Origin
from holdfast.ports import Clock
from holdfast.settings.load import (
    CONFIG,
    Sources,
    Vouching,
    load,
    load_anyway,
    registry,
    reserved_keys,
    sources_of,
)
from holdfast.settings.schema import Config
from holdfast.storage import postgres
from holdfast.storage.admission import Admission, Backups, Stores
from holdfast.storage.postgres import ServerStore

if TYPE_CHECKING:
    from holdfast.storage.guard import Guard, HostedGuard

DIRECTORY = paths.PROJECT_HOME
UNUSABLE = "the settings cannot be used. `holdfast doctor` says which line it is."
EMBEDDED_TENANT = "local"
"""The tenant of a store that is a file."""


class Workspace(Struct, frozen=True):
    """What a directory means: its project, its configuration and where its store is."""

    project: Project
    config: Config
    database: Path
    sources: Sources
    named: ServerStore | None = None
    """A server that the caller named; otherwise the settings may."""
    apart: bool = False
    """Whether the directory is not the project's: its files and its branch say nothing then."""

    @property
    def host(self) -> ServerStore | None:
        """The server that keeps memory; None where a file does."""
        store = self.config.store
        return self.named or (postgres.configured_server(store.url, store) if store.url else None)

    @property
    def exists(self) -> bool:
        """Whether a store is there already; a server counts as there."""
        return self.host is not None or os.path.lexists(self.database)

    @property
    def embedded(self) -> "Workspace":
        """The same, where memory is kept in a file, whatever the settings name."""
        store = replace(self.config.store, url=None)
        return replace(self, config=replace(self.config, store=store), named=None)

    @property
    def begun(self) -> bool:
        """Whether somebody asked for memory here: its file tells or, where a server keeps it, the directory."""
        return os.path.lexists(self.project.root / DIRECTORY if self.host else self.database)

    @property
    def place(self) -> str:
        """Where memory is kept, or would be, as it may be shown."""
        return self.host.place if self.host else str(self.database)

    @property
    def root(self) -> Path | None:
        """Where the project's files are."""
        return None if self.apart else self.project.root

    def off(self) -> str | None:
        """Say why memory is switched off here, None when it is on."""
        reason = environment.off_because(str(self.project.root))
        if reason or self.config.problems:
            return reason or UNUSABLE
        return None if self.config.project.enabled else environment.OPTED_OUT


def find_workspace(
    directory: Path, environment: Mapping[str, str] | None = None, *, anyway: bool = False
) -> Workspace:
    """Find out what a directory means, without making or opening anything.

    Settings that cannot be used are an error; whoever looks for what is wrong goes on without them `anyway`.
    """
    if not directory.is_dir():
        raise InvalidInput(field="directory", problem=f"{quote(str(directory))} is not a directory.")
    project = find_project(directory)
    sources = sources_of(project, environment)
    config = load_anyway(sources) if anyway else load(sources)
    database = Path(paths.project_database(str(project.root), config.store.path))
    return Workspace(project, config, database, sources)


def find_server_workspace(host: ServerStore, project_id: str | None, directory: Path = Path()) -> Workspace:
    """Find out what a server named by a caller means: of a directory's project, or of one that is elsewhere."""
    workspace = replace(find_workspace(directory), named=host)
    if project_id is None or project_id == identity(workspace, None):
        return workspace
    sources = replace(workspace.sources, project_file=workspace.sources.user_file)
    project = Project(workspace.project.root, project_id, None)
    return replace(workspace, project=project, config=load(sources), sources=sources, apart=True)


def written_by(workspace: Workspace, name: str) -> Workspace:
    """Return the same for a person who is not the one that runs this program."""
    return replace(workspace, config=replace(workspace.config, user=replace(workspace.config.user, name=name)))


def own_settings(directory: Path) -> Config:
    """Return the user's own settings, whatever the project of a directory says."""
    workspace = find_workspace(directory)
    return load(replace(workspace.sources, project_file=workspace.sources.user_file))


def identity(workspace: Workspace, project_id: str | None) -> str:
    """Return the project's id as it may be kept: a remote's address can hold a password."""
    project_name = project_id or workspace.config.project.id or workspace.project.id
    return Cleaner(workspace.config.redact.allow).label(project_name)


def person(workspace: Workspace) -> str:
    """Return who is writing, as it may be kept."""
    return Cleaner(workspace.config.redact.allow).label(workspace.config.user.name or _login())


def _login() -> str:
    import getpass  # only who writes is asked for a name

    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "unknown"


def open_guard(directory: Path, *, actor: str, user: bool = False, clock: Clock | None = None) -> "Guard":
    """Return what looks after the file of a project, or the user's own. Nothing is opened yet."""
    return guard_of(find_workspace(directory), clock or SystemClock(), actor, user=user)


def open_keeper(directory: Path, *, actor: str, user: bool = False, anyway: bool = False) -> "Guard | HostedGuard":
    """Return what looks after memory, wherever it is kept: in a file, or on a server.

    To look for what is wrong it can be opened `anyway`, without the settings that cannot be used.
    """
    workspace = find_workspace(directory, anyway=anyway)
    if workspace.host:
        return _hosted_guard(workspace.host, workspace, SystemClock(), user)
    return guard_of(workspace, SystemClock(), actor, user=user)


def _hosted_guard(host: ServerStore, workspace: Workspace, clock: Clock, user: bool) -> "HostedGuard":
    from holdfast.storage.doctor import diagnose_failures
    from holdfast.storage.guard import HostedGuard

    name = postgres.personal(person(workspace)) if user else identity(workspace, None)

    from holdfast.storage.options import examine_model

    def examined() -> Iterator[Diagnosis]:
        yield from postgres.examine(host, name, clock.now())
        yield examine_model(workspace.config.embedding)
        yield diagnose_failures(workspace.project.root, clock.now())

    return HostedGuard(host.place, examined, registry(), _vouching(workspace))


def _vouching(workspace: Workspace) -> Vouching:
    file = workspace.project.root / DIRECTORY / CONFIG
    config = workspace.config
    return Vouching(file, config.ignored, reserved_keys(config.ignored), config.problems, config.doubts)


def admission_of(workspace: Workspace, *, user: bool = False) -> Admission:
    from holdfast.stores.sqlite.file import SqliteFile  # where memory is only looked for, no store is opened

    home = Path(paths.data_directory())
    path = Path(paths.user_database()) if user else workspace.database
    stores = Stores(home / "stores")
    busy_ms = workspace.config.store.busy_timeout_ms
    file = SqliteFile(path, lambda fresh, store_id: stores.claim(path, fresh, store_id), busy_ms)
    return Admission(file, stores, Backups(home / "backups"), by_place=user)


def guard_of(
    workspace: Workspace, clock: Clock, actor: str, project_id: str | None = None, *, user: bool = False
) -> "Guard":
    from holdfast.storage.guard import Guard, GuardOptions  # most commands only ask whose store it is
    from holdfast.storage.options import examine_model

    project_name = USER_PROJECT if user else identity(workspace, project_id)
    rules = GuardOptions(
        actor=actor,
        root=workspace.project.root,
        cleaner=Cleaner(workspace.config.redact.allow),
        keep=workspace.config.backup.keep,
        auto=workspace.config.backup.auto,
        vouching=_vouching(workspace),
        off=workspace.off,
        model=lambda: examine_model(workspace.config.embedding),
    )
    return Guard(
        admission_of(workspace, user=user), clock, origin_of(workspace, project_name, None), registry(), rules
    )


def origin_of(workspace: Workspace, project: str, agent: str | None) -> Callable[[], Origin]:
    cleaner = Cleaner(workspace.config.redact.allow)
    tenant = workspace.host.tenant if workspace.host else EMBEDDED_TENANT

    @cache
    def user() -> str:
        return person(workspace)

    def origin() -> Origin:
        head = read_head(workspace.project.git)
        branch = cleaner.label(head.branch) if head.branch else None
        return Origin(project=project, tenant=tenant, user=user(), agent=agent, branch=branch, commit=head.commit)

    return origin
