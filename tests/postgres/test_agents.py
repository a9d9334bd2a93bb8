"""Agents whose memory is on a server: hooks that spool and brief, the worker that drains, and the MCP server."""

import json
import select
import socket
import threading
from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.agents import spool
from holdfast.errors import InvalidInput, StoreUnreachable
from holdfast.interfaces.mcp.verbs import ProjectRunner
from holdfast.machine import paths
from holdfast.model.memory import Added
from holdfast.model.requests import Draft
from holdfast.model.search import Filters
from holdfast.service.service import Service
from holdfast.storage import worker
from tests.hooking import HUNG_S, hook, prompt, reply, traces, waiting
from tests.interfaces.hooks.test_worker import wait_for_empty_spool, wait_for_no_worker

QUESTION = "How do we store prices in the order table?"
RULE = "Decision: prices are stored in integer cents, never as floats."


def told(event: str, payload: object) -> str:
    """Run a hook of Claude Code and return what its model would read."""
    done = hook("claude", event, payload)
    assert (done.code, done.err) == (0, "")
    return str(json.loads(done.out)["hookSpecificOutput"]["additionalContext"]) if done.out else ""


def remember(project: Path, *texts: str) -> list[str]:
    """Remember texts as a person would; return their ids."""
    with Holdfast.open(project) as memory:
        return [str(memory.add(text, trust="user", kind="decision").id) for text in texts]


def test_a_first_prompt_is_answered_from_the_server(repository: Path, hosted: str) -> None:
    known, _ = remember(repository, "Prices are stored in integer cents", "The logo is teal")
    text = told("UserPromptSubmit", prompt(repository, QUESTION))
    assert "Prices are stored in integer cents" in text
    assert f'id="{known[-8:]}"' in text
    assert "teal" not in text
    assert (traces(), (repository / ".holdfast").exists()) == ([], False)
    assert [entry["text"] for entry in waiting(repository)] == [QUESTION]


def test_a_session_is_not_told_twice(repository: Path, hosted: str) -> None:
    [known] = remember(repository, "Prices are stored in integer cents")
    with Holdfast.open(repository) as memory:
        memory.pin(known)
    begun = {"session_id": "s1", "cwd": str(repository), "source": "startup"}
    assert "integer cents" in told("SessionStart", begun)
    assert told("UserPromptSubmit", prompt(repository, QUESTION)) == ""
    assert "integer cents" in told("UserPromptSubmit", prompt(repository, QUESTION, session="s2"))


def test_the_sign_names_what_was_learnt_on_the_server(repository: Path, hosted: str) -> None:
    remember(repository, "Prices are stored in integer cents")

    def shown(session: str) -> object:
        payload = {"session_id": session, "cwd": str(repository), "source": "startup"}
        return json.loads(hook("claude", "SessionStart", payload).out)["systemMessage"]

    assert shown("s1") == "holdfast: 1 rule told"
    hook("claude", "UserPromptSubmit", prompt(repository, "Please remember that deploys go out on Tuesdays only."))
    hook("claude", "SessionEnd", {"session_id": "s1", "cwd": str(repository)})
    wait_for_empty_spool(repository)
    wait_for_no_worker(repository)
    with Holdfast.open(repository) as memory:
        [learnt] = [one for one in memory.list() if one.source == "promoted"]
    title = "deploys go out on Tuesdays only"
    assert shown("s2") == f'holdfast: 2 rules told; learnt: "{title}" · /forget {learnt.id[-8:]}'
    assert shown("s3") == "holdfast: 2 rules told"


def test_what_the_agent_was_told_is_not_taken_for_its_own_words(repository: Path, hosted: str) -> None:
    remember(repository, "Prices are stored in integer cents.")
    told("UserPromptSubmit", prompt(repository, QUESTION))
    hook("claude", "Stop", reply(repository, "Prices are stored in integer cents. I added the column."))
    assert [entry["text"] for entry in waiting(repository)][1:] == ["I added the column."]


def test_what_another_session_just_said_is_told_before_it_is_drained(repository: Path, hosted: str) -> None:
    told("UserPromptSubmit", prompt(repository, RULE, session="earlier"))
    asked = "Are prices integer cents or floats in the order table?"
    assert "never as floats" in told("UserPromptSubmit", prompt(repository, asked, session="later"))


