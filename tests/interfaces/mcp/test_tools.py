"""The tools, through the SDK's own client, in both protocol eras."""

from operator import methodcaller
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from holdfast.interfaces.mcp.catalogue import TOOLS
from holdfast.interfaces.mcp.tools import tools
from holdfast.interfaces.mcp.verbs import ProjectRunner
from holdfast.model.kinds import AGENT, USER
from holdfast.model.requests import Draft, Message
from holdfast.model.search import Filters
from holdfast.service.service import Service
from tests.interfaces.mcp.conftest import Agent

QUEUE = "We settled on Postgres LISTEN/NOTIFY for the job queue, because Redis lost jobs twice"


def test_every_tool_is_offered_in_order(agent: Agent) -> None:
    listed = [tool.name for tool in agent.do(lambda client: client.list_tools()).tools]
    assert listed == [tool.name for tool in tools()]
    assert [name for name in TOOLS if name in listed] == listed


def test_what_was_added_is_found_read_and_recalled(agent: Agent) -> None:
    added = agent.call("memory_add", content=QUEUE, kind="decision", tags=["queue"], files=["jobs.py"])
    assert added == {"id": added["id"], "created": True, "duplicate": False}
    [hit] = agent.call("memory_search", query="which job queue")["hits"]
    assert hit == {
        "id": added["id"],
        "title": hit["title"],
        "kind": "decision",
        "score": hit["score"],
        "snippet": "jobs.py",
        "date": hit["date"],
        "trust": "agent",
        "source": "mcp",
        "status": "candidate",
    }
    [memory] = agent.call("memory_get", ids=[added["id"]])["memories"]
    assert (memory["content"], memory["tags"], memory["files"]) == (QUEUE, ["queue"], ["jobs.py"])
    [recalled] = agent.call("memory_recall", query="job queue", k=1)["memories"]
    assert recalled == {**memory, "score": recalled["score"]}


def test_adding_the_same_again_is_a_duplicate(agent: Agent) -> None:
    first = agent.add(QUEUE)
    assert agent.call("memory_add", content=QUEUE.upper()) == {"id": first, "created": False, "duplicate": True}
    assert agent.text("memory_add", content=QUEUE) == f"Known already as {first}."


def test_what_an_agent_adds_is_stamped_with_its_name_and_an_agents_trust(
    agent: Agent, verbs: ProjectRunner
) -> None:
    agent.add(QUEUE)
    [memory] = verbs.run(lambda service: service.list(Filters()))
    assert (memory.agent, memory.trust, memory.status, memory.source) == ("mcp", AGENT, "candidate", "mcp")


def test_recalling_is_no_read_but_getting_is(agent: Agent, verbs: ProjectRunner) -> None:
    memory_id = agent.add(QUEUE)
    agent.call("memory_recall", query="job queue")
    agent.call("memory_search", query="job queue")
    assert verbs.run(lambda service: service.peek(memory_id)).reads == 0  # type: ignore[union-attr]  # it is there
    agent.call("memory_get", ids=[memory_id])
    assert verbs.run(lambda service: service.peek(memory_id)).reads == 1  # type: ignore[union-attr]  # it is there


def test_the_timeline_shows_what_was_said_around_a_memory(agent: Agent) -> None:
    ids = [agent.add(f"Note {number} about the deployment") for number in range(5)]
    entries = agent.call("memory_timeline", id=ids[2], window=1)["entries"]
    assert [entry["id"] for entry in entries] == ids[1:4]
    assert [entry.get("anchor") for entry in entries] == [None, True, None]


def test_filters_reach_the_search(agent: Agent) -> None:
    kept = agent.add("Retry the upload three times", kind="decision", tags=["net"], files=["net/upload.py"])
    agent.add("Retry the download three times", kind="fact")
    for name, value in (
        ("kinds", ["decision"]),
        ("kinds", "decision"),
        ("kinds", '["decision"]'),
        ("tags", ["net"]),
        ("file", "net"),
        ("contains", "upload"),
    ):
        found = agent.call("memory_search", query="retry three times", **{name: value})["hits"]
        assert [hit["id"] for hit in found] == [kept], (name, value)
    assert agent.call("memory_search", query="retry", since="2099-01-01")["hits"] == []


def test_update_edits_and_supersedes_what_agents_wrote(agent: Agent) -> None:
    old, new = agent.add("Use Redis for the queue"), agent.add("Use Postgres for the queue")
    assert agent.call("memory_update", id=old, title="Queue on Redis")["title"] == "Queue on Redis"
    retired = agent.call("memory_update", id=old, action="supersede", by=new)
    assert (retired["id"], retired["superseded_by"]) == (old, new)
    assert [hit["id"] for hit in agent.call("memory_search", query="queue")["hits"]] == [new]


