"""How files are opened by their handle, on every system: as bytes, and as whoever made the file meant it. Light.

Windows takes a file that is opened without O_BINARY for text: it writes two characters for the end of a line and
ends reading at a control character. Two flags are not known there: links need a right of their own, and a pipe has
no name among files. `os.open` is called here alone; a house test holds that.
"""

import os

TYPE_CHECKING = False  # typing's own, without importing typing: hooks share this module
if TYPE_CHECKING:
    Name = str | os.PathLike[str]

NO_LINK = getattr(os, "O_NOFOLLOW", 0)
"""Refuse a link in the file's place."""

NO_WAIT = getattr(os, "O_NONBLOCK", 0)
"""Do not wait for whoever is to write into a pipe that stands in the file's place."""

_BYTES = getattr(os, "O_BINARY", 0)


def open_handle(path: "Name", flags: int = os.O_RDONLY, mode: int = 0o600) -> int:
    """Open a file and return its handle; what is read and written are bytes."""
    return os.open(path, flags | _BYTES, mode)
