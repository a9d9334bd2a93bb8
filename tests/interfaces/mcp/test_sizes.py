"""What an agent pays for: the schemas it is sent with every request, and each hit."""

import json
from pathlib import Path

import pytest
from tokenizers import Tokenizer

import holdfast.embedding.minilm
from holdfast.interfaces.mcp.catalogue import TOOLS, instructions
from holdfast.interfaces.mcp.snapshot import load
from holdfast.interfaces.mcp.tool import schema_of
from holdfast.interfaces.mcp.tools import tools
from tests.interfaces.mcp.conftest import Agent


def compact(value: object) -> str:
    """Return JSON as it goes over the wire."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def tokens(text: str) -> int:
    """Count the word pieces of a text; a model's own pieces are longer on the whole, so this errs upwards."""
    tokenizer = Tokenizer.from_file(str(Path(holdfast.embedding.minilm.__file__).with_name("tokenizer.json")))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return len(tokenizer.encode(text, add_special_tokens=False).ids)


def test_names_descriptions_and_inputs_of_all_nine_tools_take_less_than_five_kilobytes() -> None:
    assert [tool.name for tool in tools()] == list(TOOLS)
    parts = [(tool.name, tool.description, compact(schema_of(tool.arguments))) for tool in tools()]
    assert sum(len(part.encode()) for one in parts for part in one) <= 5_000


def test_the_whole_list_of_nine_tools_takes_less_than_ten_kilobytes(subtests: pytest.Subtests) -> None:
    for era in ["handshake", "modern"]:
        with subtests.test(era=era):
            answer = load(era)["answers"]["tools/list"]
            assert len(compact(answer).encode()) <= 10_000


def test_the_instructions_fit_where_clients_cut_them() -> None:
    """Claude Code shows two thousand characters."""
    assert len(instructions(TOOLS)) <= 2_000


def test_every_tool_says_what_it_does_to_the_world() -> None:
    listed = {tool["name"]: tool["annotations"] for tool in load("handshake")["answers"]["tools/list"]["tools"]}
    reads = {"readOnlyHint": True, "openWorldHint": False}
    assert {name: hints for name, hints in listed.items() if hints["readOnlyHint"]} == dict.fromkeys(
        ("memory_search", "memory_timeline", "memory_get", "memory_recall", "memory_stats"), reads
    )
    changes = {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": True, "openWorldHint": False}
    assert listed["memory_delete"] == listed["memory_update"] == changes
    assert listed["memory_add"] == {**changes, "destructiveHint": False, "idempotentHint": False}


def test_a_hit_costs_less_than_a_hundred_tokens_even_where_a_client_sends_text_and_structure(agent: Agent) -> None:
    """Titles as long as they can be."""
    for number in range(10):
        agent.add(f"Retries of upload number {number} back off because the gateway throttles all of us at noon")
    hits = agent.call("memory_search", query="retries of uploads back off")["hits"]
    text = agent.text("memory_search", query="retries of uploads back off")
    assert len(hits) == 10
    assert tokens(compact(hits)) / 10 < 100
    assert tokens(text) / 10 < 100
