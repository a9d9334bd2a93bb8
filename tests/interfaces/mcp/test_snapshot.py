"""The front says, byte for byte, what the server of the SDK would say."""

import json
from pathlib import Path

import pytest

from holdfast.interfaces.mcp.catalogue import TOOLS
from holdfast.interfaces.mcp.snapshot import FOLDER, Answers
from scripts.mcp_snapshot import VERSIONS, answer_lines, requests, text

CONFIGURATIONS = [
    frozenset[str](),
    *(frozenset({name}) for name in TOOLS),
    frozenset({"memory_delete", "memory_prune", "memory_update"}),
    frozenset(TOOLS) - {"memory_search", "memory_get"},
    frozenset(TOOLS),
]
EVERY_VERSION = [(era, version) for era, versions in VERSIONS.items() for version in versions]


def test_the_committed_snapshot_is_what_the_server_says(subtests: pytest.Subtests) -> None:
    """`make docs` writes it anew."""
    for era in VERSIONS:
        with subtests.test(era=era):
            assert (Path(FOLDER) / f"{era}.json").read_text(encoding="utf-8") == text(era)


def test_front_and_server_answer_alike_whichever_tools_are_off(subtests: pytest.Subtests) -> None:
    for era, version in EVERY_VERSION:
        for off in CONFIGURATIONS:
            with subtests.test(off=off, era=era, version=version):
                asked = requests(era, version)
                answers = Answers(off)
                fronted = []
                for request in asked:
                    result, _ = answers.to(request)
                    whole = {"jsonrpc": "2.0", "id": request["id"], "result": result}
                    fronted.append(json.dumps(whole, ensure_ascii=False, separators=(",", ":")))
                assert fronted == answer_lines(asked, off)


def test_a_version_that_nobody_knows_is_answered_with_the_latest_as_the_server_does() -> None:
    asked = requests("handshake", "1999-01-01")[:1]
    result, heard = Answers().to(asked[0])
    assert result == json.loads(answer_lines(asked)[0])["result"]
    assert heard
