"""What a request must be: JSON, of a bounded length, in a bounded time, with values that can be used."""

import socket
from pathlib import Path

from holdfast.settings.schema import ServerConfig
from tests.hooking import HUNG_S
from tests.interfaces.http.served import Asking, served_here


def test_a_value_that_cannot_be_used_is_named(ask: Asking) -> None:
    table: list[tuple[dict[str, object], str]] = [
        ({"content": 5}, "content"),
        ({}, "content"),
        ({"content": ""}, "content"),
        ({"content": "x", "kind": "nonsense"}, "kind"),
        ({"content": "x", "importance": "high"}, "importance"),
        ({"content": "x", "importance": 2}, "importance"),
        ({"content": "x", "tags": "a"}, "tags"),
        ({"content": "x", "tags": ["a", 5]}, "tags[1]"),
        ({"content": "x", "expires": "soon"}, "expires"),
        ({"content": "x", "trust": "everybody"}, "trust"),
        ({"content": "x", "colour": "red"}, "colour"),
        ({"content": "x", "metadata": []}, "metadata"),
        ({"content": "x", "dry_run": True}, "dry_run"),
    ]
    wrong = []
    for body, field in table:
        answered = ask("POST", "/api/memories", json=body)
        shown = (answered.status_code, answered.headers["content-type"], answered.json().get("field"))
        if shown != (422, "application/problem+json", field):
            wrong.append((body, shown))
    assert wrong == []
    assert ask("GET", "/api/memories").json() == []


def test_a_place_in_a_list_is_named(ask: Asking) -> None:
    items = [{"content": "fine"}, {"content": "x", "importance": True}]
    answered = ask("POST", "/api/memories/batch", json={"items": items})
    assert (answered.status_code, answered.json()["field"]) == (422, "items[1].importance")


def test_a_filter_that_nothing_is_left_of_forgets_nothing(ask: Asking) -> None:
    ask("POST", "/api/memories", json={"content": "Something here"})
    wrong = []
    for field in ("source", "matching"):
        for nothing in ("", " ", "\t", "\0", "\u200b"):
            answered = ask("POST", "/api/memories/forget", json={field: nothing})
            if (answered.status_code, answered.json().get("field")) != (422, field):
                wrong.append((field, nothing, answered.text))
    assert wrong == []
    assert len(ask("GET", "/api/memories").json()) == 1


def test_the_name_of_an_import_is_checked(ask: Asking) -> None:
    wrong = []
    for name in ("a.x\0y", "a.\n", "\x1b.json", "", "a/b.json", ".."):
        answered = ask("POST", "/api/import", json={"name": name, "data": "[]"})
        if (answered.status_code, answered.json().get("field")) != (422, "name"):
            wrong.append((name, answered.text))
    assert wrong == []


def test_a_query_is_checked_like_a_body(ask: Asking) -> None:
    table = {"limit=many": "limit", "limit=0": "limit", "colour=red": "colour", "limit=1&limit=2": "limit"}
    answers = {query: ask("GET", f"/api/memories?{query}") for query in table}
    assert {query: answer.json().get("field") for query, answer in answers.items()} == table
    assert {answer.status_code for answer in answers.values()} == {422}


def test_what_is_no_json_object_is_refused(ask: Asking) -> None:
    table = {
        b"": 422,
        b"{": 400,
        b"[]": 422,
        b"5": 422,
        b"\xff\xfe": 400,
        b"[" * 10_000: 400,
        b'{"content": "\\ud800"}': 400,
        b'{"content": NaN}': 400,
        b'{"content": "x", "metadata": {"n": NaN}}': 400,
    }
    headers = {"Content-Type": "application/json"}
    statuses = {body: ask("POST", "/api/memories", content=body, headers=headers).status_code for body in table}
    assert statuses == table


def test_only_json_is_taken(ask: Asking) -> None:
    """What a page of another site can send without being asked is none of these."""
    types = ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data")
    statuses = {}
    for media_type in (*types, "application/json; charset=latin-1", ""):
        headers = {"Content-Type": media_type} if media_type else {}
        answered = ask("POST", "/api/memories", content=b'{"content": "x"}', headers=headers)
        statuses[media_type] = answered.status_code
    assert set(statuses.values()) == {415}, statuses
    headers = {"Content-Type": "Application/JSON; charset=UTF-8"}
    assert ask("POST", "/api/memories", content=b'{"content": "x"}', headers=headers).status_code == 200


