"""Every operation over the wire, and the document that describes them."""

import json
import logging
from typing import Any

import pytest

from holdfast.interfaces.http import monitoring
from holdfast.interfaces.http.routes import OPERATIONS, document
from holdfast.interfaces.python import Holdfast, SessionHandle
from holdfast.model.actor import SCOPES
from holdfast.service.service import Service
from tests.interfaces.http.served import Asking

QUEUE = "We settled on Postgres LISTEN/NOTIFY for the job queue"


def test_a_memory_is_added_found_read_changed_and_forgotten(ask: Asking) -> None:
    added = ask("POST", "/api/memories", json={"content": QUEUE, "kind": "decision", "tags": ["db"]}).json()
    assert (added["created"], added["duplicate"]) == (True, False)
    assert ask("POST", "/api/memories", json={"content": QUEUE}).json()["duplicate"]
    [hit] = ask("GET", "/api/search?q=job+queue&kinds=decision&kinds=fact").json()
    assert (hit["id"], hit["trust"]) == (added["id"], "agent")
    at = f"/v1/memories/{added['id'][-8:]}"
    assert ask("GET", at).json()["content"] == QUEUE
    assert ask("PATCH", at, json={"title": "The queue"}).json()["title"] == "The queue"
    assert ask("POST", f"{at}/pin").json()["status"] == "pinned"
    assert ask("POST", f"{at}/unpin", json={}).json()["status"] == "confirmed"
    newer = ask("POST", "/api/memories", json={"content": "The job queue moved to NATS"}).json()["id"]
    assert ask("POST", f"{at}/supersede", json={"new": newer}).json()["superseded_by"] == newer
    assert [one["id"] for one in ask("GET", f"{at}/history").json()] == [added["id"], newer]
    assert ask("POST", f"{at}/reinstate").json()["superseded_by"] is None
    assert [one["anchor"] for one in ask("GET", f"{at}/timeline?window=1").json()].count(True) == 1
    assert ask("DELETE", at).json()["ids"] == [added["id"]]
    assert ask("GET", at).status_code == 404


def test_who_wrote_is_who_holds_the_token(ask: Asking) -> None:
    made = ask("POST", "/api/memories", json={"content": QUEUE}).json()["id"]
    assert ask("GET", f"/api/memories/{made}").json()["user"] == "tester"
    assert ask("GET", "/api/log?action=add").json()[0]["actor"] == "http:tester"


def test_a_brief_is_made_for_a_prompt_in_the_address_or_in_the_body(ask: Asking) -> None:
    ask("POST", "/api/memories", json={"content": QUEUE, "kind": "decision", "trust": "user"})
    for answered in (
        ask("GET", "/api/context?prompt=which+job+queue+do+we+use&budget=800"),
        ask("POST", "/api/context", json={"prompt": "which job queue do we use", "budget": 800}),
    ):
        assert QUEUE in answered.json()["text"]


def test_a_session_is_recorded_forked_and_ended(ask: Asking) -> None:
    session = ask("POST", "/api/sessions", json={"agent": "codex", "ref": "run-1"}).json()["id"]
    at = f"/api/sessions/{session}"
    said = {"role": "user", "text": "Yes, we decided to stream everything above one megabyte.", "ref": "t1"}
    turn = ask("POST", f"{at}/turns", json=said).json()
    assert ask("POST", f"{at}/turns", json=said).json()["id"] == turn["id"]
    recap = "Recap: we settled on streaming everything above one megabyte."
    ask("POST", f"{at}/turns", json={"role": "assistant", "text": recap})
    assert ask("POST", f"{at}/checkpoint").json()["turns_read"] == 2
    assert {one["kind"] for one in ask("GET", f"{at}/findings").json()} == {"decision"}
    assert ask("POST", f"{at}/fork").json()["parent"] == session
    assert ask("POST", f"{at}/end").json()["status"] == "completed"
    assert [one["text"] for one in ask("GET", f"{at}/turns").json()] == [said["text"], recap]
    assert len(ask("GET", "/api/sessions?limit=10").json()) == 2


