"""`holdfast view` as a process of its own: an address that lets one person in, until the terminal is closed."""

import getpass
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from holdfast.interfaces.python import Holdfast
from tests.clients.installed import PROGRAM
from tests.hooking import HUNG_S

QUEUE = "We settled on Postgres LISTEN/NOTIFY for the job queue"


@pytest.fixture
def viewed(project: Path) -> "Iterator[subprocess.Popen[str]]":
    """The command, on a project that remembers something."""
    with Holdfast.open(project) as memory:
        memory.add(QUEUE, trust="user")
    with subprocess.Popen(
        [PROGRAM, "view", "--no-open"],
        cwd=project,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        yield process
        process.kill()


def entered(process: "subprocess.Popen[str]") -> tuple[httpx2.Client, str]:
    """Follow the address that the command prints, as the page does; return the client and the code."""
    assert process.stdout
    match = re.fullmatch(r"(http://127\.0\.0\.1:\d+)/#code=(\S+)\n", process.stdout.readline())
    assert match
    client = httpx2.Client(base_url=match[1], timeout=HUNG_S, trust_env=False)
    client.headers |= {"Origin": match[1], "Holdfast-Viewer": "1"}
    return client, match[2]


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="a terminal's end is no signal here")
def test_it_lets_one_person_in_and_ends_with_the_terminal(viewed: "subprocess.Popen[str]") -> None:
    client, code = entered(viewed)
    with client:
        assert client.get("/viewer/api/entry").json() == {"local": True}
        signed_in = client.post("/viewer/api/login", json={"code": code}).json()
        assert (signed_in["me"]["person"], signed_in["me"]["name"]) == (True, getpass.getuser())
        assert client.post("/viewer/api/login", json={"code": code}).status_code == 401
        client.headers["Authorization"] = f"Bearer {signed_in['session']}"
        [item] = client.get("/viewer/api/timeline").json()["items"]
        assert item["title"] == QUEUE
        client.post(f"/api/memories/{item['id']}/confirm", json={})
        log = client.get("/api/log", params={"action": "confirm"}).json()
        assert [event["actor"] for event in log] == ["view"]
    viewed.send_signal(signal.SIGHUP)
    assert viewed.wait(HUNG_S) == 0


CLOSED_IN_A_REQUEST = """
import signal, sys
from holdfast.interfaces.cli.entry import main
from holdfast.interfaces.http import serve


class ClosedInARequest(serve.App):
    async def __call__(self, scope, receive, send):
        if scope["type"] == "http":
            signal.raise_signal(signal.SIGHUP)
        await super().__call__(scope, receive, send)


serve.App = ClosedInARequest
sys.argv = ["holdfast", "view", "--no-open"]
main()
"""


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="a terminal's end is no signal here")
def test_a_terminal_closed_while_a_request_is_answered_ends_it_after_the_answer(project: Path) -> None:
    """An exit raised there was taken for the request's failure, and the server went on for ever."""
    with Holdfast.open(project) as memory:
        memory.add(QUEUE, trust="user")
    with subprocess.Popen(
        [sys.executable, "-c", CLOSED_IN_A_REQUEST],
        cwd=project,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        client, _ = entered(process)
        with client:
            assert client.get("/viewer/api/entry").json() == {"local": True}
        assert process.wait(HUNG_S) == 0


def test_an_agent_cannot_let_itself_in(project: Path) -> None:
    """It would be taken for the person at the machine."""
    with Holdfast.open(project) as memory:
        memory.add(QUEUE)
    refused = subprocess.run(
        [PROGRAM, "view", "--no-open"],
        cwd=project,
        env={**os.environ, "CLAUDECODE": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=HUNG_S,
        check=False,
    )
    assert refused.returncode != 0
    assert "#code=" not in refused.stdout + refused.stderr
