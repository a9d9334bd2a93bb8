"""One shared memory as a Markdown file, in a form that people review and edit, and the folder that such files lie
in: read under limits, written file by file.
"""

import hashlib
import json
import os
import re
import stat
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import NoReturn

from msgspec import Struct
from msgspec.structs import replace

from holdfast.errors import InvalidInput
from holdfast.export.formats import FrontmatterValue, join_frontmatter, split_frontmatter
from holdfast.machine import disk
from holdfast.machine.disk import NO_LINK, NO_WAIT, open_handle
from holdfast.machine.paths import PROJECT_HOME
from holdfast.model.act import COUNTS
from holdfast.model.ids import is_full_id
from holdfast.model.ingest import Carried
from holdfast.model.memory import Memory, title_of
from holdfast.model.plain import filled
from holdfast.model.requests import Draft
from holdfast.model.times import exact, parse_past

SOURCE = "shared"
MARK = "shared"
"""The name, in a memory's metadata, of what is noted here about its file."""

LOCAL = frozenset((MARK, "absent", COUNTS))
"""Names in the metadata that mean something in this store only."""

_LONGEST_SLUG = 60
_CONFLICT = re.compile(r"^<{7} .*^>{7} ", re.DOTALL | re.MULTILINE)


class SharedNote(Struct, frozen=True, kw_only=True):
    """What a shared file says."""

    id: str | None
    kind: str | None
    title: str
    content: str
    context: str = ""
    tags: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    expires: int | None = None
    metadata: Mapping[str, object] | None = None
    retracted: bool = False
    superseded_by: str | None = None
    created: int | None = None
    by: str | None = None
    agent: str | None = None
    branch: str | None = None
    commit: str | None = None
    importance: float = 0.5
    confidence: float = 1.0
    file_hashes: Mapping[str, str] | None = None
    trust: str | None = None
    status: str | None = None
    """Who said it and how settled it is where it came from: for people to read, never believed here."""

    @property
    def words(self) -> tuple[object, ...]:
        """Everything that a reviewer may change; the rest is where it came from."""
        wording = (self.kind, self.title, self.content, self.context, self.tags, self.files, self.expires)
        return (*wording, json.dumps(self.metadata or {}, sort_keys=True), self.retracted, self.superseded_by)

    @property
    def mark(self) -> str:
        """A short hash of the words."""
        return hashlib.sha256(repr(self.words).encode()).hexdigest()[:16]


def note_of(memory: Memory) -> SharedNote:
    """Return a memory as it is shared."""
    metadata = {name: value for name, value in memory.metadata.items() if name not in LOCAL}
    return filled(SharedNote, memory, metadata=metadata, created=memory.created_at, by=memory.user)


def file_name(note: SharedNote) -> str:
    """Return the name of a new file: words that people recognise, and digits that nobody else's has."""
    plain = unicodedata.normalize("NFKD", note.title).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:_LONGEST_SLUG].rstrip("-")
    return f"{slug or 'memory'}-{(note.id or '')[-8:]}.md"


def write(note: SharedNote) -> str:
    """Return a note as a file; only what differs from the plainest memory is written above its content."""
    values: dict[str, FrontmatterValue] = {
        "id": note.id,
        "kind": note.kind,
        "title": None if note.title == title_of(note.content) else note.title,
        "retracted": note.retracted or None,
        "superseded_by": note.superseded_by,
        "created": exact(note.created) if note.created is not None else None,
        "by": note.by,
        "trust": note.trust,
        "status": note.status,
        "agent": note.agent,
        "branch": note.branch,
        "commit": note.commit,
        "tags": list(note.tags) or None,
        "files": list(note.files) or None,
        "file_hashes": dict(note.file_hashes or {}) or None,
        "context": note.context or None,
        "importance": None if note.importance == 0.5 else note.importance,
        "confidence": None if note.confidence == 1.0 else note.confidence,
        "expires": exact(note.expires) if note.expires is not None else None,
        "metadata": dict(note.metadata or {}) or None,
    }
    filled_values = {name: value for name, value in values.items() if value is not None}
    return join_frontmatter(filled_values, "" if note.retracted else note.content)