def test_everything_goes_out_and_comes_in_again(ask: Asking) -> None:
    made = ask("POST", "/api/memories", json={"content": QUEUE}).json()["id"]
    exported = ask("GET", "/api/export").text
    assert QUEUE in exported
    ask("DELETE", f"/api/memories/{made}")
    other = exported.replace(QUEUE, "Deploy on Tuesdays")
    done = ask("POST", "/api/import", json={"data": other, "dry_run": True}).json()
    assert (done["created"], done["dry_run"]) == (1, True)
    assert ask("POST", "/api/import", json={"data": other, "confirmed": True}).json()["created"] == 1
    assert ask("GET", "/api/memories").json()[0]["status"] == "confirmed"
    assert ask("POST", "/api/import", json={"data": "{", "name": "a/b"}).json()["field"] == "name"


def test_aliases_conflicts_upkeep_and_the_log(ask: Asking) -> None:
    assert ask("POST", "/api/aliases", json={"word": "mq", "meanings": ["queue"]}).json() == 1
    assert ask("GET", "/api/aliases").json() == {"mq": ["queue"]}
    assert ask("DELETE", "/api/aliases/mq?meanings=queue").json() == 1
    ask("POST", "/api/memories", json={"content": "Always squash commits", "kind": "pattern"})
    ask("POST", "/api/memories", json={"content": "Never squash commits", "kind": "pattern"})
    [conflict] = ask("GET", "/api/conflicts").json()
    assert ask("POST", f"/api/conflicts/{conflict['id']}/resolve", json={"keep": "both"}).json()["kept"] == "both"
    assert ask("POST", "/api/prune", json={"days": 0, "dry_run": True}).json()["dry_run"]
    assert ask("POST", "/api/cleanup", json={}).json()["gone"] == []
    assert ask("POST", "/api/flush").json() is None
    assert ask("GET", "/api/log/check").json() == {"events": 3, "broken_at": None}
    assert ask("GET", "/api/receipts").json() == []
    assert ask("POST", "/api/memories/forget", json={"matching": "squash"}).json()["ids"]


