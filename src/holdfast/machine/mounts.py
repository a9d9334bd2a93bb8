"""Whether a path is on a network or shared-folder mount, where SQLite's shared memory does not work.

Linux says so in its mount table; macOS is asked for it, but only about what is not on the disk that it runs from;
Windows names such a place by its server, whatever letter of a drive leads there.
"""

import os
import sys

from holdfast.model.patterns import regex
from holdfast.model.type_hints import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

SHARE = "network share"
"""What a place on another machine is called that Windows reaches by its server's name."""

_ESCAPE_PATTERN = regex(r"\\([0-7]{3})")
_MOUNT_LINE = regex(r"^.*? on (?P<point>/.*) \((?P<kind>\w+)(?:, [^()]*)?\)$")
_SHARED_MOUNTS = frozenset(
    "nfs nfs4 cifs smb3 smbfs afpfs webdav 9p virtiofs vboxsf vmhgfs prl_fs ceph lustre glusterfs".split()
)
_NETWORK_FUSE = tuple(f"fuse.{name}" for name in "sshfs rclone s3fs glusterfs ceph vmhgfs-fuse grpcfuse".split())
_MACOS_FUSE = ("macfuse", "osxfuse")
_OWN_VOLUMES = ("/", "/System/Volumes/Data")
"""Where macOS runs from, and where its users' files are."""
_PATIENCE_S = 5


def mount_kind(path: "str | Path") -> str | None:
    """Return the kind of a network or shared-folder mount that a path is on; None for a local disk."""
    real = os.path.realpath(path)
    if sys.platform == "win32":
        return SHARE if _is_share(real) else None
    kind = _file_system(real, _mounts(real))
    is_shared = kind in _SHARED_MOUNTS or kind.startswith((*_NETWORK_FUSE, *_MACOS_FUSE))
    return kind if is_shared else None


def _is_share(path: str) -> bool:
    r"""Say whether a path of Windows begins with a server's name; `\\?\C:\` and the like are this machine."""
    return path.startswith(("\\\\?\\UNC\\", "//?/UNC/")) or (
        path.startswith(("\\\\", "//")) and path[2:4] not in ("?\\", ".\\", "?/", "./")
    )


def _file_system(path: str, mounts: list[tuple[str, str]]) -> str:
    """Return the file system kind of the longest mount point above a path."""
    best, kind = "", ""
    for point, name in mounts:
        inside = path == point or path.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= len(best):
            best, kind = point, name
    return kind


def _mounts(path: str) -> list[tuple[str, str]]:
    """Return (mount point, file system kind) pairs that may be above a path."""
    if sys.platform == "darwin":
        return [] if _is_on_own_volume(path) else _ask_mount()
    try:
        with open("/proc/self/mountinfo", encoding="utf-8", errors="replace") as file:
            lines = file.read().splitlines()
    except OSError:
        return []
    return [pair for line in lines if (pair := _parse_mount(line))]


def _parse_mount(line: str) -> tuple[str, str] | None:
    before, dash, after = line.partition(" - ")
    fields = before.split()
    if not dash or len(fields) < 5 or not after:
        return None
    point = _ESCAPE_PATTERN.sub(lambda code: chr(int(code[1], 8)), fields[4])
    return point, after.split()[0]


def _is_on_own_volume(path: str) -> bool:
    """Say whether a path, which need not be there yet, is on a disk that macOS runs from, as nearly all are."""
    while not os.path.exists(path):
        path = os.path.dirname(path)
    return os.stat(path).st_dev in {os.stat(volume).st_dev for volume in _OWN_VOLUMES if os.path.exists(volume)}


def _ask_mount() -> list[tuple[str, str]]:
    import subprocess  # few projects are on another disk

    try:
        output = subprocess.run(["/sbin/mount"], capture_output=True, timeout=_PATIENCE_S, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return []
    return parse_mount_output(output.decode("utf-8", "replace"))


def parse_mount_output(text: str) -> list[tuple[str, str]]:
    """Return (mount point, file system kind) pairs of what macOS' `mount` prints."""
    matches = [_MOUNT_LINE.match(line) for line in text.splitlines()]
    return [(match["point"], match["kind"]) for match in matches if match]
