"""The files that a user hands in to be read: a file, a folder of Markdown, or an archive (zip, tar, gzip); each as
bytes, text or lines, never more than the limits allow. And what a reader makes of one: entries, and omissions with
their reasons.

Nothing is unpacked to disk. An archive with an entry that leads out of it, or that is no plain file, is refused as
a whole, and so is one that unpacks to more than it may.
"""

import contextlib
import gzip
import io
import os
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import IO

from msgspec import Struct

from holdfast.errors import UnusableFile
from holdfast.model.ingest import Entry
from holdfast.model.limits import CONTENT_BYTES, NAME_CHARS
from holdfast.model.requests import Draft

MEBIBYTE = 1_048_576
Tables = Callable[[Path, str], Iterator[Mapping[str, object]]]
"""Hand out the rows of one table of a SQLite file that somebody else made; raise when there is no such table."""


class ImportLimits(Struct, frozen=True, kw_only=True):
    """How much is read of what somebody hands in."""

    bytes: int = 256 * MEBIBYTE
    """Bytes altogether, unpacked."""
    whole: int = 64 * MEBIBYTE
    """Bytes of one part that has to be held as a whole: a JSON document, a Markdown file."""
    ratio: int = 200
    """How many times larger an archive may be unpacked. Text compresses to a tenth, a bomb to a thousandth."""
    parts: int = 10_000
    entries: int = 100_000


class Part(Struct, frozen=True):
    """One file of what was handed in."""

    name: str
    path: Path | None
    """Where it lies on disk, when it does; what is inside an archive does not."""
    limits: ImportLimits
    _open: Callable[[], IO[bytes]]

    def read(self) -> bytes:
        """Return all of it."""
        with self.reading() as stream:
            raw = stream.read(self.limits.whole + 1)
        if len(raw) > self.limits.whole:
            raise unusable_file(self.name, f"is larger than {size(self.limits.whole)}.")
        return raw

    def text(self) -> str:
        """Return all of it as text."""
        return decode_text(self.read(), self.name)

    def lines(self) -> Iterator[tuple[int, str]]:
        """Hand out its lines with their numbers; empty ones are passed over."""
        with self.reading() as stream:
            for number, raw in enumerate(iter(lambda: stream.readline(self.limits.whole + 1), b""), 1):
                if len(raw) > self.limits.whole:
                    raise unusable_file(
                        f"{self.name}, line {number}", f"is longer than {size(self.limits.whole)}."
                    )
                line = decode_text(raw, f"{self.name}, line {number}").strip("\r\n")
                if line.strip():
                    yield number, line

    def head(self, size: int = 65_536) -> bytes:
        """Return its first bytes."""
        with self.reading() as stream:
            return stream.read(size)

    @contextlib.contextmanager
    def reading(self) -> Iterator[IO[bytes]]:
        """Read, and let damage to an archive be an error of this file."""
        try:
            with self._open() as stream:
                yield stream
        except (EOFError, zlib.error, gzip.BadGzipFile, zipfile.BadZipFile, tarfile.TarError) as error:
            raise unusable_file(self.name, f"is damaged or cut off ({error}).") from error
        except (RuntimeError, NotImplementedError) as error:  # zipfile: encrypted, unknown compression
            raise unusable_file(self.name, f"cannot be unpacked ({error}).") from error
        except OSError as error:
            raise unusable_file(self.name, f"cannot be read: {error.strerror or error}.") from error


def unusable_file(where: str, problem: str) -> UnusableFile:
    """Make the error for something that cannot be read as it stands."""
    return UnusableFile(where=where, problem=problem)


