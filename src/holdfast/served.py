"""What a server serves: for a tenant and a project, the way to its memory.

Which backend that is, wiring decides. On an embedded store there is one project, that of the directory, and its
tenant is `local`.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from holdfast import places
from holdfast.errors import StoreUnwritable, UnknownId
from holdfast.model.token import LOCAL
from holdfast.ports import Clock
from holdfast.service import Service
from holdfast.surroundings import survey
from holdfast.tokens import TokenFile
from holdfast.wiring import open_service


@dataclass(frozen=True, slots=True)
class Door:
    """The way to one project's memory."""

    tenant: str
    project: str
    open: Callable[[], Service]
    identity: Callable[[], object]
    """What lies behind it now: when that is another, what was opened before is of no use."""


class Served:
    """Every memory that one server gives access to."""

    def __init__(self, directory: Path, clock: Clock | None = None) -> None:
        self._clock = clock
        self._directory = directory
        self.tenant = LOCAL
        self._database = survey(directory).database
        service = open_service(
            directory, actor="http", clock=clock
        )  # what is wrong is said now, not to the first client
        try:
            self.project = service.stats().project.project
        finally:
            service.close()

    def door(self, tenant: str, project: str | None) -> Door:
        """Return the way to a project of a tenant; None: the project of the directory."""
        if tenant != LOCAL or project not in (None, self.project):
            raise UnknownId(noun="project", id=project or "")
        return Door(tenant, self.project, self._open, self._identity)

    def _open(self) -> Service:
        """Open what is there. A store that went away is not made anew: it may come back."""
        if not os.path.lexists(self._database):
            raise StoreUnwritable(path=self._database, problem="the file is gone")
        return open_service(self._directory, actor="http", clock=self._clock)

    def _identity(self) -> object:
        try:
            found = os.stat(self._database)
        except OSError:
            return None
        return found.st_dev, found.st_ino


def tokens() -> TokenFile:
    """Return the tokens of this user's servers."""
    return TokenFile(Path(places.data_directory()) / "tokens.json")
