"""Makes a process look to holdfast, and to nobody else, as if it ran on Windows or macOS.

The modules of holdfast import through a door of their own: what they get as `os`, `sys` and the like stands in for
the real one, lacks what is missing there, and refuses what is refused there. The standard library and the packages
of others see Linux, as it is. What cannot be told this way: how the real systems differ from what we believe.
"""

import builtins
import errno
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

POSIX_ONLY = ("fcntl", "grp", "pty", "pwd", "resource", "termios", "tty")
"""Modules that Windows has not."""

_MISSING_OS = """
fork forkpty setsid setpgid getuid geteuid getgid getegid getgroups getpgid getpgrp killpg fchmod fchown chown
lchown pread pwrite posix_spawn posix_spawnp POSIX_SPAWN_OPEN nice sysconf statvfs ST_RDONLY fdatasync mkfifo
sched_getaffinity getloadavg O_NOFOLLOW O_NONBLOCK O_DIRECTORY O_CLOEXEC O_SYNC O_DSYNC WNOHANG waitid uname
""".split()
_MISSING_SIGNAL = "SIGALRM SIGHUP SIGKILL SIGCHLD SIGUSR1 SIGUSR2 SIGSTOP SIGPIPE setitimer alarm pause".split()
_BINARY = 0x8000000
_IN_USE = 32


class StandIn(types.ModuleType):
    """A module with some names missing and some replaced; everything else, set or read, is the real one's."""

    def __init__(self, real: types.ModuleType, missing: Sequence[str] = (), **replaced: object) -> None:
        super().__init__(real.__name__)
        object.__setattr__(self, "_real", real)
        object.__setattr__(self, "_missing", frozenset(missing))
        for name, value in replaced.items():
            object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> Any:
        if name in self._missing:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}", name=name)
        return getattr(self._real, name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self._real, name, value)


def disguise(platform: str) -> None:
    """Let holdfast believe from now on that it runs there."""
    modules, absent = (_windows(), POSIX_ONLY) if platform == "win32" else (_macos(), ("msvcrt", "_winapi"))
    sys.meta_path.insert(0, _Door(modules, absent))


class _Door(importlib.abc.MetaPathFinder):
    """Finds the modules of holdfast where they are, and lets them import through us."""

    def __init__(self, modules: Mapping[str, types.ModuleType], absent: Sequence[str]) -> None:
        self._builtins = dict(vars(builtins)) | {"__import__": _importer(modules, absent)}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname.partition(".")[0] != "holdfast":
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is not None and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            spec.loader = _Loader(fullname, spec.loader.path, self._builtins)
        return spec


class _Loader(importlib.machinery.SourceFileLoader):
    def __init__(self, name: str, path: str, own_builtins: dict[str, object]) -> None:
        super().__init__(name, path)
        self._builtins = own_builtins

    def exec_module(self, module: types.ModuleType) -> None:
        module.__dict__["__builtins__"] = self._builtins
        super().exec_module(module)


def _importer(modules: Mapping[str, types.ModuleType], absent: Sequence[str]) -> Callable[..., types.ModuleType]:
    real_import = builtins.__import__

    def importing(name: str, *rest: Any, **named: Any) -> types.ModuleType:
        top = name.partition(".")[0]
        if top in absent:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return modules[top] if top in modules else real_import(name, *rest, **named)

    return importing


# ── Windows ──────────────────────────────────────────────────────────────────────────────────────────────


def _windows() -> dict[str, types.ModuleType]:
    import select
    import signal
    import socket
    import subprocess
    import time

    refusing = {
        "replace": _refusing(os.replace),
        "rename": _refusing(_rename_nothing_over),
        "unlink": _refusing(os.unlink),
        "remove": _refusing(os.remove),
    }
    _refuse_in_pathlib(refusing)
    own_os = StandIn(
        os, _MISSING_OS, O_BINARY=_BINARY, open=_open, fsync=_fsync, kill=_kill, **refusing, link=os.link
    )
    flags = {"CREATE_NO_WINDOW": 1, "CREATE_NEW_PROCESS_GROUP": 2, "BELOW_NORMAL_PRIORITY_CLASS": 4}
    return {
        "os": own_os,
        "sys": StandIn(sys, platform="win32"),
        "signal": StandIn(signal, _MISSING_SIGNAL),
        "select": StandIn(select, ("poll", "epoll"), select=_select),
        "socket": StandIn(socket, ("AF_UNIX",), SO_EXCLUSIVEADDRUSE=socket.SO_KEEPALIVE),
        "time": StandIn(time, ("clock_gettime", "CLOCK_BOOTTIME")),
        "subprocess": StandIn(subprocess, (), **flags, CREATE_BREAKAWAY_FROM_JOB=8, Popen=_Process),
        "msvcrt": _msvcrt(),
    }


def _open(path: Any, flags: int, mode: int = 0o777) -> int:
    """As bytes or not at all: nothing of ours is text to the system. No directory is opened."""
    assert flags & _BINARY, f"{path} is opened as text"
    if os.path.isdir(path):
        raise PermissionError(errno.EACCES, "Permission denied", str(path))
    return os.open(path, flags & ~_BINARY, mode)


