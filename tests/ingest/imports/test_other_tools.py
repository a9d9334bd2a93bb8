"""Exports of other tools become drafts that say the same."""

import json

import pytest

from holdfast.errors import UnusableFile
from holdfast.ingest import other_tools
from holdfast.ingest.import_entries import format_of
from holdfast.model.requests import Draft
from tests.ingest.imports.readers import a_part, drafts, left
from tests.rows import each

RESULTS = [
    {
        "id": "892db2ae-06d9-49e5-8b3e-585ef9b85b8e",
        "memory": "The team deploys on Tuesdays",
        "hash": "abc",
        "metadata": {"category": "process"},
        "categories": ["deploy", "process"],
        "created_at": "2025-03-01T10:00:00.123456-08:00",
        "updated_at": None,
        "user_id": "ada",
    },
    {"id": "2", "memory": "  "},
]
GET_ALL = {"results": RESULTS, "relations": [{"source": "a", "relationship": "b", "target": "c"}]}
BACKUP = {
    "user": {"id": "u"},
    "apps": [],
    "categories": [{"id": "c1", "name": "deploy"}],
    "memories": [
        {"id": "1", "content": "kept", "metadata": None, "state": "active", "created_at": "2025-03-01T00:00:00Z"},
        {"id": "2", "content": "gone", "state": "deleted"},
    ],
}
GRAPH = [
    {
        "type": "entity",
        "name": "Billing",
        "entityType": "service",
        "observations": ["runs nightly", "owns invoices"],
    },
    {"type": "entity", "name": "Empty", "entityType": "service", "observations": []},
    {"type": "relation", "from": "Billing", "to": "Ledger", "relationType": "writes_to"},
]


def test_mem0_is_read_with_its_categories_dates_and_owners() -> None:
    part = a_part("mem0.json", json.dumps(GET_ALL))
    assert format_of(part) == "mem0"
    assert drafts(other_tools.read_mem0(part)) == [
        Draft(
            content="The team deploys on Tuesdays",
            tags=("deploy", "process"),
            source="import:mem0.json",
            metadata={
                "category": "process",
                "mem0": {"id": "892db2ae-06d9-49e5-8b3e-585ef9b85b8e", "user_id": "ada"},
            },
            at=1740852000123,
        )
    ]
    assert left(other_tools.read_mem0(part)) == {"without text": 1}


@each("text", [json.dumps(RESULTS), "\n".join(map(json.dumps, RESULTS))])
def test_mem0_is_known_as_a_list_and_line_by_line(text: str) -> None:
    part = a_part("memories", text)
    assert format_of(part) == "mem0"
    assert [one.content for one in drafts(other_tools.read_mem0(part))] == ["The team deploys on Tuesdays"]


def test_a_backup_of_openmemory_leaves_what_was_deleted_there() -> None:
    part = a_part("memories.json", json.dumps(BACKUP))
    assert format_of(part) == "mem0"
    assert [(one.content, one.at) for one in drafts(other_tools.read_mem0(part))] == [("kept", 1740787200000)]
    assert left(other_tools.read_mem0(part)) == {"deleted there": 1}


def test_the_graph_of_the_mcp_server_becomes_facts_that_stand_alone() -> None:
    part = a_part("memory.jsonl", "\n".join(map(json.dumps, GRAPH)) + "\n")
    assert format_of(part) == "mcp-memory"
    read = [(one.content, one.kind, one.tags) for one in drafts(other_tools.read_mcp_memory(part))]
    assert read == [
        ("Billing: runs nightly", "fact", ("service", "Billing")),
        ("Billing: owns invoices", "fact", ("service", "Billing")),
        ("Billing writes to Ledger", "fact", ("Billing", "Ledger")),
    ]
    assert left(other_tools.read_mcp_memory(part)) == {"an entity without observations": 1}


def test_the_graph_is_read_as_one_document_too() -> None:
    document = {"entities": GRAPH[:2], "relations": GRAPH[2:]}
    part = a_part("graph.json", json.dumps(document))
    assert format_of(part) == "mcp-memory"
    assert len(drafts(other_tools.read_mcp_memory(part))) == 3


@each(
    "lines, where",
    [
        ('{"type": "entity", "name": "A", "entityType": "t", "observations": "text"}', "line 1"),
        ('{"type": "entity", "name": "A", "entityType": "t", "observations": ["x", 1]}', "line 1"),
        ('{"type": "relation", "from": "A", "to": "B", "relationType": "t"}\n{"x": 1}', "line 2"),
        ('{"type": "relation", "from": "A", "to": "B", "relationType": "t"}\n\n{"type"', "line 3"),
    ],
)
def test_a_wrong_line_of_the_graph_is_named(lines: str, where: str) -> None:
    with pytest.raises(UnusableFile, match=where):
        list(other_tools.read_mcp_memory(a_part("memory.jsonl", lines)))
