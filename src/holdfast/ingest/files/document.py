"""One Markdown file as entries: a section each, with the headings above it as its context."""

import hashlib
import os
import re
import stat
from pathlib import Path, PurePosixPath

from holdfast.export import frontmatter
from holdfast.export.context_file import SECTION
from holdfast.ingest.markdown import Block, Section, blocks, sections, without_comments
from holdfast.machine.handles import NO_LINK, NO_WAIT, open_handle
from holdfast.model.ingest import Carried, Entry
from holdfast.model.limits import CONTENT_BYTES, NAME_CHARS
from holdfast.model.requests import Draft

SOURCE = "file-index"
KIND = "fact"
MOST_BYTES = 102_400
"""Larger files are no notes; they are skipped, and said so."""

DIGITS = 16
"""As many digits of a hash as memories keep of their files."""

_WORD = re.compile(r"[^\W_]+")


class SkippedFile(Exception):
    """A file of which nothing is kept: by rule, or because it cannot be read."""

    def __init__(self, reason: str, *, by_rule: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.by_rule = by_rule


def read(root: Path, file: str) -> bytes:
    """Return what a file holds; links are not followed, and what is no plain file is skipped."""
    try:
        handle = open_handle(root / file, os.O_RDONLY | NO_LINK | NO_WAIT)
        with os.fdopen(handle, "rb") as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise SkippedFile("is no plain file", by_rule=True)
            raw = stream.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise SkippedFile(f"cannot be read: {error.strerror or error}") from error
    if len(raw) > MOST_BYTES:
        raise SkippedFile(f"is larger than {MOST_BYTES // 1024} KB", by_rule=True)
    if b"\0" in raw:
        raise SkippedFile("is not text", by_rule=True)
    _check_text(raw)
    return raw


def _check_text(raw: bytes) -> None:
    """Refuse what is not UTF-8: a guess would keep garbage."""
    try:
        raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SkippedFile(f"is not UTF-8 (byte {error.start:,})") from error


def digest(raw: bytes) -> str:
    """Return the hash that memories keep of a file."""
    return hashlib.sha256(raw).hexdigest()[:DIGITS]


def entries(file: str, raw: bytes) -> list[Entry]:
    """Return what a document says, section by section; the section that we wrote ourselves is left out."""
    text = raw.decode("utf-8-sig").replace("\r\n", "\n")
    _, body = frontmatter.split(text)
    own = without_comments(SECTION.sub("", body))
    pieces = [piece for section in sections(own) for piece in _fitting(section)]
    return [_entry(file, piece) for piece in pieces if _WORD.search(piece.body)]


def _entry(file: str, section: Section) -> Entry:
    draft = Draft(
        content=section.body,
        kind=KIND,
        title=" › ".join(filter(None, (file, section.title))),
        context=" › ".join((file, *section.trail)),
        tags=tags_of(file),
        files=(file,),
        source=SOURCE,
    )
    return Entry(draft=draft, carried=Carried(file_hashes=None), where=f"{file}, line {section.line}")


def tags_of(file: str) -> tuple[str, ...]:
    """Return a file's name as tags: as a whole, and each word of it."""
    stem = PurePosixPath(file).stem.lower()
    words = [word for word in _WORD.findall(stem) if len(word) > 1]
    return tuple(dict.fromkeys(tag[:NAME_CHARS] for tag in (stem, *words)))


def _fitting(section: Section) -> list[Section]:
    """Cut a section that is longer than a memory may be at its paragraphs, and a longer paragraph by force."""
    if len(section.body.encode()) <= CONTENT_BYTES:
        return [section]
    pieces: list[Section] = []
    for block in blocks(section):
        for text in _slices(block):
            joined_text = f"{pieces[-1].body}\n\n{text}" if pieces else text
            if pieces and len(joined_text.encode()) <= CONTENT_BYTES:
                pieces[-1] = Section(section.trail, joined_text, pieces[-1].line)
            else:
                pieces.append(Section(section.trail, text, block.line))
    return pieces


def _slices(block: Block) -> list[str]:
    text = f"- {block.text}" if block.bullet else block.text
    most = CONTENT_BYTES // 4
    return [text[start : start + most] for start in range(0, len(text), most)]
