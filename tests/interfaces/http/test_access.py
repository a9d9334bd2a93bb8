"""Who may come in: nobody without a token that is good for it, whatever they claim to be."""

import json
import socket
from pathlib import Path

import pytest

from holdfast.machine import paths
from holdfast.model.actor import Token
from holdfast.model.limits import QUARANTINE_MS
from holdfast.storage.tenancy import tokens
from tests.conftest import FakeClock
from tests.hooking import HUNG_S
from tests.interfaces.http.served import Asking, a_token, current_time, parts, served_here

ADDED = {"content": "We settled on Postgres for the job queue"}
ROUTES = [
    ("GET", "/api/memories"),
    ("POST", "/api/memories"),
    ("GET", "/api/search?q=x"),
    ("GET", "/api/events"),
    ("GET", "/api/whoami"),
    ("GET", "/v1/stats"),
    ("POST", "/mcp"),
    ("GET", "/openapi.json"),
    ("GET", "/metrics"),
    ("GET", "/viewer/api/today"),
    ("POST", "/viewer/api/logout"),
    ("GET", "/nothing/here"),
]


def raw(port: int, text: bytes) -> bytes:
    """Send bytes as they are; return the beginning of what comes back, whether or not more was promised."""
    with socket.create_connection(("127.0.0.1", port), timeout=HUNG_S) as sent:
        sent.sendall(text)
        return sent.recv(65_536)


def test_without_a_good_token_nothing_is_answered(ask: Asking) -> None:
    wrong = []
    for shown in (None, "", "Bearer", "Bearer hft_0123456789ab_wrong", "Basic dTpw", "bearer nothing", "hft_a_b"):
        for method, path in ROUTES:
            answered = ask.bare(method, path, headers={} if shown is None else {"Authorization": shown})
            facts = (answered.status_code, answered.json().get("error"), answered.headers.get("www-authenticate"))
            if facts != (401, "TokenRejected", 'Bearer realm="holdfast"'):
                wrong.append((shown, path, facts))
    assert wrong == []


def test_the_token_is_checked_before_the_body_is_read(ask: Asking) -> None:
    """A megabyte is promised and not one byte of it sent."""
    head = f"POST /api/memories HTTP/1.1\r\nHost: 127.0.0.1:{ask.port}\r\nContent-Type: application/json\r\n"
    answered = raw(ask.port, f"{head}Content-Length: 1000000\r\n\r\n".encode())
    assert answered.startswith(b"HTTP/1.1 401 ")


def test_a_good_token_with_another_secret_is_refused(ask: Asking) -> None:
    (name, _), (_, secret) = parts(a_token()), parts(a_token())
    assert ask("GET", "/api/stats", token=f"{name}_{secret}").status_code == 401


def test_a_token_that_expired_or_was_revoked_is_refused_from_the_next_request_on(ask: Asking) -> None:
    short = a_token(expires=current_time() - 1, age=60_000)
    assert ask("GET", "/api/stats", token=short).status_code == 401
    other = a_token(name="other")
    assert ask("GET", "/api/stats", token=other).status_code == 200
    tokens().revoke(next(one.id for one in tokens().all() if one.name == "other"))
    assert ask("GET", "/api/stats", token=other).status_code == 401


def test_a_read_token_reads_and_does_not_write(ask: Asking) -> None:
    made = ask("POST", "/api/memories", json=ADDED).json()["id"]
    reader = a_token("read")
    assert ask("GET", f"/api/memories/{made}", token=reader).status_code == 200
    assert ask("POST", "/api/search", token=reader, json={"query": "queue"}).json()[0]["id"] == made
    for method, path in (
        ("POST", "/api/memories"),
        ("DELETE", f"/api/memories/{made}"),
        ("PATCH", f"/api/memories/{made}"),
        ("POST", f"/api/memories/{made}/pin"),
        ("POST", "/api/sessions"),
        ("POST", "/api/prune"),
        ("POST", "/api/import"),
    ):
        answered = ask(method, path, token=reader)
        assert (answered.status_code, answered.json()["error"]) == (403, "ScopeMissing"), path
    assert ask("GET", f"/api/memories/{made}").json()["status"] == "candidate"


