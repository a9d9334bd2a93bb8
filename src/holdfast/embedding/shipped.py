"""Files that come with the package, held against the digests that were recorded when they were made."""

import json
from hashlib import sha256
from pathlib import Path


def damaged_files(record: Path) -> list[str]:
    """Name the files beside a record (a JSON file with their SHA-256) that are missing or differ from it."""
    digests = json.loads(record.read_text("utf-8"))["sha256"]
    return [name for name, digest in digests.items() if _digest(record.with_name(name)) != digest]


def _digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
