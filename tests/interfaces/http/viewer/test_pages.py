"""Every page over the wire: what it is told, page by page, and what stays out."""

from pathlib import Path
from typing import Any

import pytest

from tests.interfaces.http.served import Asking
from tests.interfaces.http.viewer.signed_in import Tab

QUEUE = "We settled on Postgres LISTEN/NOTIFY for the job queue"
RULE = "From now on, always run make check before you push."


def a_session(tab: Tab, *said: str, agent: str = "codex", end: bool = True) -> str:
    """Record a session of a person and an agent that agrees; return its id."""
    session = str(tab("POST", "/api/sessions", json={"agent": agent}).json()["id"])
    for text in said:
        tab("POST", f"/api/sessions/{session}/turns", json={"role": "user", "text": text})
        tab("POST", f"/api/sessions/{session}/turns", json={"role": "assistant", "text": "All right."})
    if end:
        assert tab("POST", f"/api/sessions/{session}/end", json={}).status_code == 200
    return session


def told(tab: Tab, session: str | None = None, prompt: str | None = None) -> str:
    """Let an agent get a brief; return its text."""
    wish = {"prompt": prompt, "session": session, "agent": "codex"}
    return str(tab("POST", "/api/context", json=wish).json()["text"])


def titles(page: Any) -> list[str]:
    """Return what a timeline lists."""
    return [item.get("title") or item["agent"] for item in page["items"]]


def test_me_says_who_looks_and_what_there_is_to_choose_from(tab: Tab) -> None:
    tab.add(QUEUE)
    a_session(tab, "Hello", agent="gemini")
    me = tab.page("me")
    assert (me["name"], me["scope"], me["person"], me["local"]) == ("tester", "admin", True, False)
    assert (me["undo_s"], me["statuses"]) == (20, ["candidate", "confirmed", "pinned"])
    assert "gemini" in me["seen_agents"]
    assert me["agents"][0] == "claude-code"


def test_today_of_an_empty_project_is_empty(tab: Tab) -> None:
    page = tab.page("today")
    assert (page["memories"], page["sessions"], page["agents"]) == (0, [], [])
    assert page["inbox"] == {"conflicts": 0, "proposals": 0, "candidates": 0, "imported": 0, "total": 0}
    assert page["elsewhere"] == {"learnt": [], "briefs": 0}


def test_today_says_what_each_session_was_told_and_what_was_learnt_in_it(tab: Tab) -> None:
    queue = tab.add(QUEUE, kind="decision")
    session = a_session(tab, "Hello", end=False)
    assert QUEUE in told(tab, session)
    tab("POST", f"/api/sessions/{session}/turns", json={"role": "user", "text": RULE})
    tab("POST", f"/api/sessions/{session}/end", json={})
    page = tab.page("today")
    [recent] = page["sessions"]
    assert recent["session"]["id"] == session
    assert recent["session"]["summary"]
    assert [(entry["id"], entry["title"]) for entry in recent["told"]["entries"]] == [(queue, QUEUE)]
    assert [line["title"] for line in recent["learnt"]] == [RULE.rstrip(".")]
    [day] = page["agents"]
    assert (day["agent"], day["sessions"], day["briefs"], day["told"], day["learnt"]) == ("codex", 1, 1, 1, 1)


def test_a_session_without_a_summary_is_known_by_how_it_began(tab: Tab) -> None:
    a_session(tab, "Fix the flaky test\nand then rest", end=False)
    [line] = tab.page("timeline", what="sessions")["items"]
    assert (line["summary"], line["opening"]) == ("", "Fix the flaky test")


def test_a_timeline_comes_in_pages_that_miss_and_repeat_nothing(tab: Tab) -> None:
    """Also of memories that came in one moment, and where one of a page was forgotten before the next."""
    items = [{"content": f"Fact number {number} of many", "trust": "user"} for number in range(7)]
    added = tab("POST", "/api/memories/batch", json={"items": items}).json()
    a_session(tab, "Hello")
    first = tab.page("timeline", limit=3)
    second = tab.page("timeline", limit=3, cursor=first["next"])
    tab("DELETE", f"/api/memories/{second['items'][-1]['id']}")
    third = tab.page("timeline", limit=3, cursor=second["next"])
    pages = [item["id"] for page in (first, second, third) for item in page["items"]]
    assert pages[1:] == [row["id"] for row in reversed(added)]
    assert third["next"] is None
    assert len(tab.page("timeline", limit=200)["items"]) == 7