def read(text: str) -> SharedNote:
    """Read a file; raise an error that names the field when it cannot be one of ours."""
    if _CONFLICT.search(text):
        raise InvalidInput(field="content", problem="has an unresolved merge conflict.")
    values, body = split_frontmatter(text.replace("\r\n", "\n").removeprefix("\ufeff"))
    content = body.strip("\n").rstrip()
    fields = _NoteFields(values)
    is_retracted = values.get("retracted") not in (None, False, "false", "no")
    if not content.strip() and not is_retracted:
        raise InvalidInput(field="content", problem="is empty.")
    return SharedNote(
        id=fields.an_id("id"),
        kind=fields.text("kind"),
        title=fields.text("title") or title_of(content),
        content=content,
        context=fields.text("context") or "",
        tags=fields.texts("tags"),
        files=fields.texts("files"),
        expires=fields.moment("expires"),
        metadata=fields.table("metadata"),
        retracted=is_retracted,
        superseded_by=fields.an_id("superseded_by"),
        created=fields.moment("created"),
        by=fields.text("by"),
        trust=fields.text("trust"),
        status=fields.text("status"),
        agent=fields.text("agent"),
        branch=fields.text("branch"),
        commit=fields.text("commit"),
        importance=fields.number("importance", 0.5),
        confidence=fields.number("confidence", 1.0),
        file_hashes={file: str(digest) for file, digest in fields.table("file_hashes").items()},
    )


def retract(note: SharedNote) -> SharedNote:
    """Return a note that takes back what it said."""
    return replace(note, retracted=True, content="", title="", tags=(), files=(), context="", metadata=None)


def draft_of(note: SharedNote, name: str, supersedes: str | None = None) -> Draft:
    """Return what a note asks to remember; the file it came from is noted."""
    return Draft(
        content=note.content,
        kind=note.kind,
        title=note.title,
        context=note.context or None,
        tags=note.tags,
        files=note.files,
        importance=note.importance,
        confidence=note.confidence,
        source=SOURCE,
        expires=note.expires,
        metadata={**(note.metadata or {}), MARK: {"file": name, "mark": note.mark}},
        at=note.created,
        supersedes=supersedes,
    )


def carried_by(note: SharedNote, *, id: str | None) -> Carried:  # noqa: A002 - the field's name
    """Return what a note brings along."""
    return Carried(
        id=id, agent=note.agent, branch=note.branch, commit=note.commit, file_hashes=note.file_hashes or {}
    )


class _NoteFields(Struct, frozen=True):
    """The values at the top of a file, by type."""

    values: Mapping[str, FrontmatterValue]

    def text(self, name: str) -> str | None:
        value = self.values.get(name)
        return None if value is None else value if isinstance(value, str) else self._wrong(name, "text")

    def texts(self, name: str) -> tuple[str, ...]:
        value = self.values.get(name)
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        return () if value is None else tuple(value) if isinstance(value, list) else self._wrong(name, "a list")

    def table(self, name: str) -> dict[str, object]:
        value = self.values.get(name)
        return {} if value is None else value if isinstance(value, dict) else self._wrong(name, "an object")

    def number(self, name: str, default: float) -> float:
        value = self.values.get(name)
        if value is None:
            return default
        return value if isinstance(value, int | float) else self._wrong(name, "a number")

    def moment(self, name: str) -> int | None:
        value = self.values.get(name)
        return parse_past(value if isinstance(value, str | int) else None, name, 0)

    def an_id(self, name: str) -> str | None:
        value = self.values.get(name)
        return value if isinstance(value, str) and is_full_id(value) else None

    def _wrong(self, name: str, requirement: str) -> NoReturn:
        raise InvalidInput(field=name, problem=f"must be {requirement}.")


MOST_BYTES = 102_400
MOST_FILES = 10_000


class Unread(Struct, frozen=True):
    """A file that is no shared memory, and why."""

    reason: str


class Folder(Struct, frozen=True):
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
        disk.replace_file(self.place / name, write(note), 0o644)

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
