"""The stores this user made: one small file each in the user's data directory.

Decides whether a directory's configuration is obeyed whole. A cloned repository may ship a `.holdfast`; it is
not in here until this user made it or said that it is theirs.
"""

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Registry:
    """A folder with one entry for each known store directory."""

    folder: Path

    def knows(self, directory: Path) -> bool:
        """Say whether this very directory (path, device and inode) was registered by this user."""
        try:
            kept = json.loads(self._entry(directory).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return False
        return isinstance(kept, dict) and kept == _identity(directory)

    def add(self, directory: Path) -> None:
        """Register a directory; the entry appears whole or not at all."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        entry = self._entry(directory)
        fresh = entry.with_name(f"{entry.name}.{os.getpid()}.new")
        descriptor = os.open(fresh, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(_identity(directory), file)
        fresh.replace(entry)

    def _entry(self, directory: Path) -> Path:
        name = hashlib.sha256(os.path.realpath(directory).encode(errors="surrogateescape")).hexdigest()[:32]
        return self.folder / f"{name}.json"


def _identity(directory: Path) -> dict[str, object] | None:
    try:
        found = directory.stat()
    except OSError:
        return None
    return {"path": os.path.realpath(directory), "device": found.st_dev, "inode": found.st_ino}
