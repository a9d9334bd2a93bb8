"""Which mounts cannot carry a write-ahead log."""

from pathlib import Path

import pytest

from holdfast.machine.disk import _file_system, _parse_mount, mount_kind

MOUNTINFO = r"""22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
36 22 0:32 / /mnt/team rw shared:2 master:1 - nfs4 server:/team rw
37 22 0:33 / /mnt/team\040files rw - cifs //server/x rw
38 22 0:34 / /mnt/共有 rw - nfs server:/x rw
39 36 8:2 / /mnt/team/local rw - xfs /dev/sdb1 rw
40 22 0:35 / /srv/ada/remote rw - fuse.sshfs ada@host:/ rw
41 22 0:36 / /mnt/über rw - virtiofs share rw"""


def kind_of(path: str) -> str:
    """Return the file system kind of a path under these mounts."""
    mounts = [mount for line in MOUNTINFO.splitlines() if (mount := _parse_mount(line))]
    return _file_system(path, mounts)


KINDS = (
    ("/", "ext4"),
    ("/srv/ada/shop", "ext4"),
    ("/mnt/team", "nfs4"),
    ("/mnt/team/shop", "nfs4"),
    ("/mnt/teamwork", "ext4"),
    ("/mnt/team files/shop", "cifs"),
    ("/mnt/共有/shop", "nfs"),
    ("/mnt/über/shop", "virtiofs"),
    ("/mnt/team/local/shop", "xfs"),
    ("/srv/ada/remote/shop", "fuse.sshfs"),
)


def test_the_longest_mount_above_a_path_decides() -> None:
    """Blanks and other alphabets in its name included."""
    assert [(path, kind_of(path)) for path, _ in KINDS] == list(KINDS)


def test_a_later_mount_on_the_same_point_hides_the_earlier() -> None:
    """As it does for the user."""
    assert _file_system("/a/b", [("/", "ext4"), ("/a", "nfs"), ("/a", "tmpfs")]) == "tmpfs"


def test_lines_of_another_form_are_passed_over() -> None:
    """No guess is made."""
    lines = ("", "22 1 8:1 /", "22 1 8:1 / / rw", "22 1 - ext4 x rw")
    assert [line for line in lines if _parse_mount(line)] == []


SHARED = (
    ("nfs", True),
    ("9p", True),
    ("virtiofs", True),
    ("fuse.rclone", True),
    ("ext4", False),
    ("fuse.ext4", False),
    ("", False),
)


def test_network_and_shared_folders_are_told_from_local_disks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The mounts come from the machine, which has only some of these."""
    wrong = []
    for kind, shared in SHARED:
        monkeypatch.setattr("holdfast.machine.disk._mounts", lambda path, kind=kind: [("/", kind)])
        if mount_kind(tmp_path) != (kind if shared else None):
            wrong.append(kind)
    assert wrong == []
