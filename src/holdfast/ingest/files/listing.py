"""Which Markdown files of a project count: what git would not ignore, outside our own folders."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from holdfast.ingest.git.program import git
from holdfast.machine.paths import PROJECT_HOME

SUFFIXES = (".md", ".markdown")
_NEVER = frozenset(
    (".git", ".hg", ".svn", PROJECT_HOME, "node_modules", ".venv", "venv", "__pycache__", "site-packages")
)
"""Folders that hold nobody's documents, whether or not git knows of them."""


@dataclass(frozen=True, slots=True)
class MarkdownFiles:
    """The Markdown files below a project's root."""

    root: Path
    in_git: bool
    exclude: tuple[str, ...] = ()
    """Folders and files that are left out, relative to the root."""

    def all(self) -> list[str]:
        """Return every file that counts, relative to the root, in order."""
        files = self._known_to_git() if self.in_git else self._walk()
        return sorted(file for file in files if self.counts(file) and _is_file(self.root / file))

    def wanted(self, files: Iterable[str]) -> set[str]:
        """Return those of the files that count, whether or not they are there."""
        candidates = [file for file in files if self.counts(file)]
        return set(candidates) - self._ignored_files(candidates)

    def counts(self, file: str) -> bool:
        """Say whether a file is Markdown and outside the folders that are left out."""
        path = PurePosixPath(file)
        left_out = any(path.is_relative_to(excluded_path) for excluded_path in self.exclude)
        return path.suffix.lower() in SUFFIXES and not _NEVER.intersection(path.parts) and not left_out

    def _known_to_git(self) -> Iterator[str]:
        with git(self.root, "ls-files", "-z", "--cached", "--others", "--exclude-standard") as output:
            yield from _names(output.read())

    def _ignored_files(self, files: list[str]) -> set[str]:
        if not self.in_git or not files:
            return set()
        with git(self.root, "check-ignore", "-z", "--stdin", feed=files, ends="\0", fine=1) as output:
            return set(_names(output.read()))

    def _walk(self) -> Iterator[str]:
        for place, folders, files in os.walk(self.root):
            folders[:] = [
                folder_name
                for folder_name in folders
                if folder_name not in _NEVER and not folder_name.startswith(".")
            ]
            yield from ((Path(place) / file_name).relative_to(self.root).as_posix() for file_name in files)


def _is_file(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _names(raw: bytes) -> list[str]:
    return [os.fsdecode(name) for name in raw.split(b"\0") if name]