def decode_text(raw: bytes, where: str) -> str:
    """Return bytes as text; anything but UTF-8 is refused, because a guess would keep garbage."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise unusable_file(where, f"is not UTF-8 (byte {error.start}).") from error


def in_memory(name: str, raw: bytes, limits: ImportLimits) -> Part:
    """Return bytes as a part."""
    return Part(PurePosixPath(name).as_posix(), None, limits, lambda: io.BytesIO(raw))


def on_disk(path: Path, name: str, limits: ImportLimits) -> Part:
    """Return a file as a part."""
    return Part(name, path, limits, lambda: path.open("rb"))


def check_amount(name: str, parts: int, total: int, most: int, limits: ImportLimits) -> None:
    """Refuse more files or bytes than may be read."""
    if parts > limits.parts:
        raise unusable_file(name, f"has more than {limits.parts:,} files.")
    if total > most:
        ratio = f"unpacks to more than {limits.ratio} times its size."
        raise unusable_file(name, ratio if most < limits.bytes else f"is larger than {size(most)}.")


def size(number: int) -> str:
    """Return a number of bytes for people."""
    return f"{number // MEBIBYTE:,} MiB" if number >= MEBIBYTE else f"{number:,} bytes"


class Omission(Struct, frozen=True):
    """Something that is not taken, and why."""

    reason: str


EntryStream = Iterator[Entry | Omission]


def source_label(name: str) -> str:
    """Return the source that an import is kept under, so that it can be taken back as a whole."""
    return f"import:{name}"[:NAME_CHARS]


def entry_of(draft: Draft, where: str) -> Entry | Omission:
    """Return a draft as an entry, or the reason why its text cannot be remembered."""
    if not draft.content.strip():
        return Omission("without text")
    if len(draft.content.encode(errors="replace")) > CONTENT_BYTES:
        return Omission(f"longer than {CONTENT_BYTES:,} bytes")
    return Entry(draft=draft, where=where)


SQLITE = b"SQLite format 3\x00"
GZIP = b"\x1f\x8b"
ZIP = (b"PK\x03\x04", b"PK\x05\x06")
"""How a zip archive begins: with a file, or empty."""


def open_bundle(path: Path, limits: ImportLimits | None = None) -> list[Part]:
    """Return the parts of what lies at a path, in the order of their names."""
    limits = limits or ImportLimits()
    try:
        mode = path.stat().st_mode
    except OSError as error:
        raise unusable_file(str(path), f"cannot be read: {error.strerror or error}.") from error
    if stat.S_ISDIR(mode):
        return _folder(path, limits)
    if not stat.S_ISREG(mode):
        raise unusable_file(str(path), "is no regular file.")
    return _file(path, limits)


def _file(path: Path, limits: ImportLimits) -> list[Part]:
    part = on_disk(path, path.name, limits)
    head = part.head(512)
    if not head:
        raise unusable_file(path.name, "is empty.")
    if head.startswith(ZIP):
        return unzip(part, limits)
    if head.startswith(GZIP):
        return gunzip(part, limits)
    if not head.startswith(SQLITE):
        check_amount(path.name, 1, path.stat().st_size, limits.bytes, limits)
    return untar(part, limits) if is_tar(head) else [part]


def _folder(path: Path, limits: ImportLimits) -> list[Part]:
    """Return the Markdown files below a folder; links are not followed, hidden folders not entered."""
    parts: list[Part] = []
    total = 0
    for place, folders, files in os.walk(path):
        folders[:] = sorted(folder_name for folder_name in folders if not folder_name.startswith("."))
        for name in sorted(file_name for file_name in files if file_name.lower().endswith((".md", ".markdown"))):
            file = Path(place) / name
            if file.is_symlink() or not file.is_file():
                continue
            total += file.stat().st_size
            check_amount(str(path), len(parts) + 1, total, limits.bytes, limits)
            parts.append(on_disk(file, file.relative_to(path).as_posix(), limits))
    if not parts:
        raise unusable_file(str(path), "holds no Markdown files. Name the file itself.")
    return parts


def unzip(part: Part, limits: ImportLimits) -> list[Part]:
    """Return the files of a zip archive."""
    packed_size = part.path.stat().st_size if part.path else 0
    with part.reading() as stream, zipfile.ZipFile(stream) as archive:
        infos = archive.infolist()
        check_amount(
            part.name, len(infos), sum(info.file_size for info in infos), _most(packed_size, limits), limits
        )
        for info in infos:
            kind = stat.S_IFMT(info.external_attr >> 16)
            _check_member(part.name, info.filename, plain=info.is_dir() or kind in (0, stat.S_IFREG))
        file_infos = sorted((info for info in infos if not info.is_dir()), key=lambda member: member.filename)
        raws = [
            (info.filename, _read_member(archive.open(info), part.name, info.file_size)) for info in file_infos
        ]
    return _within([in_memory(name, raw, limits) for name, raw in raws], part.name, limits)


def untar(part: Part, limits: ImportLimits) -> list[Part]:
    """Return the files of a tar archive that is not compressed."""
    parts: list[Part] = []
    total = 0
    with part.reading() as stream, tarfile.open(fileobj=stream, mode="r:") as archive:
        for number, member in enumerate(archive, 1):
            _check_member(part.name, member.name, plain=member.isfile() or member.isdir())
            total += member.size
            check_amount(part.name, number, total, limits.bytes, limits)
            member_file = archive.extractfile(member) if member.isfile() else None
            if member_file:
                parts.append(in_memory(member.name, _read_member(member_file, part.name, member.size), limits))
    return _within(sorted(parts, key=lambda member_part: member_part.name), part.name, limits)


def gunzip(part: Part, limits: ImportLimits) -> list[Part]:
    """Return what is compressed: a tar archive's parts, or the one file."""
    packed_size = part.path.stat().st_size if part.path else len(part.read())
    most = _most(packed_size, limits)
    with part.reading() as stream, gzip.GzipFile(fileobj=stream) as plain_stream:
        raw = plain_stream.read(most + 1)
    check_amount(part.name, 1, len(raw), most, limits)
    inside = in_memory(part.name.removesuffix(".gz"), raw, limits)
    return untar(inside, limits) if is_tar(raw) else [inside]


def _read_member(stream: IO[bytes], name: str, size: int) -> bytes:
    """Read one entry; its header's size was counted, so more than that is a lie."""
    with stream:
        raw = stream.read(size + 1)
    if len(raw) > size:
        raise unusable_file(name, "holds more than its index says.")
    return raw


def _within(parts: list[Part], name: str, limits: ImportLimits) -> list[Part]:
    """Open what is compressed inside an archive as well; all of it together is held to the limits, too."""
    plain_parts: list[Part] = []
    total = 0
    for part in parts:
        inner_parts = gunzip(part, limits) if part.head(2) == GZIP else [part]
        plain_parts.extend(inner_parts)
        total += sum(map(_size, inner_parts))
        check_amount(name, len(plain_parts), total, limits.bytes, limits)
    if not plain_parts:
        raise unusable_file(name, "holds no files.")
    return plain_parts


def _size(part: Part) -> int:
    with part.reading() as stream:
        return stream.seek(0, os.SEEK_END)


def _check_member(archive: str, name: str, *, plain: bool) -> None:
    path = PurePosixPath(name.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or (path.parts and ":" in path.parts[0]) or "\x00" in name:
        raise unusable_file(archive, f"has an entry that leads out of it ({name!r:.80}).")
    if not plain:
        raise unusable_file(archive, f"has an entry that is a link or a device ({name!r:.80}).")


def _most(packed_size: int, limits: ImportLimits) -> int:
    """Return how much something may hold unpacked; a little may always be much smaller packed."""
    return min(limits.bytes, max(packed_size * limits.ratio, MEBIBYTE))


def is_tar(head: bytes) -> bool:
    """Say whether a file that begins so is a tar archive."""
    return head[257:262] == b"ustar"
