"""Write the snapshot that the MCP front answers from: what the server of the SDK says to what a client asks first.

`make docs` runs this; a test fails when the committed one is not what the server says.
"""

import asyncio
import json
from pathlib import Path
from typing import Any

from mcp.shared.memory import create_client_server_memory_streams
from mcp.shared.message import SessionMessage
from mcp.types import jsonrpc_message_adapter
from mcp.types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from holdfast.interfaces.mcp.server import RequestHandler, build
from holdfast.interfaces.mcp.snapshot import CAPABILITIES_KEY, CLIENT_KEY, FOLDER, HANDSHAKE, MODERN, VERSION_KEY
from holdfast.interfaces.mcp.verbs import ProjectRunner

CLIENT = {"name": "snapshot", "version": "1"}
LISTS = ("tools/list", "prompts/list", "resources/list", "resources/templates/list")
VERSIONS = {HANDSHAKE: HANDSHAKE_PROTOCOL_VERSIONS, MODERN: MODERN_PROTOCOL_VERSIONS}

Message = dict[str, Any]


def requests(era: str, version: str) -> list[Message]:
    """Return what a client of a protocol version asks first."""
    if era == MODERN:
        meta = {VERSION_KEY: version, CAPABILITIES_KEY: {}, CLIENT_KEY: CLIENT}
        return [_request(method, {"_meta": meta}) for method in ("server/discover", *LISTS)]
    introduction = {"protocolVersion": version, "capabilities": {}, "clientInfo": CLIENT}
    return [_request("initialize", introduction), *(_request(method, None) for method in ("ping", *LISTS))]


def answer_lines(messages: list[Message], off: frozenset[str] = frozenset()) -> list[str]:
    """Return what the server of the SDK answers, one line each, as it goes over the wire."""
    return asyncio.run(_answer_lines(messages, off))


def snapshot(era: str) -> Message:
    """Return the answers of an era, as the front keeps them."""
    messages = requests(era, VERSIONS[era][-1])
    answers = [json.loads(line)["result"] for line in answer_lines(messages)]
    methods = [request["method"] for request in messages]
    return {"versions": list(VERSIONS[era]), "answers": dict(zip(methods, answers, strict=True))}


def text(era: str) -> str:
    """Return the file of an era."""
    return json.dumps(snapshot(era), ensure_ascii=False, indent=1) + "\n"


def _request(method: str, params: Message | None) -> Message:
    request: Message = {"jsonrpc": "2.0", "id": method, "method": method}
    return request if params is None else {**request, "params": params}


async def _answer_lines(messages: list[Message], off: frozenset[str]) -> list[str]:
    server = build(RequestHandler(ProjectRunner(Path), Path, lambda: off))
    lines = []
    async with create_client_server_memory_streams() as ((read, write), (server_read, server_write)):
        serving = asyncio.create_task(
            server.run(server_read, server_write, server.create_initialization_options())
        )
        for request in messages:
            await write.send(SessionMessage(jsonrpc_message_adapter.validate_python(request)))
            answer = await read.receive()
            if not isinstance(answer, SessionMessage):
                raise answer
            lines.append(answer.message.model_dump_json(by_alias=True, exclude_unset=True))
        serving.cancel()
        await asyncio.wait([serving])
    return lines


if __name__ == "__main__":
    Path(FOLDER).mkdir(exist_ok=True)
    for era in VERSIONS:
        (Path(FOLDER) / f"{era}.json").write_text(text(era), encoding="utf-8")