def test_the_worker_moves_the_spool_to_the_server(repository: Path, hosted: str) -> None:
    hook("claude", "UserPromptSubmit", prompt(repository, RULE))
    worker.drain_spool(str(repository), float("inf"))
    assert list(spool.waiting_entries(str(repository))) == []
    with Holdfast.open(repository) as memory:
        [session] = memory.sessions()
        assert (session.ref, session.turns, session.tenant) == ("claude:s1", 1, "acme")


def test_what_was_recorded_while_the_server_was_down_is_moved_when_it_is_back(
    repository: Path, hosted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook("claude", "UserPromptSubmit", prompt(repository, RULE))
    monkeypatch.setenv("HOLDFAST_STORE_URL", "postgresql://127.0.0.1:1/x")
    with pytest.raises(StoreUnreachable):
        worker.drain_spool(str(repository), float("inf"))
    assert [entry["text"] for entry in waiting(repository)] == [RULE]
    monkeypatch.setenv("HOLDFAST_STORE_URL", hosted)
    worker.drain_spool(str(repository), float("inf"))
    assert waiting(repository) == []
    with Holdfast.open(repository) as memory:
        assert [session.turns for session in memory.sessions()] == [1]


def test_a_server_that_is_down_costs_the_brief_and_nothing_else(
    repository: Path, hosted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_STORE_URL", "postgresql://ada:hunter2@127.0.0.1:1/x")
    assert hook("claude", "UserPromptSubmit", prompt(repository, QUESTION)).silent
    assert [entry["text"] for entry in waiting(repository)] == [QUESTION]
    [left] = traces()
    assert "does not answer" in left
    assert all(b"hunter2" not in file.read_bytes() for file in Path(paths.data_directory()).rglob("*.*"))


def test_a_server_that_says_nothing_does_not_hold_up_the_agent(
    repository: Path, hosted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own time ends a hook: the driver's five seconds would come first where a busy machine stretches it."""
    with socket.socket() as mute:
        mute.bind(("127.0.0.1", 0))
        mute.listen()
        address = f"postgresql://127.0.0.1:{mute.getsockname()[1]}/x?connect_timeout={HUNG_S}"
        monkeypatch.setenv("HOLDFAST_STORE_URL", address)
        for pace in ("1", "10", "100"):  # a machine may be too busy to get as far as the server in the usual time
            done = hook("claude", "UserPromptSubmit", prompt(repository, QUESTION), HOLDFAST_HOOK_PACE=pace)
            assert done.silent
            assert traces()[-1] == "gave up"
            if select.select([mute], [], [], 0)[0]:
                break
        else:
            pytest.fail("no hook ever asked the server")
    assert {entry["text"] for entry in waiting(repository)} == {QUESTION}


def test_outside_a_repository_hooks_remember_once_memory_was_asked_for(project: Path, hosted: str) -> None:
    assert hook("claude", "UserPromptSubmit", prompt(project, RULE)).silent
    assert waiting(project) == []
    remember(project, "Prices are stored in integer cents")
    assert "integer cents" in told("UserPromptSubmit", prompt(project, QUESTION))


def add(service: Service) -> Added:
    """Remember something."""
    return service.add(Draft(content="Ship on Fridays never"))


def count(service: Service) -> int:
    """Count what is remembered."""
    return len(service.list(Filters()))


def test_a_server_for_agents_sees_what_colleagues_add(repository: Path, hosted: str) -> None:
    verbs = ProjectRunner(lambda: repository)
    assert verbs.run(count) == 0
    remember(repository, "Said by a colleague")
    assert verbs.run(count) == 1
    assert verbs.run(add, create=True).created
    first = verbs.run(lambda service: service)
    assert verbs.run(lambda service: service) is first
    threads = [threading.Thread(target=verbs.run, args=(count,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    verbs.close()


def test_a_server_for_agents_makes_no_memory_of_a_home(
    project: Path, hosted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(project))
    verbs = ProjectRunner(lambda: project)
    with pytest.raises(InvalidInput, match="no project"):
        verbs.run(add, create=True)
    assert verbs.run(count) == 0
    verbs.close()
