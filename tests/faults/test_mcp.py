"""Several agents at once, each with a server of its own on one store; and a server that is called very often."""

import concurrent.futures
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from holdfast import Holdfast
from tests.faults.processes import inconsistencies
from tests.interfaces.mcp.talk import Program, call, greeting, request, started


def busy_agent(project: Path, name: str, rounds: int) -> list[dict[str, Any]]:
    """Add, search, read and update through a server of one's own; return the answers."""
    with started(project) as server:
        server.ask(greeting(clientInfo={"name": name, "version": "1"}))
        answers = []
        for number in range(rounds):
            added = server.ask(call(4 * number, "memory_add", content=f"Note {number} of {name}, and why"))
            memory_id = added["result"]["structuredContent"]["id"]
            answers += [
                added,
                server.ask(call(4 * number + 1, "memory_search", query=f"note of {name}")),
                server.ask(call(4 * number + 2, "memory_get", ids=[memory_id])),
                server.ask(call(4 * number + 3, "memory_update", id=memory_id, importance=0.8)),
            ]
        assert server.hang_up()[1:] == (b"", 0)
    return answers


def test_agents_with_a_server_each_share_one_store_without_a_lock_error(project: Path) -> None:
    """The store itself is made by whichever comes first."""
    names = ["one", "two", "three"]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        answers = [one for part in pool.map(lambda name: busy_agent(project, name, 8), names) for one in part]
    assert [one for one in answers if "result" not in one] == []
    with Holdfast.open(project) as memory:
        kept = memory.list(limit=1000)
    assert len(kept) == 24
    assert {one.agent for one in kept} == set(names)
    assert inconsistencies(project) == []


def test_a_call_waits_for_another_writer_instead_of_failing(project: Path) -> None:
    with Holdfast.open(project) as memory:
        memory.add("There is a store")
    with started(project) as server:
        server.ask(greeting())
        server.ask(call(1, "memory_stats"))
        holder = subprocess.Popen(
            [sys.executable, "-c", HOLDING, str(project / ".holdfast" / "memory.db")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert holder.stdout
        assert holder.stdout.readline() == "held\n"
        server.send(call(2, "memory_add", content="Said while another process wrote"), request(3, "ping"))
        assert server.receive()["id"] == 3  # the server goes on while a call waits
        holder.communicate("let go\n")
        assert server.receive()["result"]["structuredContent"]["created"]


HOLDING = """
import apsw, sys
held = apsw.Connection(sys.argv[1])
held.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.readline()
held.execute("ROLLBACK")
"""


@pytest.mark.soak
def test_ten_thousand_calls_in_a_row_are_answered_and_leak_nothing(project: Path) -> None:
    with started(project) as server:
        server.ask(greeting())
        for number in range(200):
            assert "result" in server.ask(call(number, "memory_add", content=f"Note {number} on the gateway"))
        before = resident(server)
        for number in range(10_000):
            answer = server.ask(odd_or_even(number))
            assert answer["id"] == number
            assert ("error" in answer) is (number % 5 == 4)
        assert resident(server) - before < 20
        assert server.hang_up() == (b"", b"", 0)


def odd_or_even(number: int) -> dict[str, Any]:
    """Return a call; every fifth is a mistake."""
    kinds = [
        call(number, "memory_search", query=f"gateway {number}", mode="keyword"),
        call(number, "memory_stats"),
        call(number, "memory_recall", query="gateway", k=2),
        call(number, "memory_get", ids=["00000000"]),
        call(number, "memory_search", query=number),
    ]
    return kinds[number % 5]


def resident(server: Program) -> float:
    """Return the megabytes that a server holds."""
    lines = Path(f"/proc/{server.process.pid}/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))
