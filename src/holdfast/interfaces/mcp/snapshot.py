"""What a client asks first, answered from what the server of the SDK said when this version was built. Light.

`scripts/mcp_snapshot.py` has the SDK's server write it, and a test holds that the server still says the same in
each protocol era, whichever tools are switched off. What is not plainly one of these questions is left to the SDK:
a wrong answer here would be worse than a late one.
"""

import json
import os
from typing import Any

from holdfast.interfaces.mcp.catalogue import TOOLS, instructions

HANDSHAKE, MODERN = "handshake", "modern"
"""The protocol's two eras: an `initialize` that opens a connection, or an envelope on every request."""

FOLDER = os.path.join(os.path.dirname(__file__), "snapshots")
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
CLIENT_KEY = "io.modelcontextprotocol/clientInfo"


Message = dict[str, Any]
"""A JSON object, as json reads it."""


def load(era: str, off: frozenset[str] = frozenset()) -> Message:
    """Return the answers of an era, without the tools that are switched off."""
    with open(os.path.join(FOLDER, f"{era}.json"), encoding="utf-8") as stream:
        snapshot: Message = json.load(stream)
    return without_tools(snapshot, off) if off else snapshot


def without_tools(snapshot: Message, off: frozenset[str]) -> Message:
    """Return the answers as they are with some tools switched off."""
    answers = snapshot["answers"]
    tools = [tool for tool in answers["tools/list"]["tools"] if tool["name"] not in off]
    instruction_text = instructions(tuple(tool["name"] for tool in tools))
    narrow = {**answers, "tools/list": {**answers["tools/list"], "tools": tools}}
    for greeting in ("initialize", "server/discover"):
        if greeting in answers:
            narrow[greeting] = {**answers[greeting], "instructions": instruction_text}
    return {**snapshot, "answers": narrow}


class PlainCall:
    """A call of a tool, with nothing about it that only the SDK would understand."""

    __slots__ = ("arguments", "client", "closing", "id", "marks", "name", "token")

    def __init__(self, request: Message, client: str | None, marks: Message, closing: Message) -> None:
        params = request["params"]
        self.id = request["id"]
        self.name: str = params["name"]
        self.arguments: Message = params.get("arguments") or {}
        self.token = params.get("_meta", {}).get("progressToken")
        self.client = client
        """What the client calls itself."""
        self.marks = marks
        self.closing = closing
        """What an answer of its era has besides, before the data and after it."""


