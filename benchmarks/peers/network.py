"""Whether a memory tries to reach somebody: a process out of the box, traced, where nobody can be reached."""

import re
import shutil
from pathlib import Path

from benchmarks.peers.adapters.protocol import Entry
from benchmarks.peers.client import PeerFailed, Running, without_network
from benchmarks.peers.environments import Peer

_ADDRESS = re.compile(r'sin6?_port=htons\((\d+)\).*?inet_(?:addr|pton)\((?:AF_INET6?, )?"([^"]+)"')
_LOOPBACK = re.compile(r"127\.|::1$|::ffff:127\.")
_NAMES = 53
"""The port of name servers: asking one is a try, even where it is on this machine."""


def reached(peer: Peer, place: Path) -> str | None:
    """Add, search and close under strace; say how often it tried, or None where that cannot be seen safely."""
    if not shutil.which("strace") or not without_network():
        return None
    place.mkdir(parents=True)
    trace = place / "trace.txt"
    wrapper = ("strace", "-f", "--seccomp-bpf", "-qq", "-e", "trace=connect,sendto,sendmmsg", "-o", str(trace))
    running = Running(peer, place, wrapper)
    try:
        running.open()
        running.add([Entry("a", "The store is one file"), Entry("b", "Tests run on two cores")])
        running.ask("settle")
        running.search("how many cores", 2)
    except PeerFailed as problem:
        return f"failed: {problem}"
    finally:
        running.end()
    tries = attempts(trace.read_text("utf-8", errors="replace"))
    return f"{tries} tries" if tries else "no"


def attempts(trace: str) -> int:
    """Count the calls of a trace that go to somebody outside, or ask for a name."""
    targets = (found for line in trace.splitlines() if (found := _ADDRESS.search(line)))
    return sum(int(target[1]) == _NAMES or not _LOOPBACK.match(target[2]) for target in targets)
