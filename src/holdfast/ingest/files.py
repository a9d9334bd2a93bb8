"""The project's Markdown files as memories, kept in step with the files.

`MarkdownFiles` says which files count; one of them becomes entries, a section each, with the headings above it as
its context; `Index` brings memory in line with all of them, or with those that changed.
"""

import hashlib
import os
import re
import stat
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath

from msgspec import Struct, field

from holdfast.capture.follow import FollowReport, SourceFile, is_read
from holdfast.errors import InvalidInput
from holdfast.export.formats import SECTION, split_frontmatter
from holdfast.ingest.git import git
from holdfast.ingest.markdown import Block, Section, blocks, sections, without_comments
from holdfast.machine.disk import NO_LINK, NO_WAIT, open_handle
from holdfast.machine.paths import PROJECT_HOME
from holdfast.model.ingest import Carried, Entry, Indexed
from holdfast.model.limits import CONTENT_BYTES, NAME_CHARS
from holdfast.model.memory import Memory
from holdfast.model.requests import Draft
from holdfast.service.entries import Exchange
from holdfast.share.sharing import MemorySharing

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
    try:  # what is not UTF-8 is refused: a guess would keep garbage
        raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SkippedFile(f"is not UTF-8 (byte {error.start:,})") from error
    return raw


def digest(raw: bytes) -> str:
    """Return the hash that memories keep of a file."""
    return hashlib.sha256(raw).hexdigest()[:DIGITS]


def entries(file: str, raw: bytes) -> list[Entry]:
    """Return what a document says, section by section; the section that we wrote ourselves is left out."""
    text = raw.decode("utf-8-sig").replace("\r\n", "\n")
    _, body = split_frontmatter(text)
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


Step = Callable[[int], None]

_COUNTED_FIELDS = ("added", "removed", "hidden", "shown")
SUFFIXES = (".md", ".markdown")
_NEVER = frozenset(
    (".git", ".hg", ".svn", PROJECT_HOME, "node_modules", ".venv", "venv", "__pycache__", "site-packages")
)
"""Folders that hold nobody's documents, whether or not git knows of them."""


class MarkdownFiles(Struct, frozen=True):
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


class Index(Struct, frozen=True):
    """What keeps memory in step with files; each file is one transaction."""

    exchange: Exchange
    listing: MarkdownFiles
    shared: MemorySharing | None = None
    """Reads the folder of shared memories, whose files are no documents."""
    new_ids: list[str] = field(default_factory=list)
    """The memories that came of it so far."""

    def scan(self, step: Step = lambda count: None) -> Indexed:
        """Look at every file there is, and at every file that something is remembered of."""
        files = self.listing.all()
        return self._refresh([*files, *sorted(self.known() - set(files))], step, shared=True)

    def known(self) -> set[str]:
        """Return the files that something is remembered of."""
        memories = self.exchange.said_by(SOURCE)
        return {file for memory in memories for file in memory.files if self.listing.counts(file)}

    def refresh(self, files: Iterable[str], step: Step = lambda count: None) -> Indexed:
        """Look at these files; those that are gone, or that git ignores by now, are let go."""
        distinct_files = list(dict.fromkeys(files))
        return self._refresh(distinct_files, step, shared=any(map(self._is_shared, distinct_files)))

    def _refresh(self, files: Sequence[str], step: Step, *, shared: bool) -> Indexed:
        own_files = [file for file in files if not self._is_shared(file)]
        wanted_files = self.listing.wanted(own_files)
        memories_by_file = self._memories_by_file()
        counts: Counter[str] = Counter()
        skip_reasons: dict[str, str] = {}
        unread: dict[str, str] = {}
        for file in own_files:
            try:
                outcome = self._file(file, memories_by_file[file], wanted=file in wanted_files)
            except SkippedFile as error:
                skip_reasons[file] = error.reason
                unread |= {} if error.by_rule else {file: error.reason}
                outcome = self._let_go(file, memories_by_file[file])
            except (InvalidInput, UnicodeError) as error:  # whatever it holds, the others shall not wait for it
                skip_reasons[file] = unread[file] = str(error)
                outcome = None
            counts["read"] += outcome is not None
            self.new_ids.extend(outcome.new if outcome else ())
            counts.update({name: getattr(outcome, name) for name in _COUNTED_FIELDS} if outcome else {})
            step(1)
        if shared and self.shared:
            counts += self._take_in(self.shared, skip_reasons)
        return Indexed(
            files=len(own_files),
            read=counts["read"],
            added=counts["added"],
            removed=counts["removed"],
            hidden=counts["hidden"],
            shown=counts["shown"],
            skipped=skip_reasons,
            unread=unread,
        )

    def _is_shared(self, file: str) -> bool:
        return self.shared is not None and self.shared.folder.holds(file)

    def _take_in(self, sharing: MemorySharing, skip_reasons: dict[str, str]) -> Counter[str]:
        """Read the shared folder as a whole: which of its files stands for what, only all of them tell."""
        outcome = sharing.take_in()
        skip_reasons.update({f"{sharing.folder.name}/{name}": reason for name, reason in outcome.skipped.items()})
        counts = {
            "added": outcome.added,
            "hidden": outcome.hidden,
            "shown": outcome.shown,
            "removed": outcome.retracted,
        }
        return Counter({"read": int(any(counts.values()) or outcome.accepted > 0), **counts})

    def _memories_by_file(self) -> "defaultdict[str, list[Memory]]":
        by_file: defaultdict[str, list[Memory]] = defaultdict(list)
        for memory in self.exchange.said_by(SOURCE):
            for file in memory.files:
                by_file[file].append(memory)
        return by_file

    def _file(self, file: str, memories: Sequence[Memory], *, wanted: bool) -> FollowReport | None:
        """Read one file; None when there is nothing to do."""
        if not self.exchange.can_name(file):
            raise SkippedFile("its name cannot be kept")
        try:
            raw = read(self.listing.root, file) if wanted else None
        except (FileNotFoundError, NotADirectoryError):
            raw = None
        if raw is None:
            return self._let_go(file, memories)
        place = SourceFile(SOURCE, file, digest(raw))
        if is_read(memories, place):
            return None
        return self.exchange.follow(place, entries(file, raw), _ids(memories))

    def _let_go(self, file: str, memories: Sequence[Memory]) -> FollowReport | None:
        """Let go of a file that is gone; None when that was done, or nothing was known of it."""
        place = SourceFile(SOURCE, file, None)
        outcome = self.exchange.follow(place, (), _ids(memories)) if memories else None
        return outcome if outcome and outcome.changed else None


def _ids(memories: Sequence[Memory]) -> list[str]:
    return [memory.id for memory in memories]


def _is_file(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _names(raw: bytes) -> list[str]:
    return [os.fsdecode(name) for name in raw.split(b"\0") if name]
