"""What a reader of exports gets and gives: one file as bytes, text or lines, never more than the limits allow;
entries, and what it left out, with the reason."""

import contextlib
import gzip
import io
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from holdfast.errors import UnusableFile
from holdfast.model.ingest import Entry
from holdfast.model.limits import CONTENT_BYTES, NAME_CHARS

MEBIBYTE = 1_048_576
Tables = Callable[[Path, str], Iterator[Mapping[str, object]]]
"""Hand out the rows of one table of a SQLite file that somebody else made; raise when there is no such table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportLimits:
    """How much is read of what somebody hands in."""

    bytes: int = 256 * MEBIBYTE
    """Bytes altogether, unpacked."""
    whole: int = 64 * MEBIBYTE
    """Bytes of one part that has to be held as a whole: a JSON document, a Markdown file."""
    ratio: int = 200
    """How many times larger an archive may be unpacked. Text compresses to a tenth, a bomb to a thousandth."""
    parts: int = 10_000
    entries: int = 100_000


@dataclass(frozen=True, slots=True)
class Part:
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


@dataclass(frozen=True, slots=True)
class Omission:
    """Something that is not taken, and why."""

    reason: str


EntryStream = Iterator[Entry | Omission]


def source_label(name: str) -> str:
    """Return the source that an import is kept under, so that it can be taken back as a whole."""
    return f"import:{name}"[:NAME_CHARS]


def unusable(content: str) -> Omission | None:
    """Say why a text cannot be remembered, None when it can be."""
    if not content.strip():
        return Omission("without text")
    if len(content.encode(errors="replace")) > CONTENT_BYTES:
        return Omission(f"longer than {CONTENT_BYTES:,} bytes")
    return None
