"""Prompts are the slash commands; resources are memories to attach."""

from operator import methodcaller

import pytest
from mcp_types import TextContent, TextResourceContents

from holdfast.interfaces.mcp.verbs import ProjectRunner
from holdfast.model.search import Filters
from holdfast.slash import LEARN
from tests.interfaces.mcp.conftest import Agent


def said(agent: Agent, prompt: str, **arguments: str) -> str:
    """Run a prompt; return its message."""
    [message] = agent.do(lambda client: client.get_prompt(prompt, arguments)).messages
    assert isinstance(message.content, TextContent)
    return message.content.text


def test_the_commands_are_prompts(agent: Agent) -> None:
    listed = agent.do(lambda client: client.list_prompts()).prompts
    assert [prompt.name for prompt in listed] == ["remember", "forget", "pin", "memory", "learn"]


def test_remember_keeps_a_persons_word_confirmed(agent: Agent, verbs: ProjectRunner) -> None:
    assert "Remembered as" in said(agent, "remember", text="Deploys go out on Tuesdays")
    [memory] = verbs.run(lambda service: service.list(Filters()))
    assert (memory.content, memory.trust, memory.status) == ("Deploys go out on Tuesdays", "user", "confirmed")


def test_pin_forget_and_memory_say_what_came_of_it(agent: Agent) -> None:
    memory_id = agent.add("Deploys go out on Tuesdays")
    assert f"Pinned {memory_id}" in said(agent, "pin", what="Tuesdays")
    assert memory_id in said(agent, "memory", command="search deploys")
    assert "1 pinned" in said(agent, "memory")
    assert f"Forgotten {memory_id}" in said(agent, "forget", what=memory_id)


def test_learn_asks_the_agent_to_go_through_the_session(agent: Agent) -> None:
    assert said(agent, "learn") == LEARN
    assert LEARN in said(agent, "memory", command="learn")


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("sing", {}),
        ("learn", {"text": "x"}),
        ("remember", {}),
        ("remember", {"txt": "x"}),
        ("memory", {"command": "x"}),
    ],
)
def test_a_prompt_that_there_is_not_or_that_is_asked_wrongly_is_an_error_object(
    agent: Agent, name: str, given: dict[str, str]
) -> None:
    assert agent.mistake(lambda client: client.get_prompt(name, given)).code == -32602


def test_a_memory_is_a_resource_and_attaching_it_is_a_read(agent: Agent, verbs: ProjectRunner) -> None:
    [template] = agent.do(lambda client: client.list_resource_templates()).resource_templates
    assert template.uri_template == "memory://{id}"
    memory_id = agent.add("Deploys go out on Tuesdays")
    [contents] = agent.do(lambda client: client.read_resource(f"memory://{memory_id}")).contents
    assert isinstance(contents, TextResourceContents)
    assert "Deploys go out on Tuesdays" in contents.text
    [memory] = verbs.run(lambda service: service.list(Filters()))
    assert memory.reads == 1


def test_a_resource_that_there_is_not_is_an_error_object(agent: Agent, subtests: pytest.Subtests) -> None:
    for uri in ["memory://00000000", "file:///etc/passwd", "memory://"]:
        with subtests.test(uri=uri):
            assert agent.mistake(methodcaller("read_resource", uri)).code == -32602
