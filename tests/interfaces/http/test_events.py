"""Changes are told as they happen, and again to a client that was away."""

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from holdfast import Holdfast
from holdfast.served import tokens
from tests.interfaces.http.served import Asking, a_token

Event = tuple[int, str, dict[str, object]]


@contextlib.contextmanager
def listening(ask: Asking, after: int | None = None, token: str | None = None) -> Iterator[Iterator[Event]]:
    """Open a stream; hand out its events as they come."""
    headers = {"Authorization": f"Bearer {token or ask.token}"}
    headers |= {} if after is None else {"Last-Event-ID": str(after)}
    url = f"{ask.url}/api/events"
    with httpx2.stream("GET", url, headers=headers, timeout=30, trust_env=False) as stream:
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
