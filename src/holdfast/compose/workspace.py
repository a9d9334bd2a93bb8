"""What a directory means, or a server that somebody names: its project, its settings, where its memory is kept.

Nothing is opened or made here.
"""

import os
from collections.abc import Mapping
from pathlib import Path

from holdfast.capture.text.clean import Cleaner, quote
from holdfast.compose import postgres
from holdfast.compose.postgres import Host
from holdfast.errors import InvalidInput
from holdfast.machine import paths, switch
from holdfast.machine.project import Project, find_project
from holdfast.model.value import Value, replace
from holdfast.settings.schema import Config, Sources, load
from holdfast.settings.sources import sources_of

DIRECTORY = paths.PROJECT_HOME
DATABASE = "memory.db"
EMBEDDED = "local"
"""The tenant of a store that is a file."""


class Surroundings(Value):
    """What a directory means: its project, its configuration and where its store is."""

    project: Project
    config: Config
    database: Path
    sources: Sources
    named: Host | None = None
    """A server that the caller named; otherwise the settings may."""
    apart: bool = False
    """Whether the directory is not the project's: its files and its branch say nothing then."""

    @property
    def host(self) -> Host | None:
        """The server that keeps memory; None where a file does."""
        return self.named or postgres.configured(self.config.store)

    @property
    def exists(self) -> bool:
        """Whether a store is there already; a server counts as there."""
        return self.host is not None or os.path.lexists(self.database)

    @property
    def embedded(self) -> "Surroundings":
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
        return reason if reason or self.config.project.enabled else switch.OPTED_OUT


def survey(directory: Path, environment: Mapping[str, str] | None = None) -> Surroundings:
    """Find out what a directory means, without making or opening anything."""
    if not directory.is_dir():
        raise InvalidInput(field="directory", problem=f"{quote(str(directory))} is not a directory.")
    project = find_project(directory)
    sources = sources_of(project, environment)
    config = load(sources)
    home = project.root / DIRECTORY
    database = project.root / os.path.expanduser(config.store.path) if config.store.path else home / DATABASE
    return Surroundings(project, config, database, sources)


def survey_server(host: Host, project_id: str | None, directory: Path = Path()) -> Surroundings:
    """Find out what a server named by a caller means: of a directory's project, or of one that is elsewhere."""
    found = replace(survey(directory), named=host)
    if project_id is None or project_id == identity(found, None):
        return found
    sources = replace(found.sources, project_file=found.sources.user_file)
    project = Project(found.project.root, project_id, None)
    return replace(found, project=project, config=load(sources), sources=sources, apart=True)


def written_by(found: Surroundings, name: str) -> Surroundings:
    """Return the same for a person who is not the one that runs this program."""
    return replace(found, config=replace(found.config, user=replace(found.config.user, name=name)))


def own_settings(directory: Path) -> Config:
    """Return the user's own settings, whatever the project of a directory says."""
    found = survey(directory)
    return load(replace(found.sources, project_file=found.sources.user_file))


def identity(found: Surroundings, project_id: str | None) -> str:
    """Return the project's id as it may be kept: a remote's address can hold a password."""
    named = project_id or found.config.project.id or found.project.id
    return Cleaner(found.config.redact.allow).label(named)


def person(found: Surroundings) -> str:
    """Return who is writing, as it may be kept."""
    return Cleaner(found.config.redact.allow).label(found.config.user.name or _login())


def _login() -> str:
    import getpass  # only who writes is asked for a name

    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "unknown"
