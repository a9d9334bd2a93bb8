"""Services, kept open between requests, and the threads that use them.

A store has one connection, so requests that run at once need several services of a project. A service that is
not used for a while is closed, which also writes what it holds back for its log of accesses. A request waits for
its thread so long and no longer, nor does the end of the server.

Where requests compute in this process, a `Gate` lets one after another in, and a second one beside a first that
takes long: two threads that compute at once get through less than one does, for they share Python's lock, and
each has a connection with caches of its own. But nobody is to wait for somebody else's long work.
"""

import asyncio
import contextlib
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from msgspec import Struct

from holdfast.errors import ServerBusy, StoreError, StoreInDoubt, StoreReplaced, StoreSlow, StoreUnreachable
from holdfast.interfaces.http import monitoring
from holdfast.machine.environment import statements_within
from holdfast.model.actor import ADMIN, Actor, Token
from holdfast.service.service import Service
from holdfast.storage.tenancy import Key, ServiceKey, ServiceSource

T = TypeVar("T")
STOPPING_S = 10
"""How long requests under way may take when the server stops."""

CLOSING_S = 2.0
"""How long closing may take once nothing is waited for any more: a store that hangs stops no server."""


class Work:
    """The threads of the server. One token has three quarters of them at most, and waits here for more."""

    def __init__(self, threads: int) -> None:
        self._threads = ThreadPoolExecutor(threads, "holdfast")
        self._under_way: set[Future[Any]] = set()
        share = max(1, threads - max(1, threads // 4))
        self._shares: defaultdict[str, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(share))

    async def finished(self, act: Callable[[], T], within_s: float | None = None, owner: str = "") -> T:
        """Return the result. When it takes too long the client is told what became of it instead.

        A share is given back when the thread is free, not when the client stops waiting for it.
        """
        began = time.monotonic()
        share = self._shares[owner]
        try:
            async with asyncio.timeout(within_s):
                await share.acquire()
        except TimeoutError:
            raise too_late(within_s or 0.0, cancelled=True) from None
        future = self._threads.submit(act)
        self._under_way.add(future)
        future.add_done_callback(self._under_way.discard)
        wrapped_future = asyncio.wrap_future(future)
        wrapped_future.add_done_callback(lambda _: share.release())
        left_s = None if within_s is None else max(0.0, within_s - (time.monotonic() - began))
        finished_tasks, _ = await asyncio.wait([wrapped_future], timeout=left_s)
        if not finished_tasks:
            raise too_late(within_s or 0.0, future.cancel())
        return wrapped_future.result()

    async def end(self, close: Callable[[], None]) -> None:
        """Wait for what is under way, then close what it used; both off the loop, and bounded."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        loop, end_event = asyncio.get_running_loop(), asyncio.Event()

        def last() -> None:
            wait(set(self._under_way), STOPPING_S)
            try:
                close()
            finally:
                with contextlib.suppress(RuntimeError):  # the loop did not wait
                    loop.call_soon_threadsafe(end_event.set)

        threading.Thread(target=last, daemon=True).start()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(STOPPING_S + CLOSING_S):
                await end_event.wait()


def stopped() -> ServerBusy:
    """Return the error for what a server that stops did not wait for."""
    problem = "The server stops, and did not wait for it: look whether it was done before you ask again."
    return ServerBusy(problem=problem, seconds=5)


def too_late(seconds: float, cancelled: bool) -> ServerBusy:
    """Return the error for what took too long: it says whether something may have been done."""
    state = "it was still in the queue, and nothing was done" if cancelled else "it is still being done"
    return ServerBusy(problem=f"It took longer than {seconds:g} s; {state}.", seconds=5)


class Gate:
    """Lets threads in, first come, first served: the next one when nobody is inside, or has been for a while."""

    def __init__(self, most: int, patience_s: float, timer: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._patience_s = patience_s
        self._timer = timer
        self._queue: deque[object] = deque()
        self._inside: dict[object, float] = {}
        self._condition = threading.Condition()

    @property
    def waiting(self) -> int:
        """How many stand in the queue."""
        return len(self._queue)

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Wait until it is our time, and be inside."""
        ticket = object()
        with self._condition:
            self._queue.append(ticket)
            try:
                while self._queue[0] is not ticket:
                    self._condition.wait()
                while (seconds := self._until_free()) != 0:
                    self._condition.wait(seconds)
                self._inside[ticket] = self._timer()
            finally:
                self._queue.remove(ticket)
                self._condition.notify_all()
        try:
            yield
        finally:
            with self._condition:
                del self._inside[ticket]
                self._condition.notify_all()

    def _until_free(self) -> float | None:
        """Say in how many seconds the next one may enter, if nobody leaves until then; None: not before."""
        if len(self._inside) >= self._most:
            return None
        latest = max(self._inside.values(), default=None)
        return 0.0 if latest is None else max(0.0, latest + self._patience_s - self._timer())


IDLE_S = 30.0
"""After which a service that nobody uses is closed."""

AWAY_S = 1.0
"""How long a store that did not answer is not asked again: nobody else waits for it in vain."""

PATIENCE_S = 0.25
"""How long one request has the processor for itself. Those that wait for a database, or for a server that embeds,
do so side by side."""

VIEWER = "view"
"""Who acts at `holdfast view`, where nobody has to say a name: whose machine it is."""

MOST_IDLE = 64
"""Services that are kept open for later; the one that was not used for longest goes first."""

READY_S = 5.0
"""How long a look whether the store can be used is waited for."""

FRESH_S = 1.0
"""How long its answer holds."""


class _OpenService(Struct):
    """A service that nobody uses now, what lay behind it when it was opened, and when it was used last."""

    service: Service
    identity: object
    used_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who asks, and for which project."""

    token: Token
    project: str | None = None
    agent: str | None = None
    key: str = field(default="", repr=False)
    """The key of a tab, where it is one that asks."""
    through_tools: bool = False
    """Whether an agent calls its tools: they speak for nobody, whatever the token is good for."""

    @property
    def actor(self) -> Actor:
        """In whose name it is done: only an administrator's token speaks for a person."""
        person = self.token.may(ADMIN) and not self.through_tools
        return Actor(VIEWER if self.token.id == VIEWER else f"http:{self.token.name}", person, self.agent)


@dataclass(slots=True)
class Projects:
    """The memories that this process has open."""

    served: ServiceSource
    at_once: int
    timer: Callable[[], float] = time.monotonic
    statement_s: float | None = None
    """How long one statement may take: when nobody waits for its answer any more, it has no thread either."""
    _idle: dict[Key, list[_OpenService]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _gate: Gate = field(init=False)
    _away: dict[str, tuple[float, StoreUnreachable]] = field(default_factory=dict)
    """Until when the store of a tenant counts as gone, and why."""

    def __post_init__(self) -> None:
        patience = 0.0 if self.served.waits_elsewhere else PATIENCE_S
        self._gate = Gate(self.at_once, patience, self.timer)

    def run(self, caller: Caller, act: Callable[[Service], T], *, create: bool = False) -> T:
        """Do something with a service of the caller's project, in the caller's name. Blocks: for threads."""
        service_key = self.served.key_for(caller.token, caller.project, create=create)
        with self._gate.entered(), self._noticing(caller.token.tenant), statements_within(self.statement_s):
            try:
                return self._with_service(service_key, caller, act)
            except StoreReplaced:  # between our look at it and the write; nothing was written
                return self._with_service(service_key, caller, act)

    @contextlib.contextmanager
    def _noticing(self, tenant: str) -> Iterator[None]:
        """Fail at once where the store did not answer a moment ago; of a cluster others may well answer."""
        away = self._away.get(tenant)
        if away and self.timer() < away[0]:
            raise StoreUnreachable(**away[1].facts)
        try:
            yield
        except StoreUnreachable as error:
            if not isinstance(error, StoreInDoubt):
                self._away[tenant] = (self.timer() + AWAY_S, error)
            raise

    def ready(self) -> None:
        """Make sure that the default project can be read; raise what stands in the way."""
        service_key = self.served.check()
        entry = self._take(service_key)
        try:
            entry.service.read_only()
        except BaseException:
            _close(entry)
            raise
        self._give_back(service_key, entry)

    def tidy(self, idle_s: float = IDLE_S) -> None:
        """Close what was not used for so long."""
        before = self.timer() - idle_s
        with self._lock:
            old = [entry for idle in self._idle.values() for entry in idle if entry.used_at <= before]
            self._idle = {
                key: remaining_entries
                for key, idle in self._idle.items()
                if (remaining_entries := [entry for entry in idle if entry.used_at > before])
            }
        for entry in old:
            _close(entry)

    def close(self) -> None:
        """Write what is pending and let go of everything."""
        self.tidy(-1.0)
        self.served.close()

    def _with_service(self, service_key: ServiceKey, caller: Caller, act: Callable[[Service], T]) -> T:
        entry = self._take(service_key)
        try:
            acting = entry.service.acting_as(caller.actor, user=caller.token.name)
            result = act(acting)
            acting.refresh_rules()
        except StoreSlow:  # a statement was cut off; the store is as good as before
            self._give_back(service_key, entry)
            raise
        except StoreError:  # it may be of no use any more, and opening another is cheap
            _close(entry)
            raise
        except BaseException:
            self._give_back(service_key, entry)
            raise
        self._give_back(service_key, entry)
        return result

    def _take(self, service_key: ServiceKey) -> _OpenService:
        identity = service_key.identity()
        with self._lock:
            idle = self._idle.get(service_key.key, [])
            entry = idle.pop() if idle else None
            if not idle:
                self._idle.pop(service_key.key, None)
        if entry and entry.identity == identity:
            return entry
        if entry:
            _close(entry)
        return _OpenService(service_key.open(), service_key.identity(), self.timer())

    def _give_back(self, service_key: ServiceKey, entry: _OpenService) -> None:
        entry.used_at = self.timer()
        with self._lock:
            self._idle.setdefault(service_key.key, []).append(entry)
            oldest = self._oldest() if sum(map(len, self._idle.values())) > MOST_IDLE else None
        if oldest:
            _close(oldest)

    def _oldest(self) -> _OpenService:
        """Take out what was not used for longest."""
        key = min(self._idle, key=lambda idle_key: self._idle[idle_key][0].used_at)
        oldest = self._idle[key].pop(0)
        if not self._idle[key]:
            del self._idle[key]
        return oldest


def _close(entry: _OpenService) -> None:
    """Close a service; what it held back for its log of accesses may be lost, and nothing else."""
    try:
        entry.service.close()
    except StoreError as error:
        monitoring.note("close", error=type(error).__name__)


class Readiness:
    """The last look, or the one under way."""

    def __init__(self, look: Callable[[], None]) -> None:
        self._look = look
        self._check_task: asyncio.Task[None] | None = None
        self._answered_at = 0.0

    async def check(self) -> None:
        """Raise when the store cannot be used."""
        loop = asyncio.get_running_loop()
        if self._check_task is None or (self._check_task.done() and loop.time() - self._answered_at > FRESH_S):
            self._check_task = asyncio.create_task(asyncio.to_thread(self._look))
            self._check_task.add_done_callback(self._note_answer)
        finished_tasks, _ = await asyncio.wait([self._check_task], timeout=READY_S)
        if not finished_tasks or self._check_task.cancelled() or self._check_task.exception():
            raise ServerBusy(problem="The store cannot be used.", seconds=5)

    def _note_answer(self, task: "asyncio.Task[None]") -> None:
        self._answered_at = task.get_loop().time()
        if not task.cancelled():
            task.exception()  # known now, also where nobody waited for it
