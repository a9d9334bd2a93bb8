"""Writing an export: in one of the formats, to a file that appears whole or not at all."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from holdfast.errors import InvalidInput
from holdfast.export.document import to_markdown
from holdfast.export.fields import ExportedMemory
from holdfast.export.lines import to_json, to_jsonl
from holdfast.export.table import to_csv
from holdfast.machine import durable

Writer = Callable[[Iterable[ExportedMemory]], Iterator[str]]

FORMATS: Mapping[str, Writer] = {"jsonl": to_jsonl, "json": to_json, "csv": to_csv, "markdown": to_markdown}
SUFFIXES = {".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json", ".csv": "csv", ".md": "markdown"}


def format_for(name: str | None, output: Path | None) -> str:
    """Return the format asked for; else the one that the file's name says; else JSONL."""
    if name is None:
        return SUFFIXES.get(output.suffix.lower(), "jsonl") if output else "jsonl"
    if name not in FORMATS:
        raise InvalidInput(field="--format", problem=f"{name!r} is none of: {', '.join(FORMATS)}.")
    return name


class HashedPieces:
    """Pieces of text on their way out, with the hash of all that passed."""

    def __init__(self, pieces: Iterable[str]) -> None:
        self._pieces = pieces
        self._hash = hashlib.sha256()

    def __iter__(self) -> Iterator[str]:
        for piece in self._pieces:
            self._hash.update(piece.encode())
            yield piece

    @property
    def digest(self) -> str:
        """The SHA-256 of what has passed."""
        return self._hash.hexdigest()


def save(pieces: Iterable[str], path: Path, mode: int = 0o600) -> None:
    """Write a file, for its owner alone unless told otherwise, and put it in its place when it is complete."""
    durable.replace_file(path, pieces, mode)
