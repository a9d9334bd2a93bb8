"""Who comes in: codes that are good once, keys that count from the viewer's own pages only, and their ends."""

from pathlib import Path

from holdfast.interfaces.http.serve import own_token
from holdfast.interfaces.http.viewer.entry import CODE_MS, KEY_MS
from holdfast.storage.tenancy import tokens
from tests.interfaces.http.served import Asking, a_token, current_time
from tests.interfaces.http.viewer.signed_in import Tab

LOGIN = "/viewer/api/login"


def code_for(ask: Asking, project: Path, age: int = 0) -> str:
    """Make a code for a server."""
    now = current_time() - age
    assert ask.app
    return ask.app.entry.make_code(own_token(project, now), now)


def page_headers(ask: Asking) -> dict[str, str]:
    """What the viewer's own pages send."""
    return {"Origin": ask.url, "Holdfast-Viewer": "1", "Sec-Fetch-Site": "same-origin"}


def test_a_code_lets_somebody_in_once(ask: Asking, project: Path) -> None:
    code, headers = code_for(ask, project), page_headers(ask)
    first = ask.bare("POST", LOGIN, json={"code": code}, headers=headers)
    assert first.status_code == 200
    assert (first.json()["me"]["scope"], first.json()["me"]["person"]) == ("admin", True)
    second = ask.bare("POST", LOGIN, json={"code": code}, headers=headers)
    assert (second.status_code, second.json()["error"]) == (401, "TokenRejected")


def test_a_code_that_nobody_used_in_time_is_good_for_nothing(ask: Asking, project: Path) -> None:
    code = code_for(ask, project, age=CODE_MS + 60_000)
    assert ask.bare("POST", LOGIN, json={"code": code}, headers=page_headers(ask)).status_code == 401


def test_what_is_no_code_and_no_token_lets_nobody_in(ask: Asking) -> None:
    for shown in ({"code": "no"}, {"token": "hft_no_no"}, {"token": ""}, {"code": "../key-x"}):
        assert ask.bare("POST", LOGIN, json=shown, headers=page_headers(ask)).status_code == 401, shown


def test_one_thing_has_to_be_shown(ask: Asking) -> None:
    for shown in ({}, {"code": "a", "token": "b"}, {"name": "ada"}):
        assert ask.bare("POST", LOGIN, json=shown, headers=page_headers(ask)).status_code == 422, shown


def test_a_token_is_exchanged_for_a_key_that_lasts_no_longer(ask: Asking) -> None:
    now = current_time()
    soon = now + 600_000
    short = Tab(ask, a_token(scope="read", expires=soon)).signed_in
    assert (short["expires"], short["me"]["scope"], short["me"]["person"]) == (soon, "read", False)
    assert now < Tab(ask).signed_in["expires"] <= now + KEY_MS + 600_000


def test_a_key_ends_with_signing_out(tab: Tab) -> None:
    assert tab("GET", "/viewer/api/me").status_code == 200
    assert tab("POST", "/viewer/api/logout", json={}).status_code == 200
    assert tab("GET", "/viewer/api/me").status_code == 401


def test_a_key_goes_with_the_token_it_was_made_of(ask: Asking) -> None:
    token = a_token()
    tab = Tab(ask, token)
    tokens().revoke(token.split("_")[1])
    assert tab("GET", "/viewer/api/me").status_code == 401


FOREIGN: tuple[dict[str, str | None], ...] = (
    {"Origin": "https://evil.example"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Holdfast-Viewer": None},
    {"Holdfast-Viewer": "0"},
)


def test_a_key_changes_nothing_from_elsewhere(tab: Tab) -> None:
    for headers in (*FOREIGN, {"Origin": None}, {"Origin": "null"}):
        answer = tab("POST", "/api/memories", json={"content": "from elsewhere"}, headers=headers)
        assert answer.status_code == 403, headers
    assert tab.page("timeline")["items"] == []


def test_a_key_reads_nothing_from_elsewhere(tab: Tab) -> None:
    for headers in FOREIGN:
        assert tab("GET", "/viewer/api/today", headers=headers).status_code == 403, headers
        assert tab("GET", "/api/memories", headers=headers).status_code == 403, headers


def test_nobody_signs_in_from_elsewhere(ask: Asking) -> None:
    table: list[dict[str, str | None]] = [*FOREIGN, {"Origin": None}]
    for headers in table:
        shown = {name: value for name, value in (page_headers(ask) | headers).items() if value is not None}
        assert ask.bare("POST", LOGIN, json={"token": a_token()}, headers=shown).status_code == 403, headers


def test_another_name_of_this_machine_is_another_origin(tab: Tab, ask: Asking) -> None:
    """The page of another server here, whose port differs, must not speak for the viewer's."""
    for origin in (ask.url.replace("127.0.0.1", "localhost"), "http://127.0.0.1:1"):
        assert tab("POST", "/api/flush", json={}, headers={"Origin": origin}).status_code == 403


def test_no_page_is_told_anything_without_a_key(ask: Asking) -> None:
    for path in ("today", "timeline", "search?q=a", "health", "inbox", "me", "forgetting", "memories/1"):
        assert ask.bare("GET", f"/viewer/api/{path}", headers=page_headers(ask)).status_code == 401


def test_everybody_may_ask_how_one_signs_in_which_is_a_post(ask: Asking) -> None:
    assert ask.bare("GET", "/viewer/api/entry").json() == {"local": False}
    assert ask.bare("GET", LOGIN).status_code == 405


def test_who_may_only_read_changes_nothing(ask: Asking) -> None:
    reader = Tab(ask, a_token(scope="read"))
    made = Tab(ask).add("We deploy on Fridays")
    assert reader.page("timeline")["items"][0]["id"] == made
    assert reader("POST", f"/viewer/api/memories/{made}/forget", json={}).status_code == 403
    assert reader("POST", "/api/review/1/accept", json={}).status_code == 403
