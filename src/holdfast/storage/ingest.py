"""What memory is read from and shared through, for a directory: files, transcripts, other programs' tables."""

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from holdfast.machine import disk, failures, paths
from holdfast.machine.disk import open_handle
from holdfast.machine.project import checkouts, contains
from holdfast.ports import Rows
from holdfast.service.service import Service
from holdfast.storage.open import open_service
from holdfast.storage.workspace import find_workspace

if TYPE_CHECKING:
    from holdfast.ingest.files import Index
    from holdfast.ingest.locate import Finder
    from holdfast.ingest.transcripts import ReadMarks
    from holdfast.ingest.watch import AutoIndex
    from holdfast.model.ingest import Indexed
    from holdfast.share.sharing import MemorySharing

INDEX_STEP = "index"
"""What a trace says was tried when indexing in the background ends by itself."""

TABLE_SECONDS = 600
"""How long another program's file may be read: every session of some years, on a slow disk."""


class Exports(Struct, frozen=True):
    """A folder with one empty file for each export that this user made, named after the bytes of the export.

    Read again as it was written, an export is this user's own word; changed by a single byte, it is anybody's.
    """

    folder: Path
    keep: int = 1_000

    def claim(self, digest: str) -> None:
        """Enter an export by the SHA-256 of its bytes; the oldest entries go when there are too many."""
        paths.make_private(str(self.folder))
        os.close(open_handle(self.folder / digest, os.O_CREAT | os.O_WRONLY))
        disk.sync_directory(self.folder)
        entries = sorted(self.folder.iterdir(), key=lambda entry: entry.stat().st_mtime_ns)
        for entry in entries[: -self.keep]:
            entry.unlink(missing_ok=True)

    def made(self, digest: str) -> bool:
        """Say whether this user made an export with these bytes."""
        return (self.folder / digest).is_file()


def exports() -> Exports:
    """Return the register of exports that this user made."""
    return Exports(Path(paths.data_directory()) / "exports")


def read_table(path: Path, table: str) -> Iterator[Mapping[str, object]]:
    """Hand out the rows of one table of another program's SQLite file, which is not touched."""
    from holdfast.stores.sqlite.hardened import read_table as rows  # rare: only such files are imported this way

    return rows(path, table)


def open_tables(path: Path) -> AbstractContextManager[Rows]:
    """Open another program's SQLite file, which is not touched, to read its tables one by one."""
    from holdfast.stores.sqlite.hardened import open_tables as open_file

    return open_file(path, seconds=TABLE_SECONDS)


def index_of(directory: Path, service: Service) -> "Index":
    """Return what keeps a project's memory in step with its Markdown files, shared memories among them."""
    from holdfast.ingest.files import (
        Index,  # few commands read files
        MarkdownFiles,
    )

    workspace = find_workspace(directory)
    exclude = tuple(excluded_path.strip("/") for excluded_path in workspace.config.index.exclude)
    listing = MarkdownFiles(workspace.project.root, workspace.project.git is not None, exclude)
    return Index(service.exchange, listing, sharing_of(directory, service))


def sharing_of(directory: Path, service: Service) -> "MemorySharing":
    """Return what shares a project's memory through its repository."""
    from holdfast.share.note import Folder
    from holdfast.share.sharing import MemorySharing

    workspace = find_workspace(directory)
    return MemorySharing(service, Folder(workspace.project.root, workspace.config.share.folder.rstrip("/")))


def transcripts_of(directory: Path) -> "Finder":
    """Return what finds the sessions that this user's agents had in a project."""
    from holdfast.ingest.locate import Finder, Homes

    project = find_workspace(directory).project
    return Finder(Homes.of_user(), partial(contains, project), checkouts(project), open_tables)


def seen_transcripts(service: Service) -> "ReadMarks":
    """Return the record of which transcripts were read into a project's store."""
    from holdfast.ingest.transcripts import ReadMarks

    store_id = service.stats().project.store_id
    return ReadMarks(Path(paths.data_directory()) / "transcripts" / f"{store_id}.json")


def auto_index(
    directory: Path, *, actor: str, on_indexed: "Callable[[Indexed], None]" = lambda outcome: None
) -> "AutoIndex | None":
    """Return what indexes in the background while a server runs; None when the user did not ask for it.

    A server may be started anywhere: outside a repository nothing is indexed unless there is a store already.
    """
    workspace = find_workspace(directory)
    if not workspace.config.index.auto or not (workspace.begun or workspace.project.git):
        return None
    from holdfast.ingest.watch import AutoIndex

    @contextlib.contextmanager
    def open_index() -> "Iterator[Index]":
        service = open_service(directory, actor=actor, embed_on_add=False)
        try:
            yield index_of(directory, service)
        finally:
            service.close()

    return AutoIndex(open_index, on_indexed, partial(failures.leave, INDEX_STEP, str(workspace.project.root)))
