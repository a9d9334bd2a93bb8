"""What looks after a store as a whole, for a directory: the file's guard, or the server's; whose memory it is."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.capture.text.clean import Cleaner
from holdfast.machine import paths
from holdfast.machine.environment import SystemClock
from holdfast.machine.project import read_head
from holdfast.model.kinds import USER_PROJECT
from holdfast.model.memory import Origin
from holdfast.ports import Clock
from holdfast.settings.load import CONFIG, registry, reserved_keys
from holdfast.settings.registry import Stores, Vouching
from holdfast.storage import postgres
from holdfast.storage.admission import Admission
from holdfast.storage.backups import Backups
from holdfast.storage.options import examine_model
from holdfast.storage.postgres import ServerStore
from holdfast.storage.workspace import (
    DIRECTORY,
    EMBEDDED_TENANT,
    Workspace,
    find_workspace,
    identity,
    person,
)
from holdfast.stores.sqlite.file import SqliteFile

if TYPE_CHECKING:
    from holdfast.model.care import Diagnosis
    from holdfast.storage.guard import Guard
    from holdfast.storage.hosted import HostedGuard


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
    from holdfast.storage.hosted import HostedGuard

    name = postgres.personal(person(workspace)) if user else identity(workspace, None)

    def examined() -> "Iterator[Diagnosis]":
        yield from postgres.examine(host, name, clock.now())
        yield examine_model(workspace.config.embedding)
        yield diagnose_failures(workspace.project.root, clock.now())

    return HostedGuard(host.place, examined, registry(), _vouching(workspace))


def _vouching(workspace: Workspace) -> "Vouching":
    file = workspace.project.root / DIRECTORY / CONFIG
    config = workspace.config
    return Vouching(file, config.ignored, reserved_keys(config.ignored), config.problems, config.doubts)


def admission_of(workspace: Workspace, *, user: bool = False) -> Admission:
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
