"""Which of the calls of a trace are no business of ours: traffic that leaves the machine, files of others."""

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from tests.traced.trace import Call

_ADDRESS = re.compile(r"(?:msg_name=|, )\{sa_family=(AF_\w+)([^{}]*)\}(?:, msg_namelen|, \[?\d+\]?$)")
_HOST = re.compile(r'"([^"]*)"')
_PORT = re.compile(r"_port=htons\((\d+)\)")
_WRITING = re.compile(r"\bO_(?:WRONLY|RDWR|CREAT|TRUNC|APPEND|TMPFILE)\b")
_LOOPBACK = re.compile(r"127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+")
_DNS_PORTS = ("53", "853", "5353")
"""A resolver on this machine asks others, so that a question to it leaves the machine as well."""
_RESOLVING = ("/etc/resolv.conf", "/etc/gai.conf")
"""Who reads these is about to ask what address a name has."""
_DEVICES = ("/dev/null", "/dev/tty")


class Places(NamedTuple):
    """Where files may be made and changed: below `own`; besides, by what is being done, files of these patterns.

    The directories that `own` lies in may be made.
    """

    own: Sequence[str]
    besides: Mapping[str, Sequence[str]] = {}

    def allow(self, path: str, mark: str) -> bool:
        """Say whether a file may be changed while something is done."""
        if path in _DEVICES or _is_bytecode(path):
            return True
        if any(path == place or path.startswith(f"{place}/") for place in self.own):
            return True
        return any(fnmatchcase(path, pattern) for pattern in self.besides.get(mark, ()))


def surprises(calls: Iterable[Call], places: Places) -> list[str]:
    """Say, each thing once, what nobody who reads the README would expect."""
    found = {f"{call.mark}: {problem}" for call in calls for problem in _problems(call, places)}
    return sorted(found)


def _problems(call: Call, places: Places) -> Iterator[str]:
    if call.changes_files or (call.opens and _WRITING.search(call.arguments)):
        yield from _files(call, places)
    elif call.opens:
        yield from (f"looks a name up: reads {path}" for path in call.paths if path in _RESOLVING)
    else:
        yield from _traffic(call, places)


def _files(call: Call, places: Places) -> Iterator[str]:
    if call.result is not None and call.result < 0 and not call.opens:
        return  # it was there already, or is not there: nothing was changed
    paths = call.paths[1:] if call.name.startswith("symlink") else call.paths
    for path in map(os.path.normpath, paths):
        makes_way = call.name == "mkdir" and any(place.startswith(f"{path}/") for place in places.own)
        if not (makes_way or places.allow(path, call.mark)):
            yield f"{call.name} {path}"


def _traffic(call: Call, places: Places) -> Iterator[str]:
    if call.name not in ("connect", "bind", "sendto", "sendmsg", "sendmmsg"):
        return
    for family, rest in _ADDRESS.findall(call.arguments):
        host = "".join(_HOST.findall(rest)[:1])
        port = "".join(_PORT.findall(rest))
        match family:
            case "AF_UNIX":
                if host and not places.allow(host, call.mark):
                    yield f"{call.name} to the socket {host}"
            case "AF_INET" | "AF_INET6":
                if not _LOOPBACK.fullmatch(host) or port in _DNS_PORTS:
                    yield f"{call.name} {host} port {port}"
            case "AF_NETLINK" | "AF_UNSPEC":
                continue  # the kernel itself, and the end of a connection
            case _:
                yield f"{call.name} over {family}"


def _is_bytecode(path: str) -> bool:
    """Python keeps the compiled form of what it imports beside it."""
    return "/__pycache__" in path and path.startswith((sys.prefix, sys.base_prefix, _source()))


def _source() -> str:
    import holdfast

    return os.path.dirname(os.path.dirname(os.path.dirname(str(holdfast.__file__))))
