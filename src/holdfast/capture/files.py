"""Paths as a memory names them, and what the files held when it was captured. Light."""

import os
from collections.abc import Iterable

from holdfast.model.ids import digest_bytes
from holdfast.model.type_hints import TYPE_CHECKING

if TYPE_CHECKING:
    from holdfast.capture.text.clean import Cleaner

    Root = str | os.PathLike[str]

_MOST_BYTES = 2_000_000
_DIGITS = 16


def project_paths(root: "Root | None", files: tuple[str, ...]) -> tuple[str, ...]:
    """Return each path once, with forward slashes, relative to the project where it lies inside it."""
    return tuple(dict.fromkeys(project_path(root, file.strip()) for file in files))


def clean_paths(root: "Root | None", files: Iterable[str], cleaner: "Cleaner") -> tuple[str, ...]:
    """Return paths as they are kept: cleaned as they were given, and again as they are kept.

    Before, because an address that was taken for a path (`redis:/user:…`) no longer looks like one; after, because
    what is kept is what must be clean.
    """
    return cleaner.labels(project_paths(root, cleaner.labels(files)))


def project_path(root: "Root | None", file: str) -> str:
    """Return one path as it is kept, whether given absolute, with backslashes or in a roundabout way."""
    path = file.replace("\\", "/")
    if root is not None and os.path.isabs(path):
        inside = os.path.relpath(os.path.realpath(path), os.path.realpath(root))
        path = path if inside.startswith("..") else inside
    return os.path.normpath(path).replace(os.sep, "/") if path.strip("/") else path


def content_hashes(root: "Root | None", files: tuple[str, ...]) -> dict[str, str]:
    """Return a short hash of each file that exists inside the project; others are passed over."""
    if root is None:
        return {}
    hashes = {file: _content_hash(root, file) for file in files}
    return {file: digest for file, digest in hashes.items() if digest}


def _content_hash(root: "Root", file: str) -> str | None:
    """Hash a regular file below the root, reached without leaving it; anything else has no hash."""
    try:
        above, path = os.path.realpath(root), os.path.realpath(os.path.join(root, file))
        if os.path.commonpath((above, path)) != above or not os.path.isfile(path):
            return None
        if os.path.getsize(path) > _MOST_BYTES:
            return None
        with open(path, "rb") as stream:
            return digest_bytes(stream.read())[:_DIGITS]
    except (OSError, ValueError):
        return None
