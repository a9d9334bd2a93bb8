"""What somebody hands in to be read: a file, a folder of Markdown, or an archive, compressed or not."""

import os
import stat
from pathlib import Path

from holdfast.ingest.archive import gunzip, is_tar, untar, unzip
from holdfast.ingest.part import ImportLimits, Part, check_amount, on_disk, unusable_file

SQLITE = b"SQLite format 3\x00"


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
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return unzip(part, limits)
    if head.startswith(b"\x1f\x8b"):
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
