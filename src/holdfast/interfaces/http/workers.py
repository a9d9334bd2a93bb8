"""Several processes on one socket: each takes one connection at a time, so that none has all of them.

asyncio accepts as many connections as wait, in one go; of a hundred clients that come at once, the first worker to
wake would serve every one and the others none.
"""

import socket
from typing import Any

import uvicorn
from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors.multiprocess import Multiprocess, Process


class Sharing(socket.socket):
    """A listening socket that lets others have the next connection."""

    def __init__(self, *words: Any, **options: Any) -> None:
        super().__init__(*words, **options)
        self._had_one = False

    def accept(self) -> tuple[socket.socket, Any]:
        self._had_one = not self._had_one
        if not self._had_one:
            raise BlockingIOError
        return super().accept()


class Worker(Process):
    """One process that serves."""

    def target(self, sockets: list[socket.socket] | None = None) -> None:
        super().target([Sharing(fileno=one.detach()) for one in sockets or ()])


class Workers(Multiprocess):
    """The parent: it starts workers, replaces one that dies or hangs, and stops them all."""

    def init_processes(self) -> None:
        self.processes = [self._started() for _ in range(self.processes_num)]

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
            self.processes[place] = self._started()

    def _started(self) -> Worker:
        worker = Worker(self.config, self.sockets)
        worker.start()
        return worker


def run_workers(config: uvicorn.Config, listening: socket.socket) -> None:
    """Serve until a signal ends it."""
    Workers(config, [listening]).run()
