"""What macOS does differently: names in other letters, a flush of the drive itself, mounts one has to ask for."""

import os
import textwrap

import pytest

from holdfast.machine.disk import parse_mount_output
from tests.platforms.fakes import FakeMachine

MOUNT = """\
/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)
devfs on /dev (devfs, local, nobrowse)
/dev/disk3s5 on /System/Volumes/Data (apfs, local, journaled, nobrowse, protect)
//ada@nas._smb._tcp.local/Team%20files on /Volumes/Team files (1) (smbfs, nodev, nosuid, mounted by ada)
nas:/export on /Volumes/export (nfs, nodev, nosuid)
sshfs#ada@host: on /Users/ada/remote (macfuse, nodev, nosuid, synchronous, mounted by ada)
"""


def run(mac: FakeMachine, code: str) -> str:
    """Run a few lines there; return what they print."""
    return mac.python("-c", textwrap.dedent(code)).decode().strip()


def test_a_project_named_in_other_letters_is_the_same_project(mac: FakeMachine) -> None:
    """The disk opens both; as two projects each would take the other's store for a stranger's."""
    mac.command("add", "Deploys happen on Tuesdays")
    (mac.home / "SHOP").symlink_to("Shop")
    memories = mac.command("list", "--project", str(mac.home / "SHOP"))
    assert b"Deploys happen on Tuesdays" in memories


@pytest.mark.parametrize("config", ["", "[core]\n\tworktree = ../../SHOP\n"])
def test_a_worktree_that_names_its_repository_in_other_letters_shares_its_project(
    mac: FakeMachine, config: str
) -> None:
    (mac.home / "SHOP").symlink_to("Shop")
    git = mac.project / ".git"
    (git / "config").write_text(config, encoding="utf-8")
    (git / "worktrees" / "fix").mkdir(parents=True)
    (git / "worktrees" / "fix" / "commondir").write_text(f"{mac.home}/SHOP/.git\n", encoding="utf-8")
    (mac.home / "Fix").mkdir()
    (mac.home / "Fix" / ".git").write_text(f"gitdir: {mac.home}/SHOP/.git/worktrees/fix\n", encoding="utf-8")
    code = f"""
        from holdfast.machine.paths import find_checkout
        print(*find_checkout({str(mac.home / "Fix")!r}))
    """
    assert run(mac, code) == f"{mac.project} {git}/worktrees/fix"


def test_a_home_in_other_letters_is_no_project_and_the_client_is_asked(mac: FakeMachine) -> None:
    (mac.home.parent / "HOME").symlink_to("home")
    code = f"""
        from holdfast.interfaces.mcp.roots import ProjectPlace
        place = ProjectPlace({str(mac.home.parent / "HOME")!r})
        place.greet({{"capabilities": {{"roots": {{}}}}}})
        print(place.question() is not None)
    """
    assert run(mac, code) == "True"


def test_a_pipe_in_the_place_of_a_repository_is_not_waited_for(mac: FakeMachine) -> None:
    os.mkfifo(mac.home / "pipe")
    code = f"""
        from holdfast.machine import paths
        print(paths.true_name({str(mac.home / "pipe")!r}))
    """
    assert run(mac, code) == str(mac.home / "pipe")


def test_what_must_survive_a_power_cut_is_seen_to_the_drive(mac: FakeMachine) -> None:
    """`fsync` ends at the memory of the drive; where the drive knows no more, it has to do."""
    code = """
        from holdfast.machine import disk
        commands = []
        class Fcntl:
            F_FULLFSYNC = 51
            @staticmethod
            def fcntl(handle, command):
                commands.append(command)
                if len(commands) > 2:
                    raise OSError("not supported")
        real_import = disk.__builtins__["__import__"]
        def importing(name, *rest):
            return Fcntl if name == "fcntl" else real_import(name, *rest)
        disk.__builtins__["__import__"] = importing
        disk.replace_file("one", "1")
        disk.append_line("one", "2")
        print(commands, open("one").read())
    """
    assert run(mac, code) == "[51, 51, 51] 12"


def test_mounts_are_told_by_what_mount_prints() -> None:
    assert parse_mount_output(MOUNT) == [
        ("/", "apfs"),
        ("/dev", "devfs"),
        ("/System/Volumes/Data", "apfs"),
        ("/Volumes/Team files (1)", "smbfs"),
        ("/Volumes/export", "nfs"),
        ("/Users/ada/remote", "macfuse"),
    ]


def test_a_mount_of_another_machine_is_shared_and_the_own_disk_is_not_asked_about(mac: FakeMachine) -> None:
    code = f"""
        from holdfast.machine import disk
        asked = []
        disk._ask_mount = lambda: asked.append(1) or disk.parse_mount_output({MOUNT!r})
        disk._is_on_own_volume = lambda path: not path.startswith("/Volumes")
        places = ("/Users/ada/shop", "/Volumes/export/shop", "/Volumes/Team files (1)/shop", "/Volumes/stick")
        print([disk.mount_kind(place) for place in places], len(asked))
    """
    assert run(mac, code) == "[None, 'nfs', 'smbfs', None] 3"