FILTERS: tuple[tuple[dict[str, Any], list[str]], ...] = (
    ({"kind": ["decision"]}, ["queue"]),
    ({"kind": ["decision", "warning"]}, ["flags", "queue"]),
    ({"status": ["pinned"]}, ["flags"]),
    ({"trust": ["agent"]}, ["cache"]),
    ({"tag": ["db"]}, ["queue"]),
    ({"file": "src"}, ["queue"]),
    ({"contains": "CACHE"}, ["cache"]),
    ({"agent": ["codex"]}, ["codex"]),
    ({"agent": ["nobody"]}, []),
    ({"branch": ["nowhere"]}, []),
    ({"what": "sessions"}, ["codex"]),
    ({"what": "memories"}, ["cache", "flags", "queue"]),
    ({"since": "1d", "what": "memories"}, ["cache", "flags", "queue"]),
    ({"until": "1d"}, []),
    ({"scope": "user"}, []),
)


def test_a_timeline_is_filtered(tab: Tab) -> None:
    tab.add(QUEUE, kind="decision", title="queue", tags=["db"], files=["src/queue.py"])
    flags = tab.add("Never ship feature flags that nobody removes", kind="warning", title="flags")
    tab("POST", f"/api/memories/{flags}/pin", json={})
    tab.add("The cache is cold after a deploy", kind="fact", title="cache", trust="agent")
    a_session(tab, "Hello")
    listed = [(filters, sorted(titles(tab.page("timeline", **filters)))) for filters, _ in FILTERS]
    assert listed == list(FILTERS)


def test_history_is_shown_where_it_is_asked_for(tab: Tab) -> None:
    old, new = tab.add(QUEUE), tab.add("The job queue moved to NATS")
    tab("POST", f"/api/memories/{old}/supersede", json={"new": new})
    assert [item["id"] for item in tab.page("timeline")["items"]] == [new]
    history = {item["id"]: item for item in tab.page("timeline", history=True)["items"]}
    assert (history[old]["state"], history[old]["superseded_by"], history[new]["state"]) == (
        "superseded",
        new,
        "current",
    )


def test_what_cannot_be_used_is_named(tab: Tab) -> None:
    table = {
        "timeline?cursor=nonsense": "cursor",
        "timeline?limit=0": "limit",
        "timeline?what=none": "what",
        "timeline?since=someday": "since",
        "timeline?unknown=1": "unknown",
        "search?q=a&mode=guess": "mode",
        "today?sessions=99": "sessions",
    }
    answers = {path: tab("GET", f"/viewer/api/{path}") for path in table}
    assert {path: answer.json().get("field") for path, answer in answers.items()} == table
    assert {answer.status_code for answer in answers.values()} == {422}


def test_search_says_what_a_score_is_made_of(tab: Tab) -> None:
    queue = tab.add(QUEUE, kind="decision")
    page = tab.page("search", q="job queue")
    [hit] = page["hits"]
    assert (hit["id"], hit["short"], hit["kind"]) == (queue, queue[-8:], "decision")
    adding = [part for part in hit["parts"] if part["adds"]]
    assert sum(part["value"] for part in adding) == pytest.approx(hit["score"], abs=0.001)
    assert {part["name"]: part["value"] for part in hit["parts"]} == hit["why"]
    assert all(part["says"] for part in hit["parts"])
    assert "**" in hit["snippet"]
    assert page["terms"] == ["job", "queue"]


def test_searching_as_one_types_leaves_no_trace(tab: Tab) -> None:
    tab.add(QUEUE)
    for text in ("", "  ", "j", "jo", "job", "job qu"):
        tab.page("search", q=text)
    assert tab("GET", "/api/stats/accesses").json()["searches"] == 0


