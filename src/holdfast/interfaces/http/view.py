"""`holdfast view`: a server for who started it, on this machine alone, entered with a code that is good once."""

import time
from collections.abc import Callable
from pathlib import Path

from holdfast.compose.tenancy import own_tenant
from holdfast.compose.workspace import find_workspace, person
from holdfast.interfaces.http.projects import VIEWER
from holdfast.interfaces.http.serve import staged
from holdfast.model.actor import ADMIN, Token
from holdfast.settings.sections import ServerConfig

HOST = "127.0.0.1"


def view(directory: Path, port: int, config: ServerConfig, announce: Callable[[str], None]) -> None:
    """Show a project's memory until a signal ends it; `announce` hears the address that lets one person in."""
    with staged(directory, HOST, port, config, local=True) as server:
        now = time.time_ns() // 1_000_000
        code = server.app.entry.keys.make_code(own_token(directory, now), now)
        announce(f"{server.address}/#code={code}")
        server.run()


def own_token(directory: Path, now: int) -> Token:
    """Return what who sits at this machine may do: everything, in their own name. It is kept nowhere."""
    name = person(find_workspace(directory))
    return Token(id=VIEWER, name=name, tenant=own_tenant(directory), scope=ADMIN, created_at=now, digest="")