def test_a_write_token_does_not_delete_by_the_hundred(ask: Asking) -> None:
    writer = a_token("write")
    assert ask("POST", "/api/memories", token=writer, json=ADDED).status_code == 200
    for path in ("/api/prune", "/api/cleanup", "/api/import", "/api/memories/forget", "/api/reindex"):
        assert ask("POST", path, token=writer, json={}).status_code == 403, path


def test_another_tenant_finds_nothing_here(ask: Asking) -> None:
    made = ask("POST", "/api/memories", json=ADDED).json()["id"]
    stranger = a_token(tenant="acme")
    answered = ask("GET", f"/api/memories/{made}", token=stranger)
    assert (answered.status_code, answered.json()["error"]) == (404, "UnknownId")


def test_a_token_for_one_project_is_for_no_other(ask: Asking) -> None:
    here = ask("GET", "/api/stats").json()["project"]["project"]
    bound = a_token(project=here)
    assert ask("GET", "/api/stats", token=bound).status_code == 200
    assert ask("GET", "/api/stats", token=bound, headers={"Holdfast-Project": here}).status_code == 200
    assert ask("GET", "/api/stats", token=bound, headers={"Holdfast-Project": "other"}).status_code == 403
    assert ask("GET", "/api/stats", headers={"Holdfast-Project": "other"}).status_code == 404
    assert ask("GET", "/api/stats", headers={"Holdfast-Project": here.replace("/", "%2F")}).status_code == 200
    for wrong in ("%FF", "%20", "x" * 201, "a%00b"):
        answered = ask("GET", "/api/stats", headers={"Holdfast-Project": wrong})
        assert (answered.status_code, answered.json()["field"]) == (422, "Holdfast-Project")


def test_another_host_is_refused(ask: Asking) -> None:
    """A page whose name was made to point here (DNS rebinding) names itself."""
    own = f"127.0.0.1:{ask.port}"
    hosts = ("evil.example", "127.0.0.1:evil.example", "127.0.0.1", "127.0.0.1:1", "", f"x@{own}")
    statuses = {
        (host, path): ask("GET", path, headers={"Host": host}).status_code
        for host in hosts
        for path in ("/", "/api/stats", "/healthz", "/mcp")
    }
    assert set(statuses.values()) == {421}, statuses


def test_a_page_of_another_site_is_refused(ask: Asking) -> None:
    for origin in ("http://evil.example", "null", "http://127.0.0.1:1", f"https://127.0.0.1:{ask.port}"):
        answered = ask("GET", "/api/stats", headers={"Origin": origin})
        assert answered.status_code == 403, origin
        assert "access-control-allow-origin" not in answered.headers, origin


def test_the_servers_own_names_are_accepted(ask: Asking) -> None:
    for name in (f"localhost:{ask.port}", f"127.0.0.1:{ask.port}", f"LocalHost:{ask.port}"):
        answered = ask("GET", "/api/stats", headers={"Host": name, "Origin": f"http://{name}"})
        assert answered.status_code == 200
        assert "set-cookie" not in answered.headers


def test_two_host_headers_are_refused(ask: Asking) -> None:
    own = f"Host: 127.0.0.1:{ask.port}\r\n"
    answered = raw(ask.port, f"GET /healthz HTTP/1.1\r\n{own}Host: evil.example\r\n\r\n".encode())
    assert answered.startswith((b"HTTP/1.1 421 ", b"HTTP/1.1 400 "))


def test_only_health_is_for_everybody(ask: Asking) -> None:
    for path in ("/healthz", "/health", "/readyz", "/ready"):
        assert ask.bare("GET", path).json() == {"status": "ok"}


def test_only_hashes_of_secrets_are_kept_and_only_for_the_owner(tmp_path: Path) -> None:
    shown = a_token()
    file = tmp_path / "data" / "tokens.json"
    text = file.read_text(encoding="utf-8")
    assert parts(shown)[1] not in text
    assert file.stat().st_mode & 0o777 == 0o600
    kept = Token(**json.loads(text)[0])
    assert len(bytes.fromhex(kept.digest)) == 32


