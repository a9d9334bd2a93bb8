"""The program: it takes its address or says why not, works as several processes, and ends well."""

import json
import signal
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import pytest

from tests.background import wait_until
from tests.clients.installed import PROGRAM
from tests.hooking import HUNG_S
from tests.interfaces.http.served import Program, parts, program


def test_a_port_that_is_taken_is_a_clear_failure(project: Path) -> None:
    """What listens there is a stranger, who hears nothing of us."""
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        port = stranger.getsockname()[1]
        words = [PROGRAM, "serve", "--port", str(port)]
        done = subprocess.run(words, cwd=project, capture_output=True, text=True, timeout=HUNG_S)
        assert done.returncode == 13
        assert f"Cannot listen on 127.0.0.1:{port}" in done.stderr
        assert "--port" in done.stderr
        assert len(done.stderr.splitlines()) <= 2
        stranger.settimeout(0.1)
        try:
            stranger.accept()
        except TimeoutError:
            return
    raise AssertionError("somebody talked to the stranger")


def test_it_serves_logs_without_content_and_ends_well(project: Path) -> None:
    with program(project) as running:
        said = "Deploy on Tuesdays, says tulip"
        assert running.asking("POST", "/api/memories", json={"content": said}).status_code == 200
        assert running.asking("GET", "/api/search?q=tulip").json()
        running.asking("GET", "/api/memories/tulip")
        assert running.stop() in (0, -signal.SIGTERM)
        lines = [json.loads(line) for line in running.log.splitlines() if line.startswith("{")]
        requests = [line for line in lines if line["event"] == "request"]
        assert {line["operation"] for line in requests} >= {"add", "search_for", "get_one"}
        assert {"at", "level", "method", "status", "ms", "token"} <= set(requests[-1])
        assert "tulip" not in running.log
        assert parts(running.asking.token)[1] not in running.log


def test_requests_under_way_are_answered_before_it_ends_and_streams_are_closed(project: Path) -> None:
    with program(project) as running:
        ask = running.asking
        many = {"items": [{"content": f"Fact number {one} of many"} for one in range(300)]}
        answered: list[int] = []
        ended = threading.Event()

        def listen() -> None:
            headers = {"Authorization": f"Bearer {ask.token}"}
            with httpx2.stream(
                "GET", f"{ask.url}/api/events", headers=headers, timeout=HUNG_S, trust_env=False
            ) as stream:
                for _ in stream.iter_bytes():
                    pass
            ended.set()

        def add() -> None:
            answered.append(ask("POST", "/api/memories/batch", json=many).status_code)

        threads = [threading.Thread(target=listen), threading.Thread(target=add)]
        for thread in threads:
            thread.start()
        wait_until(lambda: answered or "in_flight 3" in ask("GET", "/metrics").text, "they were not asked")
        running.process.terminate()
        for thread in threads:
            thread.join(HUNG_S)
        assert answered == [200]
        assert ended.is_set()
        assert running.process.wait(HUNG_S) in (0, -signal.SIGTERM)


HANGS = """
import sys, threading
from holdfast.interfaces.cli.entry import main
from holdfast.interfaces.http import projects
from holdfast.service.service import Service

projects.STOPPING_S = 0
projects.CLOSING_S = 0.1


def hang(_):
    print("begun", flush=True)
    threading.Event().wait()


Service.stats = hang
sys.argv = ["holdfast", "serve", "--port", "0"]
main()
"""


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="a terminal's end is no signal here")
def test_it_ends_on_every_signal_though_a_request_hangs(project: Path) -> None:
    """Ctrl-C, a supervisor, a terminal that closes; the client hears that it may have been done."""
    ends = {}
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        with Program(project, command=(sys.executable, "-c", HANGS)) as running, ThreadPoolExecutor(1) as client:
            stats = client.submit(running.asking, "GET", "/api/stats")
            assert running.process.stdout
            assert running.process.stdout.readline() == "begun\n"
            running.process.send_signal(number)
            ends[number.name] = (stats.result(HUNG_S).status_code, running.process.wait(HUNG_S))
    assert ends == {"SIGINT": (503, 0), "SIGTERM": (503, 0), "SIGHUP": (503, 0)}