def test_what_was_said_and_whole_sessions_are_found(tab: Tab) -> None:
    session = a_session(tab, "The walrus sleeps under the pier")
    [turn] = tab.page("search", q="walrus pier", within="turns")["hits"]
    assert (turn["kind"], turn["session"]) == ("turn", session)
    [whole] = tab.page("search", q="walrus", within="sessions")["hits"]
    assert (whole["kind"], whole["id"]) == ("session", session)


def test_a_memory_is_shown_with_the_words_it_was_read_from(tab: Tab) -> None:
    text = f"Lunch is at noon.\n\n{RULE}"
    session = a_session(tab, text)
    [item] = tab.page("timeline", what="memories")["items"]
    page = tab.page(f"memories/{item['id']}")
    [evidence] = page["evidence"]
    assert (evidence["session"], evidence["role"], evidence["agent"]) == (session, "user", "codex")
    assert "".join(piece["text"] for piece in evidence["pieces"]) == text
    [marked] = [piece["text"] for piece in evidence["pieces"] if piece["marked"]]
    assert "always run make check before you push" in marked
    assert "noon" not in marked


def test_looking_at_a_memory_is_no_read(tab: Tab) -> None:
    made = tab.add(QUEUE)
    tab.page(f"memories/{made}")
    assert tab("POST", "/api/memories/peek", json={"ids": [made]}).json()[0]["reads"] == 0


def test_a_memory_is_shown_with_its_history_and_its_conflicts(tab: Tab) -> None:
    old = tab.add("Always use Redis for the job queue", kind="decision")
    new = tab.add("Never use Redis for the job queue", kind="decision")
    pages = {made: tab.page(f"memories/{made[-8:]}") for made in (old, new)}
    if pages[new]["conflicts"]:
        [conflict] = pages[old]["conflicts"]
        assert (conflict["other"]["id"], conflict["newer"], conflict["resolved_at"]) == (new, False, None)
    else:
        assert [version["line"]["id"] for version in pages[old]["history"]] == [old, new]
    assert [event["action"] for event in pages[old]["log"]][-1] == "add"
    assert pages[new]["may"]["reinstate"] is False


def test_a_memory_says_whether_its_files_changed(tab: Tab, project: Path) -> None:
    for name in ("same.py", "changed.py", "gone.py"):
        (project / name).write_text("before")
    made = tab.add(QUEUE, files=["same.py", "changed.py", "gone.py", "never.py"])
    (project / "changed.py").write_text("after")
    (project / "gone.py").unlink()
    files = {file["path"]: file["state"] for file in tab.page(f"memories/{made}")["files"]}
    assert files == {"same.py": "same", "changed.py": "changed", "gone.py": "missing", "never.py": "unknown"}


def test_a_memory_says_when_it_was_told_to_whom_and_whether_it_was_fetched(tab: Tab) -> None:
    made = tab.add(QUEUE, kind="decision")
    session = a_session(tab, "Hello", end=False)
    told(tab, session)
    deliveries = tab.page(f"memories/{made}")["told"]
    assert deliveries["times"] == 1
    [receipt] = deliveries["receipts"]
    assert (receipt["session"], receipt["agent"], receipt["prompted"], receipt["fetched_at"]) == (
        session,
        "codex",
        False,
        None,
    )
    tab("GET", f"/api/memories/{made}")
    tab("GET", "/api/stats")  # what is held back for the log of accesses is written
    assert tab.page(f"memories/{made}")["told"]["receipts"][0]["fetched_at"] is not None


def test_what_is_not_there_is_not_found(tab: Tab) -> None:
    for path in ("memories/01a1e656-8395-7a35-814f-3fa1b70ddb5b", "sessions/ffffffff", "briefs/none"):
        assert tab("GET", f"/viewer/api/{path}").status_code == 404


