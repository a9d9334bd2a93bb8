"""What somebody hands in to be read: a file, a folder of Markdown, or an archive (zip, tar, gzip).

Nothing is unpacked to disk. An archive with an entry that leads out of it, or that is no plain file, is refused as
a whole, and so is one that unpacks to more than it may.
"""

import gzip
import os
import stat
import tarfile
import zipfile
from pathlib import Path, PurePosixPath
from typing import IO

from holdfast.ingest.part import MEBIBYTE, ImportLimits, Part, check_amount, in_memory, on_disk, unusable_file

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