@pytest.mark.parametrize("action", ["pin", "confirm"])
def test_an_agent_vouches_for_nothing(agent: Agent, person: Service, action: str) -> None:
    noted = agent.add("Use Redis for the queue")
    waits = agent.call("memory_update", id=noted, action=action)
    assert waits == {"id": noted, "proposal": waits["proposal"], "why": "only a person can vouch for it"}
    assert waits["proposal"] in agent.text("memory_update", id=noted, action=action)
    [memory] = agent.call("memory_get", ids=[noted])["memories"]
    assert memory["status"] == "candidate"
    assert [(one.verb, one.memory[-8:]) for one in person.review.waiting()] == [(action, noted)], "asked for once"


def test_what_a_person_said_is_a_persons_to_change(agent: Agent, person: Service) -> None:
    said = person.add(Draft(content="Deploy on Tuesdays only", trust=USER)).id or ""
    new = agent.add("Deploys may go out on any day")
    person.pin(said)
    before = person.peek(said)
    wishes: list[dict[str, object]] = [
        {"content": "Deploy on any day"},
        {"action": "unpin"},
        {"action": "supersede", "by": new},
    ]
    for wish in wishes:
        assert agent.call("memory_update", id=said, **wish)["why"] == "a person said it"
    assert agent.call("memory_delete", id=said)["ids"] == []
    assert person.peek(said) == before
    assert [one.verb for one in person.review.waiting()] == ["update", "unpin", "supersede", "forget"]


def test_memories_that_disagree_are_named_wherever_one_is_shown_until_that_is_resolved(
    agent: Agent, person: Service
) -> None:
    said = Draft(content="Always use Redis for the job queue", kind="decision", trust=USER)
    old = person.short_id(person.add(said).id or "")
    added = agent.call("memory_add", content="Never use Redis for the job queue", kind="decision")
    [conflict] = added["conflicts"]
    assert "[⚠ CONFLICT]" in conflict
    assert agent.call("memory_search", query="redis job queue")["conflicts"] == [conflict]
    assert agent.call("memory_get", ids=[old])["conflicts"] == [conflict]
    assert conflict in agent.text("memory_recall", query="redis job queue")
    assert agent.call("memory_stats")["conflicts"] == 1
    for keep in (old, added["id"], "both"):
        assert "proposal" in agent.call("memory_update", id=conflict[:8], action="resolve", keep=keep)
    person.review.accept(person.review.waiting()[0].id)
    assert "conflicts" not in agent.call("memory_search", query="redis job queue")


def test_an_agent_resolves_what_agents_disagree_about(agent: Agent) -> None:
    old = agent.add("Always use Redis for the job queue", kind="decision")
    added = agent.call("memory_add", content="Never use Redis for the job queue", kind="decision")
    conflict = added["conflicts"][0][:8]
    settled = agent.call("memory_update", id=conflict, action="resolve", keep=old)
    assert settled == {"id": conflict, "kept": old}
    assert agent.call("memory_update", id=added["id"], action="reinstate")["id"] == added["id"]


def test_a_secret_that_an_agent_adds_is_not_kept(agent: Agent) -> None:
    token = "ghp_" + "A1b2C3d4E5" * 3 + "f6G7h8"
    memory_id = agent.add(f"The deploy key is {token}")
    [memory] = agent.call("memory_get", ids=[memory_id])["memories"]
    assert token not in memory["content"]


def test_delete_forgets_for_good(agent: Agent) -> None:
    memory_id = agent.add(QUEUE)
    gone = {"ids": [memory_id], "account": "1 memory", "pending": False}
    assert agent.call("memory_delete", id=memory_id) == gone
    assert agent.call("memory_get", ids=[memory_id]) == {"memories": [], "unknown": [memory_id]}
    assert agent.call("memory_add", content=QUEUE)["rejected"] == "forgotten"


def test_stats_count_what_there_is(agent: Agent) -> None:
    agent.add(QUEUE, kind="decision")
    agent.add("I prefer short answers", kind="preference", scope="user")
    stats = agent.call("memory_stats")
    assert (stats["memories"], stats["by_kind"], stats["user_memories"]) == (1, {"decision": 1}, 1)


def test_hidden_characters_in_a_memory_do_not_reach_a_model(agent: Agent) -> None:
    sly = "Deploy\u202e on\u200b Tuesdays\U000e0041\x1b[31m only"
    memory_id = agent.add(sly)
    [memory] = agent.call("memory_get", ids=[memory_id])["memories"]
    assert memory["content"] == "Deploy on Tuesdays only"
    assert "\u202e" not in agent.text("memory_search", query="deploy tuesdays")


CALLS: list[tuple[str, dict[str, Any]]] = [
    ("memory_search", {"query": "queue", "within": "all"}),
    ("memory_timeline", {"id": "ID"}),
    ("memory_get", {"ids": ["ID", "00000000"]}),
    ("memory_add", {"content": "Another thing"}),
    ("memory_recall", {"query": "queue"}),
    ("memory_update", {"id": "ID", "action": "confirm"}),
    ("memory_prune", {"days": 0}),
    ("memory_stats", {}),
    ("memory_delete", {"id": "ID"}),
]


