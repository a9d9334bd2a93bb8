"""The viewer's files: read once, and sent with what keeps a page from being made to do what it must not.

They hold no data and need no token. A browser asks each time whether a file is still the same, by its digest.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable

from holdfast.interfaces.http.access import Headers
from holdfast.interfaces.http.asgi import NOT_MODIFIED, Send, answer

PREFIX = "viewer"
"""The first part of the address of every file but the page itself, which is at `/`."""

PAGE = "index.html"

TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "svg": "image/svg+xml",
    "png": "image/png",
    "woff2": "font/woff2",
    "txt": "text/plain; charset=utf-8",
}
"""What may be sent, by a name's ending; anything else in the folder is nobody's business."""

DEPTH = 2
"""How many folders deep files lie at most."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Nothing from elsewhere or written into the page, no form that a browser sends by itself, no frame around it."""

GUARDS = [
    (b"content-security-policy", POLICY.encode()),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"x-frame-options", b"DENY"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=(), payment=(), usb=()"),
]
"""Headers of every file."""


@dataclass(frozen=True, slots=True)
class StaticFile:
    """One file, and what it is known by."""

    content: bytes
    media_type: str
    tag: bytes


class StaticFiles:
    """Every file of the viewer."""

    def __init__(self, folder: Traversable | None = None) -> None:
        self._by_name = dict(_read(folder or files(__package__) / "static", "", DEPTH))

    def find(self, path: str) -> StaticFile | None:
        """Return the file at an address; None: there is none."""
        if path == "/":
            return self._by_name.get(PAGE)
        prefix, _, name = path.removeprefix("/").partition("/")
        return self._by_name.get(name) if prefix == PREFIX else None


async def send_file(send: Send, file: StaticFile, headers: Headers) -> None:
    """Send a file, or that it is still the one the browser has."""
    known_tags = b",".join(value for name, value in headers if name == b"if-none-match")
    is_same = file.tag in (tag.strip().removeprefix(b"W/") for tag in known_tags.split(b","))
    guards = [*GUARDS, (b"etag", file.tag)]
    status, content = (NOT_MODIFIED, b"") if is_same else (200, file.content)
    await answer(send, status, content, file.media_type, guards, cache=b"no-cache")


def _read(folder: Traversable, prefix: str, depth: int) -> Iterator[tuple[str, StaticFile]]:
    for entry in folder.iterdir():
        name = prefix + entry.name
        if entry.is_dir() and depth:
            yield from _read(entry, f"{name}/", depth - 1)
        elif entry.is_file() and (media_type := TYPES.get(name.rpartition(".")[2])):
            content = entry.read_bytes()
            yield name, StaticFile(content, media_type, f'"{hashlib.sha256(content).hexdigest()[:32]}"'.encode())
