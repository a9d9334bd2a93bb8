"""Changes are told as they happen, and again to a client that was away."""

import asyncio
import contextlib
import json
import logging
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import httpx2
import pytest

from holdfast import Holdfast
from holdfast.interfaces.http.asgi import Message
from holdfast.interfaces.http.events import Events
from holdfast.interfaces.http.monitoring import NAME
from holdfast.interfaces.http.projects import Caller
from holdfast.model.actor import Token
from holdfast.model.limits import BATCH
from holdfast.model.records import Event as Done
from holdfast.model.records import LogPart
from holdfast.storage.tenancy import tokens
from tests.hooking import HUNG_S
from tests.interfaces.http.served import Asking, a_token

Event = tuple[int, str, dict[str, object]]


@contextlib.contextmanager
def listening(ask: Asking, after: int | None = None, token: str | None = None) -> Iterator[Iterator[Event]]:
    """Open a stream; hand out its events as they come."""
    headers = {"Authorization": f"Bearer {token or ask.token}"}
    headers |= {} if after is None else {"Last-Event-ID": str(after)}
    url = f"{ask.url}/api/events"
    with httpx2.stream("GET", url, headers=headers, timeout=HUNG_S, trust_env=False) as stream:
        assert stream.headers["content-type"] == "text/event-stream"
        lines = stream.iter_lines()
        assert next(lines) == ": ok"
        yield _events(lines)


def _events(lines: Iterator[str]) -> Iterator[Event]:
    fields: dict[str, str] = {}
    for line in lines:
        name, _, value = line.partition(": ")
        if line:
            fields[name] = value
        elif "event" in fields:
            yield int(fields.get("id", 0)), fields["event"], json.loads(fields["data"])
            fields = {}


def test_changes_of_anybody_are_told_without_content(ask: Asking, project: Path) -> None:
    """Also those of another process."""
    with listening(ask) as events:
        made = ask("POST", "/api/memories", json={"content": "Deploy on Tuesdays"}).json()["id"]
        number, action, data = next(events)
        assert (action, data["ids"], data["actor"]) == ("add", [made], "http:tester")
        assert set(data) == {"action", "actor", "at", "ids"}
        with Holdfast.open(project) as memory:
            memory.pin(made)
        assert next(events)[:2] == (number + 1, "pin")


def test_a_client_that_was_away_goes_on_after_its_last_event(ask: Asking) -> None:
    made = [ask("POST", "/api/memories", json={"content": f"Fact {one}"}).json()["id"] for one in range(3)]
    with listening(ask, after=1) as events:
        assert [next(events)[2]["ids"] for _ in range(2)] == [[made[1]], [made[2]]]


def test_events_that_are_not_kept_any_more_are_a_gap(ask: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("holdfast.stores.sqlite.records.AUDIT_EVENTS", 4)
    monkeypatch.setattr("holdfast.stores.sqlite.records.AUDIT_KEPT", 2)
    for one in range(5):
        ask("POST", "/api/memories", json={"content": f"Fact {one}"})
    with listening(ask, after=1) as events:
        assert [next(events)[:2] for _ in range(3)] == [(0, "gap"), (4, "add"), (5, "add")]


def test_a_stream_ends_when_its_token_is_revoked(ask: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("holdfast.interfaces.http.events.BEAT_S", 0.1)
    token = a_token("read", name="short")
    with listening(ask, token=token) as events:
        tokens().revoke(next(one.id for one in tokens().all() if one.name == "short"))
        assert list(events) == []


def test_a_last_event_id_that_is_none_is_refused(ask: Asking) -> None:
    for wrong in ("x", "-1", "1" * 30):
        answered = ask("GET", "/api/events", headers={"Last-Event-ID": wrong})
        assert (answered.status_code, answered.json()["field"]) == (422, "Last-Event-ID")


def caller(name: str) -> Caller:
    """Somebody who listens."""
    return Caller(token=Token(id=name, name=name, tenant="local", scope="read", created_at=0, digest=""))


def done(number: int) -> tuple[int, Done]:
    """A change with its number."""
    return number, Done(at=0, actor="x", action="add", ids=())


class Log:
    """A log that changes when the test says so, and that breaks when it says so."""

    def __init__(self) -> None:
        self.last = 0
        self.looks: list[str] = []
        self.broken = 0

    async def __call__(self, who: Caller, number: int | None) -> LogPart:
        self.looks.append(who.token.name)
        if self.broken and len(self.looks) > 2:
            self.broken -= 1
            raise RuntimeError
        found = () if number is None else tuple(done(one) for one in range(number + 1, self.last + 1))[:BATCH]
        return LogPart(events=found, last=found[-1][0] if found else self.last if number is None else number)


async def until(fits: Callable[[], bool]) -> None:
    """Wait until something is so."""
    async with asyncio.timeout(HUNG_S):
        while not fits():
            await asyncio.sleep(0.01)


def streamed(
    log: Log, holds: Callable[[Caller], bool], act: Callable[[Callable[[str], list[bytes]]], Awaitable[None]]
) -> None:
    """Listen under any number of names while something is done."""

    async def run() -> None:
        events = Events(log, holds, asyncio.Event())
        tasks = []

        def listen(name: str) -> list[bytes]:
            heard: list[bytes] = []

            async def receive() -> Message:
                await asyncio.Event().wait()
                return {}

            async def send(message: Message) -> None:
                heard.append(message.get("body", b""))

            tasks.append(asyncio.create_task(events.stream(caller(name), [], receive, send)))
            return heard

        await act(listen)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(run())


def test_a_change_is_told_although_looking_failed_in_between(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Whatever went wrong: the next look starts where the listener is. Who runs the server is told once."""
    monkeypatch.setattr("holdfast.interfaces.http.events.POLL_S", 0.01)
    caplog.set_level(logging.INFO, logger=NAME)
    monkeypatch.setattr(logging.getLogger(NAME), "propagate", True)
    log = Log()

    async def act(listen: Callable[[str], list[bytes]]) -> None:
        heard = listen("ada")
        await until(lambda: len(log.looks) > 1)
        log.broken, log.last = 2, 1
        await until(lambda: any(b"id: 1" in one for one in heard))

    streamed(log, lambda _: True, act)
    notes = [(record.getMessage(), record.__dict__.get("error")) for record in caplog.records]
    assert [note for note in notes if note[0] == "watch"] == [("watch", "RuntimeError")]


def test_nobody_is_looked_for_who_may_not_listen_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("holdfast.interfaces.http.events.POLL_S", 0.01)
    log, revoked = Log(), set[str]()

    async def act(listen: Callable[[str], list[bytes]]) -> None:
        listen("ada")
        await until(lambda: len(log.looks) > 2)
        listen("bob")
        await until(lambda: "bob" in log.looks)
        revoked.add("ada")
        before = len(log.looks)
        await until(lambda: len(log.looks) > before + 5)
        assert set(log.looks[before + 1 :]) == {"bob"}

    streamed(log, lambda one: one.token.name not in revoked, act)
