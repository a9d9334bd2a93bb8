"""Which project a client works on: the directory it starts us in or, where that is none, what it says. Light.

VS Code starts a user's servers in the home, whatever folder is open, and names that folder when it is asked
(`roots/list`). Where the directory is a project, it is the project: nothing is asked then. An answer counts
however late it comes, and once: which folders are opened afterwards (`roots/list_changed`) changes nothing, since
notes of one session belong into one memory.
"""

import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from holdfast.interfaces.mcp.catalogue import switched_off
from holdfast.machine import paths

if TYPE_CHECKING:
    from holdfast.interfaces.mcp.snapshot import Message

QUESTION_ID = "holdfast-roots"
PATIENCE_S = 5.0
"""How long calls wait for the answer of a client that said it has one: all together, not each."""
_FILE_SCHEME = "file://"


class ProjectPlace:
    """The directory of one connection, once it is known, and the tools that are switched off there."""

    def __init__(
        self,
        directory: str,
        off: frozenset[str] = frozenset(),
        wait: Callable[[threading.Event], bool] = lambda answered: answered.wait(PATIENCE_S),
    ) -> None:
        self._directory = directory
        self._off_at_start = off
        self._off_by_directory = {directory: off}
        self._wait = wait
        self._is_settled = threading.Event()
        """Whether nobody needs to wait: the answer is there, none will be, or it was waited for long enough."""
        self._is_settled.set()
        self._is_to_be_asked = False
        self._is_asked = False
        self._has_asked = False

    @property
    def directory(self) -> str:
        """Where the project is; waits for a client that is being asked, until somebody has waited long enough."""
        if not self._is_settled.is_set() and not self._wait(self._is_settled):
            self._is_settled.set()
        return self._directory

    @property
    def off(self) -> frozenset[str]:
        """The tools that are switched off there; what was off where we were started stays so."""
        directory = self.directory
        if directory not in self._off_by_directory:
            self._off_by_directory[directory] = self._off_at_start | switched_off(directory)
        return self._off_by_directory[directory]

    def greet(self, params: object) -> None:
        """Hear what a client can say, from its `initialize`."""
        capabilities = params.get("capabilities") if isinstance(params, dict) else None
        has_roots = isinstance(capabilities, dict) and isinstance(capabilities.get("roots"), dict)
        if has_roots and not self._has_asked and paths.is_no_project(paths.true_name(self._directory)):
            self._is_to_be_asked = True
            self._is_settled.clear()

    def question(self) -> "Message | None":
        """Return what to ask of a client that is ready; None where nothing is, or it was asked."""
        if not self._is_to_be_asked:
            return None
        self._is_to_be_asked = False
        self._has_asked = self._is_asked = True
        return {"jsonrpc": "2.0", "id": QUESTION_ID, "method": "roots/list"}

    def take(self, message: "Message") -> bool:
        """Take the answer to our question, be it late; say whether a message is that."""
        if not self._is_asked or "method" in message or message.get("id") != QUESTION_ID:
            return False
        self._is_asked = False
        self._directory = _first_folder(message.get("result")) or self._directory
        self._is_settled.set()
        return True


def _first_folder(result: object) -> str | None:
    """Return the first of a client's roots that is a directory here."""
    roots = result.get("roots") if isinstance(result, dict) else None
    for root in roots if isinstance(roots, list) else ():
        address = root.get("uri") if isinstance(root, dict) else None
        folder = _path(address) if isinstance(address, str) else ""
        if folder and os.path.isdir(folder):
            return folder
    return None


def _path(address: str) -> str:
    """Return the path of a file's address, empty for any other."""
    if not address.startswith(_FILE_SCHEME):
        return ""
    from urllib.parse import unquote

    path = unquote(address.removeprefix(_FILE_SCHEME))
    has_drive = path[2:3] == ":" and path[:1] == "/"
    return path[1:] if has_drive else path if path.startswith("/") else ""