def test_a_session_is_shown_with_its_findings_forks_and_briefs_word_for_word(tab: Tab) -> None:
    tab.add(QUEUE, kind="decision")
    session = a_session(tab, "Hello", end=False)
    text = told(tab, session)
    tab("POST", f"/api/sessions/{session}/turns", json={"role": "user", "text": RULE})
    tab("POST", f"/api/sessions/{session}/checkpoint", json={})
    fork = tab("POST", f"/api/sessions/{session}/fork", json={}).json()["id"]
    tab("POST", f"/api/sessions/{session}/end", json={})
    page = tab.page(f"sessions/{session}")
    turns = tab.page(f"sessions/{session}/turns")["turns"]
    assert [len(turn["became"]) for turn in turns] == [0, 0, 1]  # and not that of the fork as well
    assert len(tab.page(f"memories/{page['learnt'][0]['id']}")["evidence"]) == 1
    [finding] = page["findings"]
    assert (finding["outcome"], finding["memory"]["title"]) == (
        "remembered",
        RULE.rstrip("."),
    )
    assert (page["tree"]["id"], page["tree"]["here"]) == (session, True)
    assert [child["id"] for child in page["tree"]["children"]] == [fork]
    assert tab.page(f"sessions/{fork}")["tree"]["children"][0]["here"]
    [brief] = page["briefs"]
    assert (brief["text_kept"], brief["entries"], brief["prompted"]) == (True, 1, False)
    assert tab.page(f"briefs/{brief['id']}")["text"] == text


def test_turns_say_what_became_of_them(tab: Tab) -> None:
    session = a_session(tab, "Hello", RULE)
    page = tab.page(f"sessions/{session}/turns")
    assert (len(page["turns"]), page["next"], page["previous"], page["total"]) == (4, None, None, 4)
    ruling = page["turns"][2]
    [became] = ruling["became"]
    assert (became["outcome"], became["title"]) == ("remembered", RULE.rstrip("."))
    assert "".join(piece["text"] for piece in ruling["pieces"]) == RULE
    assert any(piece["marked"] and piece["memory"] == became["memory"] for piece in ruling["pieces"])


def test_turns_come_in_pages_in_both_directions_and_around_one(tab: Tab) -> None:
    session = a_session(tab, *[f"Number {number}" for number in range(15)])
    at = f"sessions/{session}/turns"
    ids = [turn["id"] for turn in tab.page(at)["turns"]]
    first = tab.page(at, limit=4)
    assert ([turn["id"] for turn in first["turns"]], first["next"]) == (ids[:4], ids[3])
    second = tab.page(at, limit=4, after=first["next"])
    assert ([turn["id"] for turn in second["turns"]], second["previous"]) == (ids[4:8], ids[4])
    back = tab.page(at, limit=4, before=second["previous"])
    assert ([turn["id"] for turn in back["turns"]], back["previous"], back["next"]) == (ids[:4], None, ids[3])
    middle = tab.page(at, limit=12, around=ids[20])
    assert [turn["id"] for turn in middle["turns"]] == ids[11:23]
    assert (middle["previous"], middle["next"]) == (ids[11], ids[22])
    assert tab.page(at, around=ids[1])["previous"] is None


def test_a_preview_is_the_brief_that_an_agent_gets_and_leaves_no_receipt(tab: Tab) -> None:
    queue = tab.add(QUEUE, kind="decision")
    wish = {"prompt": "which job queue do we use?", "agent": "codex", "budget": 800}
    preview = tab("POST", "/viewer/api/preview", json=wish).json()
    brief = tab("POST", "/api/context", json=wish).json()
    assert _without_nonce(preview["text"]) == _without_nonce(brief["text"])
    assert preview["budget"] == brief["budget"]
    assert [entry["id"] for entry in preview["entries"]] == [queue]
    assert [tier["tier"] for tier in preview["tiers"]] == ["always", "bridge", "retrieval", "summaries"]
    assert [tier["entries"] for tier in preview["tiers"]] == [0, 0, 1, 0]
    assert 0 < preview["entries"][0]["tokens"] <= preview["tiers"][2]["used"] < preview["tokens"]
    assert len(tab("GET", "/api/receipts").json()) == 1


