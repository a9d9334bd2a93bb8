"""What a directory means, or a server that somebody names: its project, its settings, where its memory is kept.

Nothing is opened or made here.
"""

import os
from collections.abc import Mapping
from pathlib import Path

from holdfast.capture.text.clean import Cleaner, quote
from holdfast.errors import InvalidInput
from holdfast.machine import paths, switch
from holdfast.machine.project import Project, find_project
from holdfast.model.value import Value, replace
from holdfast.settings.load import Sources, load, load_anyway, sources_of
from holdfast.settings.schema import Config
from holdfast.storage import postgres
from holdfast.storage.postgres import ServerStore

DIRECTORY = paths.PROJECT_HOME
UNUSABLE = "the settings cannot be used. `holdfast doctor` says which line it is."
EMBEDDED_TENANT = "local"
"""The tenant of a store that is a file."""


class Workspace(Value):
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
        return self.named or postgres.configured_server(self.config.store)

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
        reason = switch.off_because(str(self.project.root))
        if reason or self.config.problems:
            return reason or UNUSABLE
        return None if self.config.project.enabled else switch.OPTED_OUT


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
