"""What processes asked the kernel for: strace run over them and everything they start, and its lines read."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

_CHANGES = (
    "creat", "rename", "renameat", "renameat2", "unlink", "unlinkat", "rmdir", "mkdir", "mkdirat", "link",
    "linkat", "symlink", "symlinkat", "mknod", "mknodat", "truncate", "chmod", "fchmodat", "fchmodat2", "chown",
    "lchown", "fchownat", "setxattr", "lsetxattr",
)  # fmt: skip
_OPENS = ("open", "openat", "openat2")
_FILTER = ",".join(["%network", *(f"?{name}" for name in (*_OPENS, *_CHANGES))])
"""Which calls are traced; `?` because not every architecture has every one."""

MARK = "/mark/"
"""A file below this, which is not there, is asked for where something new begins."""

_LINE = re.compile(r"(\d+) +(\w+)\((.*)\) += (-?\d+|\?)(.*)")
_CUT = re.compile(r"(\d+) +(.*) <unfinished \.\.\.>")
_REST = re.compile(r"(\d+) +<\.\.\. \w+ resumed>(.*)")
_FATE = re.compile(r"\d+ +(?:\+\+\+|---) ")
_PATH = re.compile(r'(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"(?:\.\.\.)?')
_ESCAPE = re.compile(r"\\([0-7]{1,3}|.)")


class Call(NamedTuple):
    """One call: during what, its name, its arguments as strace prints them, what came of it (None: nothing)."""

    mark: str
    name: str
    arguments: str
    result: int | None

    @property
    def paths(self) -> list[str]:
        """The paths among its arguments, from the directory that each is meant from."""
        return [os.path.join(place, _unescaped(name)) for place, name in _PATH.findall(self.arguments)]

    @property
    def changes_files(self) -> bool:
        """Whether it is one that makes, changes or removes a file."""
        return self.name in _CHANGES

    @property
    def opens(self) -> bool:
        """Whether it opens a file."""
        return self.name in _OPENS


def mark(label: str) -> None:
    """Let the trace tell what begins now."""
    try:
        os.close(os.open(MARK + label, os.O_RDONLY))
    except FileNotFoundError:
        return


def calls(lines: Iterable[str]) -> Iterator[Call]:
    """Read the lines of strace; one that is neither a call nor the fate of a process is an error."""
    label = ""
    for line in _whole(lines):
        call = _LINE.fullmatch(line)
        if call is None:
            assert _FATE.match(line), line
            continue
        found = Call(label, call[2], call[3], None if call[4] == "?" else int(call[4]))
        if found.opens and found.paths and found.paths[0].startswith(MARK):
            label = found.paths[0].removeprefix(MARK)
        else:
            yield found


def _whole(lines: Iterable[str]) -> Iterator[str]:
    """Put together what was cut in two, because another process called something in between."""
    begun: dict[str, str] = {}
    for line in lines:
        if cut := _CUT.fullmatch(line):
            begun[cut[1]] = cut[2]
        elif rest := _REST.fullmatch(line):
            yield f"{rest[1]} {begun.pop(rest[1])}{rest[2]}"
        else:
            yield line


def _unescaped(text: str) -> str:
    """Return what strace wrote in C's manner."""

    def plain(found: re.Match[str]) -> str:
        return chr(int(found[1], 8)) if found[1].isdigit() else found[1]

    return _ESCAPE.sub(plain, text)


def require_strace() -> None:
    """Skip a test where there is no strace or it may not trace; in CI that is a failure."""
    problem = "strace is not installed (apt-get install strace)"
    if shutil.which("strace"):
        tried = subprocess.run(["strace", "-f", "-o", "/dev/null", "true"], capture_output=True, text=True)
        problem = f"strace may not trace here: {tried.stderr.strip()}" if tried.returncode else ""
    if problem and os.environ.get("CI"):
        pytest.fail(problem)
    if problem:
        pytest.skip(problem)


def traced(
    command: list[str], log: Path, cwd: Path, environment: Mapping[str, str], within: tuple[str, ...] = ()
) -> list[Call]:
    """Run a command to its end and that of all it started; return what they asked for. It must succeed."""
    strace = ["strace", "-f", "-y", "-s", "0", "--seccomp-bpf", "-e", f"trace={_FILTER}", "-o", str(log)]
    done = subprocess.run(
        [*within, *strace, *command], cwd=cwd, env=dict(environment), capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout[-4_000:] + done.stderr[-4_000:]
    return list(calls(log.read_text("utf-8", "replace").splitlines()))


PYTHON = sys.executable