def test_a_preview_says_what_was_left_out_and_why(tab: Tab) -> None:
    for number in range(9):
        tab.add(f"The job queue of service {number} retries {number} times after an error", kind="decision")
    wish = {"prompt": "how often does the job queue retry after an error?", "agent": "codex"}
    preview = tab("POST", "/viewer/api/preview", json=wish).json()
    reasons = {left["reason"] for left in preview["left_out"]}
    assert reasons <= {"budget", "irrelevant", "outdated", "weaker", "same_session", "repeated"}
    assert "weaker" in reasons
    shown, left = ({entry["id"] for entry in preview[name]} for name in ("entries", "left_out"))
    assert not shown & left
    assert all(left["title"] and left["says"] for left in preview["left_out"])
    small = tab("POST", "/viewer/api/preview", json={"prompt": None, "agent": "claude-code", "budget": 220}).json()
    assert "budget" in {left["reason"] for left in small["left_out"]}
    assert small["tokens"] <= 220


def test_health_counts_what_there_is(tab: Tab) -> None:
    tab.add(QUEUE, kind="decision")
    tab.add("The cache is cold after a deploy", kind="fact", trust="agent")
    told(tab)
    page = tab.page("health")
    assert (page["memories"], page["current"]) == (2, 2)
    assert page["kinds"] == [{"name": "decision", "count": 1}, {"name": "fact", "count": 1}]
    assert (page["growth"][-1]["made"], page["growth"][-1]["total"]) == (2, 2)
    assert (page["audit"]["whole"], page["audit"]["broken_at"]) == (True, None)
    assert page["latency"]["limit_ms"] == 200
    assert len(page["latency"]["briefs"]) == 1
    assert page["fading"]["soon"][0]["kind"] == "fact"
    assert "place" not in page["store"]


def test_health_counts_history_once(tab: Tab) -> None:
    """What was superseded is no current memory, and takes nothing from those that are."""
    old, new = tab.add(QUEUE), tab.add("The job queue moved to NATS")
    tab.add("The cache is cold after a deploy")
    assert tab("POST", f"/api/memories/{old}/supersede", json={"new": new}).status_code == 200
    page = tab.page("health")
    assert (page["memories"], page["current"], page["superseded"]) == (3, 2, 1)


def test_the_inbox_is_settled_and_taken_back(tab: Tab, ask: Asking) -> None:
    candidate = tab.add("The cache is cold after a deploy", trust="agent")
    [item] = tab.page("inbox")["items"]
    assert (item["id"], item["sort"], item["sides"][0]["cut"]) == (candidate, "candidate", False)
    assert tab.page("inbox", sort="conflict")["items"] == []
    tab("POST", f"/api/review/{candidate}/accept", json={})
    page = tab.page("inbox")
    assert (page["items"], page["total"]) == ([], 0)
    assert [entry["id"] for entry in page["undoable"]] == [candidate]
    tab("POST", "/api/undo-review", json={"id": candidate})
    assert [item["id"] for item in tab.page("inbox")["items"]] == [candidate]


def test_no_answer_is_long_however_long_the_texts_are(tab: Tab) -> None:
    for number in range(30):
        tab.add(f"Number {number}: " + "long words " * 5_000, trust="agent")
    for path in ("timeline?limit=200", "today", "inbox?limit=50", "search?q=long+words&limit=100"):
        assert len(tab("GET", f"/viewer/api/{path}").content) < 1_000_000


def test_what_looks_like_markup_comes_back_as_the_text_it_is(tab: Tab) -> None:
    text = "Use <img src=x onerror=alert(1)> never; </script> neither"
    made = tab.add(text)
    answer = tab("GET", f"/viewer/api/memories/{made}")
    assert answer.json()["memory"]["content"] == text
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"


def test_changes_are_heard_with_a_key(tab: Tab, ask: Asking) -> None:
    assert tab("GET", "/api/events", headers={"Holdfast-Viewer": None}).status_code == 403
    with ask._client.stream("GET", "/api/events", headers=tab.headers) as stream:
        made = tab.add(QUEUE)
        lines = stream.iter_lines()
        assert any(made in line for line in lines if line.startswith("data:"))


def _without_nonce(text: str) -> str:
    nonce = text.split()[3]
    return text.replace(nonce, "")
