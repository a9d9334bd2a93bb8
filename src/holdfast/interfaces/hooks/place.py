"""Where a hook works: the project it was told of, and whether memory is kept there at all. Light."""

import os

from holdfast.machine import paths
from holdfast.machine.checkout import find_checkout, is_bare

DATABASE = "memory.db"


class HookProject:
    """A project as a hook sees it."""

    __slots__ = ("git", "root")

    def __init__(self, directory: str) -> None:
        """Find the project of a directory; a payload may name one that is gone."""
        self.root, self.git = find_checkout(directory if os.path.isdir(directory) else os.getcwd())

    @property
    def home(self) -> str:
        """The project's own directory of holdfast."""
        return os.path.join(self.root, paths.PROJECT_HOME)

    def database(self, configured_path: "str | None") -> str:
        """Return the file of the project's store; it need not be there."""
        if configured_path:
            return os.path.join(self.root, os.path.expanduser(configured_path))
        return os.path.join(self.home, DATABASE)

    def may_remember(self, store_path: str) -> bool:
        """Say whether a hook may bring about a store: one is there, or this is a work tree and nobody's home.

        Where a server keeps memory, the project's own directory of holdfast says that it is wanted.
        """
        if os.path.lexists(store_path):
            return True
        if self.git is None or (self.git == self.root and is_bare(self.git)):
            return False
        return not paths.is_no_project(self.root)
