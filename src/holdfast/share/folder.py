"""The folder that shared memories lie in: read under limits, written file by file."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from holdfast.errors import InvalidInput
from holdfast.export.formats import save
from holdfast.machine.handles import NO_LINK, NO_WAIT, open_handle
from holdfast.machine.paths import PROJECT_HOME
from holdfast.share.note import SharedNote, read, write

MOST_BYTES = 102_400
MOST_FILES = 10_000


@dataclass(frozen=True, slots=True)
class Unread:
    """A file that is no shared memory, and why."""

    reason: str


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of the repository, outside `.holdfast`."""

    root: Path
    name: str

    def __post_init__(self) -> None:
        path = PurePosixPath(self.name)
        if path.is_absolute() or ".." in path.parts or not path.parts or path.parts[0] in (PROJECT_HOME, ".git"):
            raise InvalidInput(
                field="share.folder", problem=f"{self.name!r} is no folder of the repository's own."
            )

    @property
    def place(self) -> Path:
        """Where it lies."""
        return self.root / self.name

    def holds(self, file: str) -> bool:
        """Say whether a path, relative to the project's root, lies in it."""
        return PurePosixPath(file).is_relative_to(self.name)

    def notes(self) -> Iterator[tuple[str, SharedNote | Unread]]:
        """Hand out every file by name; a link in the folder's place, or in a file's, is not followed."""
        if self.place.is_symlink() or not self.place.is_dir():
            return
        names = sorted(name for name in os.listdir(self.place) if name.endswith(".md"))
        for name in names[:MOST_FILES]:
            yield name, self._read_note(name)

    def put(self, name: str, note: SharedNote) -> None:
        """Write one file; it appears whole or not at all."""
        if self.place.is_symlink():
            raise InvalidInput(field="share.folder", problem=f"{self.name!r} is a link; it is not followed.")
        self.place.mkdir(parents=True, exist_ok=True)
        save([write(note)], self.place / name, 0o644)

    def _read_note(self, name: str) -> SharedNote | Unread:
        flags = os.O_RDONLY | NO_LINK | NO_WAIT
        try:
            with os.fdopen(open_handle(self.place / name, flags), "rb") as file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    return Unread("is no plain file")
                raw = file.read(MOST_BYTES + 1)
            if len(raw) > MOST_BYTES:
                return Unread(f"is larger than {MOST_BYTES // 1024} KB")
            return read(raw.decode())
        except UnicodeDecodeError:
            return Unread("is not UTF-8")
        except InvalidInput as error:
            return Unread(str(error))
        except OSError as error:
            return Unread(f"cannot be read: {error.strerror or error}")
