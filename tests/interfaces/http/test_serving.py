"""The program: it takes its address or says why not, works as several processes, and ends well."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path

import httpx2

from tests.background import wait_until
from tests.clients.installed import PROGRAM
from tests.hooking import HUNG_S
from tests.interfaces.http.served import parts, program


def children(pid: int) -> list[int]:
    """Return the processes that a process has started and that serve."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            parent = stat.read_text().rpartition(")")[2].split()[1]
            if parent == str(pid) and b"spawn_main" in (stat.parent / "cmdline").read_bytes():
                found.append(int(stat.parent.name))
    return found


def sockets(pid: int) -> int:
    """Return how many sockets a process has open."""
    return sum(os.readlink(one).startswith("socket:") for one in Path(f"/proc/{pid}/fd").iterdir())


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


def test_several_workers_serve_count_together_and_stop_together(project: Path) -> None:
    with program(project, "--workers", "2") as running:
        parent = running.process.pid
        wait_until(lambda: len(children(parent)) == 2, "one worker did not come")
        ask = running.asking
        for number in range(20):
            with httpx2.Client(trust_env=False) as fresh:
                headers = {"Authorization": f"Bearer {ask.token}"}
                added = fresh.post(
                    f"{ask.url}/api/memories", headers=headers, json={"content": f"Fact {number}"}, timeout=HUNG_S
                )
                assert added.status_code == 200
        assert 'holdfast_requests_total{operation="add",status="200"} 20' in ask("GET", "/metrics").text
        first, *_ = workers = children(parent)
        os.kill(first, signal.SIGKILL)
        wait_until(lambda: len({first, *children(parent)}) == 3, "no worker took the place of the one killed")
        running.wait_until_healthy()
        assert len(ask("GET", "/api/memories").json()) == 20
        assert 'holdfast_requests_total{operation="add",status="200"} 20' in ask("GET", "/metrics").text
        workers = children(parent)
        running.stop()
        assert [pid for pid in workers if Path(f"/proc/{pid}").exists()] == []


def test_clients_that_come_at_once_are_shared_out(project: Path) -> None:
    """The first worker to wake does not take every connection."""
    with program(project, "--workers", "2") as running:
        for _ in range(30):  # until both have come up; anew each time
            held = [socket.create_connection(("127.0.0.1", running.asking.port)) for _ in range(40)]
            counts: list[int] = []
            for _ in range(20):
                time.sleep(0.1)
                with contextlib.suppress(OSError):  # one may just have gone
                    counts = [sockets(pid) for pid in children(running.process.pid)]
                if len(counts) == 2 and min(counts) >= 12:
                    break
            for one in held:
                one.close()
            if len(counts) == 2 and min(counts) >= 12:
                return
        raise AssertionError("one took nearly all")


def test_workers_do_not_outlive_the_process_that_started_them(project: Path) -> None:
    with program(project, "--workers", "2") as running:
        workers = children(running.process.pid)
        running.process.kill()
        running.process.wait(HUNG_S)
        wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in workers), "they did")


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