class Answers:
    """What can be said at once, as the connection goes on."""

    def __init__(self, off: frozenset[str] = frozenset()) -> None:
        self._off = off
        self._snapshots: dict[str, Message] = {}
        self._era: str | None = None
        self._has_greeted = False
        self._discovered = False
        self._client: str | None = None

    def offer_without(self, off: frozenset[str]) -> None:
        """Offer these tools no more, now that the project is known."""
        self._off = off
        self._snapshots.clear()

    @property
    def asked(self) -> bool:
        """Whether the client has asked anything yet."""
        return self._era is not None

    def to(self, request: Message) -> tuple[Message | None, bool]:
        """Return the result for a request, None when the SDK must say; and whether the SDK must hear of it all the
        same, because it decides the era or opens the connection."""
        method, params = request["method"], request.get("params")
        has_envelope = method != "initialize" and _version(params) is not None
        era = MODERN if has_envelope else HANDSHAKE
        first = self._era is None
        self._era = self._era or era
        if era != self._era:
            return None, False
        if era == MODERN:
            result = self._envelope_answer(method, request["params"])
            self._discovered = self._discovered or result is not None
            return result, first and result is not None
        return self._plain(method, params, first)

    def call(self, request: Message) -> PlainCall | None:
        """Return a call of a tool that needs no SDK; None where it is not plain, or is the first thing asked."""
        if request["method"] != "tools/call" or not self._offers(request.get("params")):
            return None
        params = request["params"]
        if _version(params) is None:
            return PlainCall(request, self._client, {}, {}) if self._has_greeted else None
        meta, snapshot = params["_meta"], self._of(MODERN)
        if not self._has_greeted and self._discovered and _version(params) in snapshot["versions"]:
            if not _envelope_is_whole(meta):
                return None
            client = meta[CLIENT_KEY]["name"] if CLIENT_KEY in meta else None
            tool_list = snapshot["answers"]["tools/list"]
            return PlainCall(request, client, {"resultType": "complete"}, {"_meta": tool_list["_meta"]})
        return None

    def _offers(self, params: object) -> bool:
        """Say whether parameters name a tool on offer, and hold nothing besides that could matter."""
        if not isinstance(params, dict) or params.keys() - {"name", "arguments", "_meta"}:
            return False
        arguments, meta = params.get("arguments"), params.get("_meta", {})
        if not isinstance(arguments, dict | None) or not isinstance(meta, dict):
            return False
        token = meta.get("progressToken", 0)
        return (
            params.get("name") in TOOLS
            and params["name"] not in self._off
            and isinstance(token, str | int)
            and not isinstance(token, bool)
        )

    def _envelope_answer(self, method: str, params: Message) -> Message | None:
        snapshot = self._of(MODERN)
        usable = _version(params) in snapshot["versions"] and _envelope_is_whole(params["_meta"])
        result: Message | None = snapshot["answers"].get(method) if usable and _asks_plainly(params) else None
        return result

    def _plain(self, method: str, params: Message | None, first: bool) -> tuple[Message | None, bool]:
        snapshot = self._of(HANDSHAKE)
        if method == "initialize":
            if params is None or not _introduces_itself(params):
                return None, False
            self._has_greeted = True
            self._client = params["clientInfo"]["name"]
            requested_version, versions = params["protocolVersion"], snapshot["versions"]
            version = requested_version if requested_version in versions else versions[-1]
            return {**snapshot["answers"]["initialize"], "protocolVersion": version}, True
        is_allowed = self._has_greeted or method == "ping"
        result = snapshot["answers"].get(method) if is_allowed and _asks_plainly(params) else None
        return result, first and result is not None

    def _of(self, era: str) -> Message:
        if era not in self._snapshots:
            self._snapshots[era] = load(era, self._off)
        return self._snapshots[era]


def _version(params: object) -> object:
    """Return the protocol version in a request's envelope; None when it has no envelope."""
    meta = params.get("_meta") if isinstance(params, dict) else None
    return meta.get(VERSION_KEY) if isinstance(meta, dict) else None


def _envelope_is_whole(meta: Message) -> bool:
    return _are_objects(meta.get(CAPABILITIES_KEY)) and (CLIENT_KEY not in meta or _is_somebody(meta[CLIENT_KEY]))


def _introduces_itself(params: object) -> bool:
    return (
        isinstance(params, dict)
        and isinstance(params.get("protocolVersion"), str)
        and _are_objects(params.get("capabilities"))
        and _is_somebody(params.get("clientInfo"))
        and not params.keys() - {"protocolVersion", "capabilities", "clientInfo", "_meta"}
        and isinstance(params.get("_meta", {}), dict)
    )


def _asks_plainly(params: object) -> bool:
    """Whether there is nothing in the parameters that could matter: no page, and a token that may be one."""
    if params is None:
        return True
    meta = params.get("_meta", {}) if isinstance(params, dict) and not params.keys() - {"_meta"} else None
    token = meta.get("progressToken", 0) if isinstance(meta, dict) else None
    return isinstance(token, str | int) and not isinstance(token, bool)


def _are_objects(capabilities: object) -> bool:
    return isinstance(capabilities, dict) and all(
        isinstance(capability, dict) for capability in capabilities.values()
    )


def _is_somebody(client: object) -> bool:
    return isinstance(client, dict) and all(isinstance(client.get(name), str) for name in ("name", "version"))