def test_every_result_is_what_its_schema_says(agent: Agent) -> None:
    listed = {tool.name: tool for tool in agent.do(lambda client: client.list_tools()).tools}
    assert {name for name, _ in CALLS} == set(listed)
    memory_id = agent.add(QUEUE, tags=["a"], context="The outage in May", expires="30d")
    for name, given in CALLS:
        arguments = {key: _filled(value, memory_id) for key, value in given.items()}
        schema = listed[name].output_schema
        assert schema
        Draft202012Validator({**schema, "additionalProperties": False}).validate(agent.call(name, **arguments))


def _filled(value: Any, memory_id: str) -> Any:
    return (
        [_filled(one, memory_id) for one in value]
        if isinstance(value, list)
        else {"ID": memory_id}.get(value, value)
    )


MISTAKES: list[tuple[str, dict[str, Any], str]] = [
    ("memory_search", {}, "query"),
    ("memory_search", {"query": 5}, "query"),
    ("memory_search", {"query": "x", "limit": "many"}, "limit"),
    ("memory_search", {"query": "x", "limit": 0}, "limit"),
    ("memory_search", {"query": "x", "mode": "psychic"}, "mode"),
    ("memory_search", {"query": "x", "kinds": ["opinion"]}, "kind"),
    ("memory_search", {"query": "x", "since": "whenever"}, "since"),
    ("memory_search", {"question": "x", "query": "x"}, "question"),
    ("memory_get", {"ids": [1]}, "ids"),
    ("memory_timeline", {"id": "00000000"}, "00000000"),
    ("memory_add", {"content": ""}, "content"),
    ("memory_add", {"content": "x" * 70_000}, "content"),
    ("memory_add", {"content": "x", "importance": 7}, "importance"),
    ("memory_update", {"id": "00000000", "action": "edit"}, "edit needs"),
    ("memory_update", {"id": "00000000", "action": "supersede"}, "by"),
    ("memory_update", {"id": "00000000", "action": "burn"}, "action"),
    ("memory_update", {"id": "00000000", "action": "pin"}, "00000000"),
    ("memory_delete", {"id": "00000000"}, "00000000"),
    ("memory_stats", {"deep": True}, "deep"),
    ("memory_sing", {}, "memory_sing"),
]


def test_a_mistake_is_an_error_object_that_names_the_field(agent: Agent, subtests: pytest.Subtests) -> None:
    for tool, arguments, named in MISTAKES:
        with subtests.test(tool=tool, arguments=arguments, named=named):
            told = agent.mistake(methodcaller("call_tool", tool, arguments))
            assert told.code == -32602
            assert named in told.message


def test_a_null_is_as_good_as_leaving_an_argument_out(agent: Agent) -> None:
    assert agent.call("memory_search", query="x", kinds=None, since=None, limit=None) == {"hits": []}


def test_a_search_falls_through_to_what_was_said_and_labels_it(agent: Agent, person: Service) -> None:
    memory_id = agent.add("The retry cap is seven", kind="fact")
    session = person.start_session("codex")
    person.record(session.id, Message(role="user", text="Please lower the backoff ceiling to nine seconds"))
    [remembered] = agent.call("memory_search", query="retry cap")["hits"]
    assert (remembered["id"], remembered["kind"]) == (memory_id, "fact")
    [said] = agent.call("memory_search", query="backoff ceiling")["hits"]
    assert (said["kind"], said["trust"], said["session"]) == ("turn", "user", person.short_session_id(session.id))
    assert agent.call("memory_search", query="backoff ceiling", within="memories")["hits"] == []


def test_recall_shows_what_holds_a_text_and_what_was_said_of_it(agent: Agent, person: Service) -> None:
    agent.add("The retry cap is seven", kind="fact")
    eight = agent.add("The retry cap of uploads is eight", kind="fact")
    [memory] = agent.call("memory_recall", query="retry cap", contains="UPLOADS")["memories"]
    assert memory["id"] == eight
    session = person.start_session("codex")
    person.record(session.id, Message(role="user", text="Please lower the backoff ceiling to nine seconds"))
    answer = agent.call("memory_recall", query="backoff ceiling", contains="nine")
    assert answer["memories"] == []
    assert "Please lower the backoff ceiling to nine seconds" in answer["quotes"][0]


def test_metadata_and_confidence_of_a_note_are_kept(agent: Agent, verbs: ProjectRunner) -> None:
    agent.add(QUEUE, metadata={"ticket": "OPS-7"}, confidence=0.4)
    [memory] = verbs.run(lambda service: service.list(Filters()))
    assert (memory.metadata["ticket"], memory.confidence) == ("OPS-7", 0.4)
