"""The viewer's files: what is sent with them, what is not sent again, and what is no file of theirs."""

from holdfast.interfaces.http.viewer.entry import POLICY
from tests.interfaces.http.served import Asking


def test_the_page_needs_no_token_and_comes_with_every_guard(ask: Asking) -> None:
    answer = ask.bare("GET", "/")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert {
        name: answer.headers[name]
        for name in (
            "content-security-policy",
            "x-content-type-options",
            "referrer-policy",
            "cross-origin-opener-policy",
            "cross-origin-resource-policy",
            "x-frame-options",
            "cache-control",
        )
    } == {
        "content-security-policy": POLICY,
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "x-frame-options": "DENY",
        "cache-control": "no-cache",
    }
    assert "set-cookie" not in answer.headers


def test_the_policy_lets_nothing_in_that_is_not_the_servers_own() -> None:
    assert POLICY == (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def test_a_file_that_a_browser_has_is_not_sent_again(ask: Asking) -> None:
    first = ask.bare("GET", "/")
    again = ask.bare("GET", "/", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    assert again.headers["content-security-policy"] == POLICY
    other = ask.bare("GET", "/", headers={"If-None-Match": '"another"'})
    assert (other.status_code, other.content) == (200, first.content)


def test_what_is_no_file_of_the_viewer_is_asked_for_a_token(ask: Asking) -> None:
    entry, encoded = "/viewer/../entry.py", "/viewer/%2e%2e/entry.py"
    paths = ("/viewer/no.js", entry, encoded, "/viewer/", "/viewer", "/index.html")
    statuses = {path: ask.bare("GET", path).status_code for path in paths}
    assert set(statuses.values()) == {401}, statuses


def test_files_are_only_read(ask: Asking) -> None:
    assert ask.bare("POST", "/", json={}).status_code == 405
