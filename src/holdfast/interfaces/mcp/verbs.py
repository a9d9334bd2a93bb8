"""The service as the server calls it: opened at the first call, opened anew when the store is another file by now.

The one place where tools, prompts and resources meet the verbs.
"""

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Protocol, TypeVar

from holdfast.errors import InvalidInput, StoreReplaced
from holdfast.machine import paths
from holdfast.machine.environment import surrounding_agent
from holdfast.model.actor import Actor
from holdfast.model.kinds import MCP_ACTOR
from holdfast.service.service import Service
from holdfast.slash import proven
from holdfast.storage.open import MCP, open_service
from holdfast.storage.workspace import find_workspace

T = TypeVar("T")
ACTOR = MCP_ACTOR
Act = Callable[[Service], T]


class ServiceRunner(Protocol):
    """Whatever runs something on a service: for one client on its own, or for many on a server."""

    @property
    def place(self) -> str:
        """Where the project is, for a trace."""

    def run(self, act: Act[T], *, agent: str | None = None, create: bool = False, typed: str | None = None) -> T:
        """Do something with the service: for an agent, or, where somebody typed a command, for them."""


class ProjectRunner:
    """One project's memory, for one client. Calls take turns: a store has one connection.

    Where the project is, is asked for at each call: a client may name it late.
    """

    def __init__(self, directory: Callable[[], Path]) -> None:
        self._directory = directory
        self._open_directory: Path | None = None
        self._turn = threading.Lock()
        self._service: Service | None = None
        self._database: Path | None = None
        self._is_hosted = False
        self._seen_identity: tuple[int, int] | None = None

    @property
    def place(self) -> str:
        """The project's root."""
        return str(find_workspace(self._directory()).project.root)

    def run(self, act: Act[T], *, agent: str | None = None, create: bool = False, typed: str | None = None) -> T:
        """Do something with the service; `create` makes a store where there is none.

        A typed command is a person's, unless this program was started from inside an agent and no recorded turn
        proves it: an agent can start a server of its own, and speak to it.
        """
        with self._turn:
            try:
                return _settled(act, self._for(typed, self._open_service(agent, create), agent))
            except StoreReplaced:  # between our look at it and the write; nothing was written
                self._let_go()
                return _settled(act, self._for(typed, self._open_service(agent, create), agent))

    def _for(self, command_line: str | None, service: Service, agent: str | None) -> Service:
        if command_line is None or not (surrounding_agent() is None or proven(service, command_line)):
            return service
        return service.acting_as(Actor(ACTOR, agent=agent))

    def close(self) -> None:
        """Write what is pending and let go of the store."""
        with self._turn:
            self._let_go()

    def _open_service(self, agent: str | None, create: bool) -> Service:
        """Return the service of the store that is there now.

        Where there was none, an empty one stood in: another process may have made one since, or this call does.
        """
        directory, there = self._directory(), self._identity()
        is_same = directory == self._open_directory and there == self._seen_identity
        if self._service and is_same and (there or not create):
            return self._service
        self._let_go()
        self._open_directory = directory
        workspace = find_workspace(directory)
        if create and not workspace.begun:
            _check_place(workspace.project.root)
        self._database, self._is_hosted = workspace.database, workspace.host is not None
        before = self._identity()
        self._service = open_service(directory, MCP, agent=agent, create=create)
        self._seen_identity = (
            self._identity() if before or create else None
        )  # one made meanwhile is not what was opened
        if self._is_hosted and self._service.stands_in():
            self._seen_identity = None  # a colleague may make it at any time
        return self._service

    def _identity(self) -> tuple[int, int] | None:
        """Return which file is in the database's place; None when none is, or nobody has looked yet."""
        if self._is_hosted:
            return 0, 0  # a server's store is not replaced under anybody
        if self._database is None:
            return None
        try:
            file_status = os.stat(self._database)
        except OSError:
            return None
        return file_status.st_dev, file_status.st_ino

    def _let_go(self) -> None:
        service, self._service = self._service, None
        if service:
            service.close()


def _settled(act: Callable[[Service], T], service: Service) -> T:
    """Do something, and let hooks know the rules that came of it."""
    result = act(service)
    service.refresh_rules()
    return result


def _check_place(root: Path) -> None:
    """Refuse to make a store for everything: that is where a client runs that was started nowhere."""
    if paths.is_no_project(str(root)):
        raise InvalidInput(
            field="project",
            problem=f"{root} is no project: memory there would be of everything below it. Ask the user to "
            "start the agent inside a project or, where that does not help, to name the project in the arguments "
            "of this server in their client's configuration: `mcp --project DIR`.",
        )