def _fsync(handle: int) -> None:
    import fcntl

    if fcntl.fcntl(handle, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
        raise OSError(errno.EBADF, "Bad file descriptor")
    os.fsync(handle)


def _kill(pid: int, number: int) -> None:
    assert number, "zero is Ctrl-C there: it would end whom it asks after"
    os.kill(pid, number)


def _select(readers: Sequence[object], *rest: object) -> object:
    raise OSError(10038, "An operation was attempted on something that is not a socket")


def _rename_nothing_over(source: Any, target: Any) -> None:
    if os.path.lexists(target):
        raise FileExistsError(errno.EEXIST, "File exists", str(target))
    os.rename(source, target)


def _refusing(act: Callable[..., None]) -> Callable[..., None]:
    """Refuse to act on a file that this process has open or mapped."""

    def refusing(*places: Any) -> None:
        for place in places:
            if _in_use(place):
                error = PermissionError(errno.EACCES, "it is being used by another process", str(place))
                error.winerror = _IN_USE  # type: ignore[attr-defined]  # as Windows has it
                raise error
        act(*places)

    return refusing


def _in_use(place: Any) -> bool:
    try:
        wanted = os.lstat(place)
    except OSError:
        return False
    for handle in os.listdir("/proc/self/fd"):
        try:
            if os.path.samestat(os.stat(f"/proc/self/fd/{handle}"), wanted):
                return True
        except OSError:
            continue  # the handle of the list itself
    real = os.path.realpath(place)
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as file:
        return any(line.rstrip("\n").endswith(f" {real}") for line in file)


def _refuse_in_pathlib(refusing: Mapping[str, Callable[..., None]]) -> None:
    def unlink(self: Path, missing_ok: bool = False) -> None:
        try:
            refusing["unlink"](self)
        except FileNotFoundError:
            if not missing_ok:
                raise

    def replace(self: Path, target: Any) -> Path:
        refusing["replace"](self, target)
        return type(self)(target)

    def rename(self: Path, target: Any) -> Path:
        refusing["rename"](self, target)
        return type(self)(target)

    for own in (unlink, replace, rename):
        setattr(Path, own.__name__, own)


def _msvcrt() -> types.ModuleType:
    """Byte locks, one for each open file: that is what flock is here."""
    import fcntl

    def locking(handle: int, mode: int, size: int) -> None:
        assert os.lseek(handle, 0, os.SEEK_CUR) > 16 << 20, "nobody could read the byte that is locked"
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise PermissionError(errno.EACCES, "Permission denied") from None

    module = types.ModuleType("msvcrt")
    module.__dict__.update(LK_NBLCK=2, locking=locking)
    return module


class _Process:
    """A process started with flags of Windows; in a job that lets nobody out, asking to be let out is refused."""

    def __new__(cls, command: Sequence[str], creationflags: int = 0, **options: Any) -> Any:
        import subprocess

        if creationflags & 8:
            raise PermissionError(errno.EACCES, "Access is denied")
        if creationflags:
            assert creationflags & 1, "a window would open"
            options["start_new_session"] = True
        return subprocess.Popen(command, **options)


# ── macOS ────────────────────────────────────────────────────────────────────────────────────────────────


def _macos() -> dict[str, types.ModuleType]:
    import fcntl
    import time

    own_path = StandIn(os.path, (), realpath=_realpath)
    Path.resolve = lambda self, strict=False: type(self)(_realpath(self))  # type: ignore[method-assign]  # for good
    return {
        "os": StandIn(os, ("fdatasync", "sched_getaffinity"), posix_spawn=_posix_spawn, path=own_path),
        "sys": StandIn(sys, platform="darwin"),
        "fcntl": StandIn(fcntl, (), F_FULLFSYNC=51, F_GETPATH=50, fcntl=_fcntl),
        "time": StandIn(time, ("CLOCK_BOOTTIME",)),
    }


def _fcntl(handle: int, command: int, argument: Any = 0) -> Any:
    """Two commands that Linux has not: the drive's own flush, and the name of what is open, as it was given."""
    import fcntl

    if command == 51:
        return os.fsync(handle)
    if command == 50:
        return os.fsencode(os.readlink(f"/proc/self/fd/{handle}")).ljust(len(argument), b"\0")
    return fcntl.fcntl(handle, command, argument)


def _posix_spawn(*words: Any, setsid: bool = False, **options: Any) -> int:
    if setsid:
        raise NotImplementedError("setsid")
    return os.posix_spawn(*words, **options)


def _realpath(path: Any, **options: Any) -> str:
    """A link to the same name in other letters stands for a disk on which letters do not matter: it is followed
    when a file is opened, and by no path."""
    parts = os.path.abspath(path).split("/")
    place = ""
    for part in parts[1:]:
        below = f"{place}/{part}"
        is_link = os.path.islink(below) and os.readlink(below).lower() != part.lower()
        place = os.path.realpath(below) if is_link else below
    return place or "/"
