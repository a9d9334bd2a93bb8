"""Several processes on one socket: who has many connections lets others have the next, so that none has all.

asyncio accepts as many connections as wait, in one go; of a hundred clients that come at once, the first worker to
wake would serve every one and the others none.
"""

import socket
from collections.abc import Callable
from typing import Any

import uvicorn
from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors.multiprocess import Multiprocess, Process

MOST_PASSES = 20
"""How often a worker lets a connection wait for another worker; each time takes a turn of the loop."""


class SharedListener(socket.socket):
    """A listening socket: the more clients this process has, the longer it leaves the next one to others."""

    def __init__(self, fileno: int, clients: Callable[[], int]) -> None:
        super().__init__(fileno=fileno)
        self._clients = clients
        self._passed_count = 0

    def accept(self) -> tuple[socket.socket, Any]:
        if self._passed_count < min(self._clients(), MOST_PASSES):
            self._passed_count += 1
            raise BlockingIOError
        self._passed_count = 0
        return super().accept()


class Worker(Process):
    """One process that serves."""

    def target(self, sockets: list[socket.socket] | None = None) -> None:
        open_ones = self.server.server_state.connections
        super().target([SharedListener(listener.detach(), lambda: len(open_ones)) for listener in sockets or ()])


class Workers(Multiprocess):
    """The parent: it starts workers, replaces one that dies or hangs, and stops them all."""

    def init_processes(self) -> None:
        self.processes = [self._start_worker() for _ in range(self.processes_num)]

    def keep_subprocess_alive(self) -> None:
        for place, worker in enumerate(self.processes):
            if self.should_exit.is_set():
                return
            if worker.is_alive(timeout=self.config.timeout_worker_healthcheck):
                continue
            worker.kill()
            worker.join()
            if worker.exitcode == STARTUP_FAILURE:  # it would fail again
                self.should_exit.set()
                return
            self.processes[place] = self._start_worker()

    def _start_worker(self) -> Worker:
        worker = Worker(self.config, self.sockets)
        worker.start()
        return worker


def run_workers(config: uvicorn.Config, listening: socket.socket) -> None:
    """Serve until a signal ends it."""
    Workers(config, [listening]).run()