def test_a_mistake_of_the_server_tells_its_kind_and_nothing_else(
    ask: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What went wrong may hold content."""

    def fail(*_: object) -> None:
        raise RuntimeError("the secret is tulip")

    monkeypatch.setattr("holdfast.service.service.Service.conflicts", fail)
    answered = ask("GET", "/api/conflicts")
    assert answered.status_code == 500
    assert "RuntimeError" in answered.json()["detail"]
    assert "tulip" not in answered.text


def test_every_operation_is_described_by_what_it_is_made_of() -> None:
    paths = document()["paths"]
    described = {shape["operationId"]: shape for methods in paths.values() for shape in methods.values()}
    assert set(described) == {*OPERATIONS, "events", "whoami"}
    for name, operation in OPERATIONS.items():
        assert operation.scope in SCOPES
        assert f"`{operation.scope}`" in described[name]["description"]
        assert set(operation.in_path) <= set(operation.arguments.__struct_fields__)


def test_every_verb_of_python_has_an_operation() -> None:
    """Its own name, or the name that the session's verb has in the service."""
    renamed = {"fork": "fork_session", "end": "end_session"}
    verbs = [
        name
        for cls in (Holdfast, SessionHandle)
        for name, value in vars(cls).items()
        if callable(value) and not name.startswith("_") and name not in ("open", "close")
    ]
    assert [name for name in verbs if renamed.get(name, name) not in OPERATIONS] == []


def test_answers_are_counted_by_operation_and_status(ask: Asking) -> None:
    """The registry is the server's own: nothing of this process but what it answers."""
    for content in (QUEUE, ""):
        ask("POST", "/api/memories", json={"content": content})
    ask("GET", "/nothing/here")
    served = ask("GET", "/metrics")
    assert served.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    samples = [line.rpartition(" ")[::2] for line in served.text.splitlines() if not line.startswith("#")]
    assert {name: float(value) for name, value in samples if "seconds" not in name} == {
        'holdfast_requests_total{operation="add",status="200"}': 1,
        'holdfast_requests_total{operation="add",status="422"}': 1,
        'holdfast_requests_total{operation="other",status="404"}': 1,
        "holdfast_requests_in_flight": 1,
        "holdfast_event_streams": 0,
    }
    assert 'holdfast_request_seconds_count{operation="add"} 2.0' in served.text
    assert 'holdfast_request_seconds_bucket{le="+Inf",operation="add"} 2.0' in served.text


def test_the_document_is_served_and_says_where_everything_is(ask: Asking) -> None:
    served: dict[str, Any] = ask("GET", "/openapi.json").json()
    assert served["openapi"] == "3.1.0"
    assert [one["url"] for one in served["servers"]] == ["/api", "/v1"]
    assert served["components"]["schemas"]["Memory"]["properties"]["source"]
    assert served == json.loads(json.dumps(document()))


def test_counts_do_not_say_where_the_stores_lie(ask: Asking) -> None:
    ask("POST", "/api/memories", json={"content": "mine", "scope": "user"})
    answered = ask("GET", "/api/stats")
    assert answered.json()["project"]["place"] == ""
    assert ".db" not in answered.text


def test_a_mistake_of_ours_can_be_found_in_the_log(
    ask: Asking, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def stats(_: Service) -> None:
        raise KeyError("secret content")

    assert ask("GET", "/api/stats").status_code == 200
    monkeypatch.setattr(Service, "stats", stats)
    monkeypatch.setattr(logging.getLogger(monitoring.NAME), "propagate", True)
    caplog.set_level(logging.INFO, monitoring.NAME)
    assert ask("GET", "/api/stats").status_code == 500
    [noted] = [record.__dict__ for record in caplog.records if record.getMessage() == "mistake"]
    assert noted["error"] == "KeyError"
    assert "test_operations.py" in noted["frames"][-1]
    assert "secret content" not in str(noted)


def test_a_search_falls_through_to_what_was_said_and_labels_it(ask: Asking) -> None:
    ask("POST", "/api/memories", json={"content": QUEUE, "kind": "decision"})
    session = ask("POST", "/api/sessions", json={"agent": "codex"}).json()["id"]
    said = "Please lower the backoff ceiling to nine seconds"
    turn = ask("POST", f"/api/sessions/{session}/turns", json={"role": "user", "text": said}).json()["id"]
    [remembered] = ask("GET", "/api/search?q=job+queue").json()
    assert (remembered["kind"], remembered["session"]) == ("decision", None)
    [hit] = ask("POST", "/api/search", json={"query": "backoff ceiling"}).json()
    assert (hit["id"], hit["kind"], hit["session"]) == (turn, "turn", session)
    assert "**backoff** **ceiling**" in hit["snippet"]
    assert ask("GET", "/api/search?q=backoff+ceiling&within=memories").json() == []


def test_recall_returns_the_best_hits_that_hold_a_text(ask: Asking) -> None:
    ask("POST", "/api/memories", json={"content": QUEUE})
    other = ask("POST", "/api/memories", json={"content": "The job queue of billing is NATS"}).json()["id"]
    [hit] = ask("POST", "/api/recall", json={"query": "job queue", "contains": "NATS"}).json()
    assert hit["id"] == other
    assert len(ask("POST", "/api/recall", json={"query": "job queue", "limit": 1}).json()) == 1
    assert ask("POST", "/api/recall", json={"query": "job queue", "limit": 0}).status_code == 422


def test_the_report_of_accesses_says_what_was_asked_and_found(ask: Asking) -> None:
    made = ask("POST", "/api/memories", json={"content": QUEUE}).json()["id"]
    for question in ("job+queue", "zeppelin", "zeppelin"):
        ask("GET", f"/api/search?q={question}&mode=keyword")
    report = ask("GET", "/api/stats/accesses?days=7").json()
    assert (report["days"], report["memories"], report["never_found"]) == (7, 1, 0)
    assert [one["id"] for one in report["found"]] == [made]
    assert [one["query"] for one in report["unanswered"]] == ["zeppelin"]
    assert ask("GET", "/api/stats/accesses?days=0").status_code == 422