def test_a_body_that_is_too_long_is_refused_while_it_comes(project: Path) -> None:
    """It says nothing of its length, or something else."""
    with served_here(project, ServerConfig(body_bytes=2_048)) as ask:
        long = b'{"content": "' + b"x" * 4_096 + b'"}'
        headers = {"Content-Type": "application/json"}

        def pieces() -> object:
            yield from (long[at : at + 512] for at in range(0, len(long), 512))

        assert ask("POST", "/api/memories", content=long, headers=headers).status_code == 413
        assert ask("POST", "/api/memories", content=pieces(), headers=headers).status_code == 413
        assert ask("GET", "/api/memories").json() == []


def announce(ask: Asking, path: str, length: str, token: str) -> bytes:
    """Announce a body of some length and send nothing of it; return the beginning of the answer."""
    head = (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{ask.port}\r\nContent-Type: application/json\r\n"
        f"Authorization: Bearer {token}\r\nContent-Length: {length}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", ask.port), timeout=HUNG_S) as client:
        client.sendall(head.encode())
        return client.recv(65_536)


def test_a_body_that_says_it_is_too_long_is_refused_before_it_comes(project: Path) -> None:
    """The server is patient: it can only have believed the announcement."""
    with served_here(project, ServerConfig(body_bytes=2_048, patience_s=600)) as ask:
        for path in ("/api/memories", "/mcp"):
            for length in ("2049", "9" * 20):
                refused = announce(ask, path, length, ask.token)
                assert refused.startswith(b"HTTP/1.1 413 "), (path, length, refused)
                assert b"connection: close" in refused, (path, length, refused)
                assert announce(ask, path, length, "nobody").startswith(b"HTTP/1.1 401 "), (path, length)


def test_an_address_there_is_not_is_told_from_a_method_there_is_not(ask: Asking) -> None:
    assert ask("GET", "/api/nothing").status_code == 404
    assert ask("GET", "/elsewhere").status_code == 404
    refused = ask("PUT", "/api/memories")
    assert (refused.status_code, refused.headers["allow"]) == (405, "GET, POST")
    assert ask("GET", "/api/memories/%ff").status_code == 400
    assert ask("GET", "/api/memories/a%2Fb").json()["error"] == "UnknownId", "a slash in an id is no separator"


def test_a_client_that_never_finishes_its_headers_is_let_go(project: Path) -> None:
    with served_here(project, ServerConfig(patience_s=0.3)) as ask:
        for beginning in (b"", b"GET /healthz HTTP/1.1\r\nHost: 127"):
            with socket.create_connection(("127.0.0.1", ask.port), timeout=HUNG_S) as slow:
                slow.sendall(beginning)
                assert slow.recv(1_000) == b""


def test_a_client_that_never_finishes_its_second_headers_is_let_go(project: Path) -> None:
    with served_here(project, ServerConfig(patience_s=0.3)) as ask:
        slow = socket.create_connection(("127.0.0.1", ask.port), timeout=HUNG_S)
        slow.sendall(f"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{ask.port}\r\n\r\nGET /hea".encode())
        got = b""
        while piece := slow.recv(65_536):
            got += piece
        slow.close()
        assert got.count(b"HTTP/1.1 200") == 1


def test_a_client_that_never_finishes_its_body_is_told_so(project: Path) -> None:
    with served_here(project, ServerConfig(patience_s=0.3)) as ask:
        head = f"POST /api/memories HTTP/1.1\r\nHost: 127.0.0.1:{ask.port}\r\nContent-Type: application/json\r\n"
        token = f"Authorization: Bearer {ask.token}\r\nContent-Length: 100\r\n\r\n{{"
        with socket.create_connection(("127.0.0.1", ask.port), timeout=HUNG_S) as slow:
            slow.sendall((head + token).encode())
            assert slow.recv(65_536).startswith(b"HTTP/1.1 408 ")


def test_a_slow_client_keeps_nobody_waiting(project: Path) -> None:
    with served_here(project, ServerConfig(patience_s=HUNG_S, threads=1)) as ask:
        waiting = [socket.create_connection(("127.0.0.1", ask.port), timeout=HUNG_S) for _ in range(50)]
        for one in waiting:
            one.sendall(b"GET /api/stats HTTP/1.1\r\n")
        assert ask("GET", "/api/stats").status_code == 200  # while all of them are still at their headers
        for one in waiting:
            one.close()
