"""What this user vouches for: one small file each in the user's data directory.

A cloned repository may ship a `.holdfast` with a configuration. It is obeyed whole only when this user has
vouched for that very text; when the text changes, by a pull say, it is not.
"""

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path

from holdfast.model.ids import new_id


@dataclass(frozen=True, slots=True)
class Registry:
    """A folder with one entry for each thing vouched for."""

    folder: Path

    def vouches_for_config(self, file: Path, text: bytes) -> bool:
        """Say whether this user vouched for these bytes of this file."""
        try:
            kept = json.loads(self._entry(file).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return False
        return bool(kept == _config_identity(file, text))

    def vouch_for_config(self, file: Path) -> None:
        """Vouch for a configuration file as it stands."""
        self._write(self._entry(file), _config_identity(file, file.read_bytes()))

    def _entry(self, file: Path) -> Path:
        name = hashlib.sha256(os.path.realpath(file).encode(errors="surrogateescape")).hexdigest()[:32]
        return self.folder / f"{name}.json"

    def _write(self, entry: Path, identity: dict[str, str]) -> None:
        """Write an entry; it appears whole or not at all."""
        self.folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.folder.mkdir(mode=0o700, exist_ok=True)
        fresh = entry.with_name(f"{entry.name}.{new_id(0)[-12:]}.new")
        descriptor = os.open(fresh, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(identity, file)
        fresh.replace(entry)


def _config_identity(file: Path, text: bytes) -> dict[str, str]:
    return {"path": os.path.realpath(file), "sha256": hashlib.sha256(text).hexdigest()}
