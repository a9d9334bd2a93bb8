"""Where the transcripts of each agent lie, and which of them are a project's; or those that somebody names."""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

from msgspec import Struct

from holdfast.agents.claude import files as claude
from holdfast.agents.codex import files as codex
from holdfast.agents.copilot import files as copilot
from holdfast.agents.gemini import files as gemini
from holdfast.agents.opencode import files as opencode
from holdfast.agents.targets import configured_folder
from holdfast.agents.transcripts import Belongs, Source, leading
from holdfast.errors import InvalidInput, StoreError
from holdfast.machine import paths as places
from holdfast.ports import Rows

CLIENTS = (claude.CLIENT, codex.CLIENT, gemini.CLIENT, opencode.CLIENT, copilot.CLIENT)
_LOGS = (
    (codex.is_one, codex.source),
    (copilot.is_one, copilot.source),
    (gemini.is_one, gemini.source),
    (claude.is_one, claude.source),
)
"""What recognises a line of an agent's file, and what makes a source of the file."""
_SQLITE = b"SQLite format 3\0"

OpenTables = Callable[[Path], AbstractContextManager[Rows]]


class Homes(Struct, frozen=True):
    """Where this user's agents keep their files."""

    claude: Path
    codex: Path
    gemini: Path
    opencode: Path
    copilot: Path

    @classmethod
    def of_user(cls) -> "Homes":
        """Return the usual places, or where an agent's own variable leads."""
        home = Path(places.home())
        return cls(
            claude=configured_folder("CLAUDE_CONFIG_DIR", home / ".claude"),
            codex=configured_folder("CODEX_HOME", home / ".codex"),
            gemini=home / ".gemini",
            opencode=configured_folder("XDG_DATA_HOME", home / ".local/share") / "opencode",
            copilot=configured_folder("COPILOT_HOME", home / ".copilot"),
        )


class Finder(Struct, frozen=True):
    """Finds transcripts; a database that it opens stays open as long as the stack."""

    homes: Homes
    belongs: Belongs
    directories: Sequence[Path]
    """Where the project is checked out."""
    tables: OpenTables

    def of_project(self, clients: Iterable[str], stack: ExitStack) -> Iterator[Source]:
        """Find the sessions that agents had in this project."""
        wanted_clients, homes = set(clients), self.homes
        if claude.CLIENT in wanted_clients:
            yield from claude.sources(homes.claude, self.belongs)
        if codex.CLIENT in wanted_clients:
            yield from codex.sources(homes.codex, self.belongs)
        if gemini.CLIENT in wanted_clients:
            yield from gemini.sources(homes.gemini, self.belongs, self.directories)
        if copilot.CLIENT in wanted_clients:
            yield from copilot.sources(homes.copilot, self.belongs)
        database = homes.opencode / opencode.DATABASE
        if opencode.CLIENT in wanted_clients and database.is_file():
            with contextlib.suppress(StoreError):  # another layout than the one that is known here
                yield from opencode.sources(database, stack.enter_context(self.tables(database)), self.belongs)

    def named(self, paths: Iterable[Path], stack: ExitStack) -> Iterator[Source]:
        """Return the transcripts in files that somebody names, wherever the sessions took place.

        All are looked at before the first is read: a slip in the last name is no reason to have done half.
        """
        given_paths = list(paths)
        for path in given_paths:
            if not path.is_file():
                raise InvalidInput(field="FILE", problem=f"{path} is no file. Name transcripts of agents.")
        logs = {path: _recognise(path) for path in given_paths if not _begins(path, _SQLITE)}
        for path in given_paths:
            if path in logs:
                yield logs[path]
            else:
                yield from opencode.sources(path, stack.enter_context(self.tables(path)), lambda _: True)


def _recognise(path: Path) -> Source:
    for first in leading(path):
        for is_one, source in _LOGS:
            if is_one(first):
                return source(path)
    if path.suffix == ".json":
        return gemini.source(path)
    raise InvalidInput(field="FILE", problem=f"{path} is no transcript of {', '.join(CLIENTS)}.")


def _begins(path: Path, head: bytes) -> bool:
    with path.open("rb") as file:
        return file.read(len(head)) == head