BROKEN = ["{", '[{"id": "a"}]', '[{"id": "a", "colour": "red"}]', "[5]", '{"id": 5}', "5"]


def test_tokens_that_cannot_be_read_leave_the_last_good_ones(ask: Asking) -> None:
    file = Path(paths.data_directory()) / "tokens.json"
    whole = file.read_text()
    for broken in BROKEN:
        file.write_text(whole)
        assert ask("GET", "/api/stats").status_code == 200, broken
        file.write_text(broken)
        assert ask("GET", "/api/stats").status_code == 200, broken
        assert ask.bare("GET", "/api/stats").status_code == 401, broken
        file.write_text("[]")
        assert ask("GET", "/api/stats").status_code == 401, broken


def test_tokens_that_could_never_be_read_are_no_use_and_do_not_say_where_they_are(project: Path) -> None:
    a_token()
    file = Path(paths.data_directory()) / "tokens.json"
    with served_here(project) as ask:
        for broken in BROKEN:
            file.write_text(broken)
            for path in ("/healthz?token=a&nonce=b", "/api/stats"):
                answered = ask("GET", path)
                assert (answered.status_code, answered.json()["error"]) == (503, "ConfigError"), (broken, path)
                assert "tokens.json" not in answered.text, (broken, path)
            assert ask.bare("GET", "/healthz").status_code == 200, broken


@pytest.mark.parametrize(("scope", "trust"), [("write", "agent"), ("admin", "user")])
def test_only_an_administrator_speaks_for_a_person(ask: Asking, scope: str, trust: str) -> None:
    token, said = a_token(scope), {"trust": "user"}
    made = ask("POST", "/api/memories", token=token, json={"content": "Deploy on Tuesdays", **said}).json()["id"]
    items = [{"content": "Squash commits", **said}, {"content": "Use tabs", "trust": "tool"}]
    ask("POST", "/api/memories/batch", token=token, json={"items": items})
    ask("PATCH", f"/api/memories/{made}", token=token, json={"content": "Deploy on Wednesdays", **said})
    kept = {one["content"]: one["trust"] for one in ask("GET", "/api/memories").json()}
    assert kept == {"Deploy on Wednesdays": trust, "Squash commits": trust, "Use tabs": "tool"}


def test_what_a_write_token_asks_of_a_persons_word_waits_for_an_administrator(ask: Asking) -> None:
    rule = ask("POST", "/api/memories", json={"content": "Deploy on Tuesdays", "trust": "user"}).json()["id"]
    answer = ask("PATCH", f"/api/memories/{rule}", token=a_token("write"), json={"content": "Deploy at once"})
    assert answer.status_code == 202
    assert answer.headers["content-type"] == "application/problem+json"
    waits = answer.json()["facts"]["proposal_id"]
    assert ask("GET", f"/api/memories/{rule}").json()["content"] == "Deploy on Tuesdays"
    for verb in ("accept", "drop"):
        assert ask("POST", f"/api/proposals/{waits}/{verb}", token=a_token("write")).status_code == 403
    assert ask("POST", f"/api/proposals/{waits}/drop").json()["outcome"] == "dropped"
    assert ask("POST", f"/api/proposals/{waits}/accept").status_code == 422
    again = ask("PATCH", f"/api/memories/{rule}", token=a_token("write"), json={"content": "Deploy at once"})
    assert again.status_code == 403, "the user has said no"


def test_a_read_with_any_token_but_an_administrators_confirms_nothing(project: Path) -> None:
    clock = FakeClock()
    with served_here(project, clock=clock) as asking:
        noted = asking("POST", "/api/memories", json={"content": "Deploy on Tuesdays"}).json()["id"]
        clock.advance(QUARANTINE_MS)
        for scope, status in (("read", "candidate"), ("write", "candidate"), ("admin", "confirmed")):
            read = asking("GET", f"/api/memories/{noted}", token=a_token(scope))
            assert read.json()["status"] == status
