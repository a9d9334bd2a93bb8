"""Forgetting with a window: hidden at once, taken back in time, gone with the window or with the server."""

import contextlib
from pathlib import Path

from holdfast.interfaces.python import Holdfast
from holdfast.model.requests import Draft
from holdfast.storage.open import open_service
from tests.conftest import FakeClock
from tests.interfaces.http.served import Asking, a_token, served_here
from tests.interfaces.http.viewer.signed_in import Tab

QUEUE = "We settled on Postgres LISTEN/NOTIFY for the job queue"


def test_a_memory_on_its_way_out_is_told_to_nobody_and_can_be_taken_back(tab: Tab) -> None:
    made = tab.add(QUEUE, kind="decision")
    tab("POST", f"/api/memories/{made}/pin", json={})
    leaving = tab("POST", f"/viewer/api/memories/{made}/forget", json={}).json()
    assert (leaving["id"], leaving["done"]) == (made, False)
    assert tab.page("timeline")["items"] == []
    assert tab.page("search", q="job queue")["hits"] == []
    assert QUEUE not in tab("POST", "/api/context", json={"agent": "codex"}).json()["text"]
    assert [row["forgets_at"] for row in tab.page("forgetting")] == [leaving["forgets_at"]]
    assert tab.page(f"memories/{made}")["line"]["forgets_at"] == leaving["forgets_at"]
    line = tab("POST", f"/viewer/api/memories/{made[-8:]}/forget/undo", json={}).json()
    assert (line["state"], line["status"], line["forgets_at"]) == ("current", "pinned", None)
    assert [item["id"] for item in tab.page("timeline")["items"]] == [made]
    assert tab.page("forgetting") == []


def test_what_nobody_took_back_in_time_is_forgotten(project: Path, clock: FakeClock) -> None:
    with served_here(project, clock=clock) as ask:
        tab = Tab(ask)
        made = tab.add(QUEUE)
        tab("POST", f"/viewer/api/memories/{made}/forget", json={})
        clock.advance(19_999)
        tab.page("me")
        assert tab("GET", f"/viewer/api/memories/{made}").status_code == 200
        clock.advance(1)
        tab.page("me")
        assert tab("GET", f"/viewer/api/memories/{made}").status_code == 404
        late = tab("POST", f"/viewer/api/memories/{made}/forget/undo", json={})
        assert (late.status_code, late.json()["field"]) == (422, "undo")


def test_a_server_that_stops_forgets_what_is_on_its_way(project: Path) -> None:
    with served_here(project) as ask:
        tab = Tab(ask)
        made = tab.add(QUEUE)
        tab("POST", f"/viewer/api/memories/{made}/forget", json={})
    with Holdfast.open(project) as memory:
        assert memory.get([made]) == []
    assert QUEUE.encode() not in b"".join(file.read_bytes() for file in (project / ".holdfast").glob("*.db*"))


def test_what_a_killed_server_left_goes_with_the_next_upkeep(project: Path, clock: FakeClock) -> None:
    with contextlib.closing(open_service(project, actor="view", clock=clock)) as service:
        made = str(service.add(Draft(content=QUEUE, trust="user")).id)
        service.forget_window.begin(made)  # and then it is killed
    with contextlib.closing(open_service(project, actor="cli", clock=clock)) as service:
        service.flush()
        assert service.peek(made)
        clock.advance(20_000)
        service.flush()
        assert service.peek(made) is None
        assert service.forget_window.leaving() == []


def test_what_is_forgotten_at_once_cannot_be_taken_back(tab: Tab) -> None:
    made = tab.add(QUEUE)
    gone = tab("POST", f"/viewer/api/memories/{made}/forget", json={"at_once": True}).json()
    assert gone == {"id": made, "title": "", "forgets_at": 0, "done": True}
    assert tab("GET", f"/viewer/api/memories/{made}").status_code == 404


def test_who_is_no_person_only_asks_for_it(tab: Tab, ask: Asking) -> None:
    made = tab.add(QUEUE)
    writer = Tab(ask, a_token(scope="write", name="bot"))
    answer = writer("POST", f"/viewer/api/memories/{made}/forget", json={})
    assert (answer.status_code, answer.json()["error"]) == (202, "Proposed")
    assert [item["sort"] for item in tab.page("inbox")["items"]] == ["proposal"]


def test_what_a_forget_would_take_is_said_before(tab: Tab) -> None:
    session = tab("POST", "/api/sessions", json={"agent": "codex"}).json()["id"]
    said = {"role": "user", "text": "From now on, always run make check before you push."}
    tab("POST", f"/api/sessions/{session}/turns", json=said)
    tab("POST", f"/api/sessions/{session}/end", json={})
    [item] = tab.page("timeline", what="memories")["items"]
    before = tab.page(f"memories/{item['id']}/forget")
    assert (before["memories"], before["sentences"], before["sessions"]) == (1, 1, 1)
    assert before["account"] == "1 memory, 1 sentence in 1 session"
    assert before["excerpts"][0]["role"] == "user"


def test_what_a_brief_said_goes_with_what_it_told_of(tab: Tab) -> None:
    made, other = tab.add(QUEUE, kind="decision"), tab.add("Never deploy on a Friday", kind="warning")
    first = tab("POST", "/api/context", json={"agent": "codex"}).json()["text"]
    assert QUEUE in first
    tab("DELETE", f"/api/memories/{made}")
    second = tab("POST", "/api/context", json={"agent": "codex"}).json()["text"]
    later, earlier = tab("GET", "/api/receipts").json()
    assert tab.page(f"briefs/{later['id']}")["text"] == second
    gone = tab.page(f"briefs/{earlier['id']}")
    assert (gone["text"], gone["gone"]) == (None, "forgotten")
    assert other in {entry["id"] for entry in gone["entries"]}
