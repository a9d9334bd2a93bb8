"""The four model APIs that the scripted model speaks: reading requests, writing answers.

Nothing here knows about scripts or HTTP; see mock_model.py for those.
"""

from __future__ import annotations

import itertools
import json
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]
TOOL_SEARCH = "ToolSearch"
_ids = itertools.count(1)


def new_id(prefix: str) -> str:
    """Return an identifier unique within this process."""
    return f"{prefix}_mock{next(_ids):06d}"


@dataclass(frozen=True)
class Tool:
    """A tool as the client offered it to the model."""

    name: str
    namespace: str = ""
    freeform: bool = False
    deferred: bool = False

    @property
    def full_name(self) -> str:
        """The name with its namespace, in the ``mcp__server__tool`` form."""
        return f"{self.namespace.rstrip('_')}__{self.name}" if self.namespace else self.name


@dataclass(frozen=True)
class Call:
    """A call that the model makes."""

    tool: Tool
    input: Any

    def arguments(self) -> str:
        """The input as the JSON text that streams carry."""
        return json.dumps(self.input)


@dataclass(frozen=True)
class Reply:
    """What the model says: a text, a call, or both."""

    text: str = ""
    call: Call | None = None


def strings(value: Any) -> Iterator[str]:
    """Yield every string inside a decoded JSON value, dictionary keys excepted."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)


def all_text(value: Any) -> str:
    """Every string inside a decoded JSON value, one after another."""
    return "\n".join(strings(value))


def _dicts(value: Any) -> list[Json]:
    """The dictionaries in a list; an empty list for anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def content_text(content: Any) -> str:
    """The text of a message or a result, which comes as a string or as a list of parts."""
    if isinstance(content, str):
        return content
    texts = (part.get("text") for part in _dicts(content))
    return "\n".join(text for text in texts if isinstance(text, str))


def joined_text(contents: list[Any]) -> str:
    """The text of several contents, one after another."""
    return "\n".join(text for text in map(content_text, contents) if text)


def _with_role(messages: Any, *roles: str) -> list[Any]:
    """The contents of the messages that have one of these roles."""
    return [m.get("content") for m in _dicts(messages) if m.get("role") in roles]


def wanted_schema(body: Json) -> Json | None:
    """Return the JSON schema the answer must follow, where the request asks for one."""
    config = body.get("generationConfig") or {}
    candidates = [
        config.get("responseJsonSchema"),
        config.get("responseSchema"),
        ((body.get("output_config") or {}).get("format") or {}).get("schema"),
        (body.get("output_format") or {}).get("schema"),
        ((body.get("text") or {}).get("format") or {}).get("schema"),
        ((body.get("response_format") or {}).get("json_schema") or {}).get("schema"),
    ]
    found = next((schema for schema in candidates if isinstance(schema, dict)), None)
    if found is None and config.get("responseMimeType") == "application/json":
        return {"type": "object"}
    return found


def example_of(schema: Json) -> Any:
    """Return a small value that fits a JSON schema."""
    if schema.get("enum"):
        return schema["enum"][0]
    kind = schema.get("type", "object")
    kind = str(kind[0] if isinstance(kind, list) else kind).lower()
    if kind == "object":
        return {name: example_of(part) for name, part in schema.get("properties", {}).items()}
    if kind in ("integer", "number"):
        return schema.get("minimum", 1)
    return {"array": [], "boolean": False, "null": None}.get(kind, "mock")


class Protocol(ABC):
    """What one model API looks like: how to read its requests and write its answers."""

    name = ""

    @abstractmethod
    def tools(self, body: Json) -> list[Tool]:
        """The tools offered in a request."""

    @abstractmethod
    def system(self, body: Json) -> str:
        """The system (or developer) text of a request."""

    @abstractmethod
    def tool_results(self, body: Json) -> list[Json]:
        """The results in a request's history, each as {"tool": name, "text": text}."""

    @abstractmethod
    def answer(self, reply: Reply, body: Json) -> Json:
        """The whole answer, not streamed."""

    @abstractmethod
    def events(self, reply: Reply, body: Json) -> list[Json]:
        """The answer as the events of a stream."""


class Anthropic(Protocol):
    """Anthropic Messages."""

    name = "anthropic"

    def tools(self, body: Json) -> list[Tool]:
        blocks = self._blocks(body)
        results = [part for block in blocks for part in _dicts(block.get("content"))]
        loaded = {part["tool_name"] for part in results if "tool_name" in part}
        given = [tool for tool in _dicts(body.get("tools")) if "name" in tool]
        tools = [Tool(t["name"], deferred=bool(t.get("defer_loading")) and t["name"] not in loaded) for t in given]
        return tools + self._announced(body, {tool.name for tool in tools})

    @staticmethod
    def _announced(body: Json, known: set[str]) -> list[Tool]:
        """The MCP tools that Claude Code only names, one a line, until ToolSearch loads them."""
        if TOOL_SEARCH not in known:
            return []
        names = re.findall(r"^mcp__[\w-]+$", all_text(body.get("messages")), re.MULTILINE)
        return [Tool(name, deferred=True) for name in dict.fromkeys(names) if name not in known]

    @staticmethod
    def _blocks(body: Json) -> list[Json]:
        return [b for m in _dicts(body.get("messages")) for b in _dicts(m.get("content"))]

    def system(self, body: Json) -> str:
        inline = _with_role(body.get("messages"), "system")
        return joined_text([body.get("system"), *inline])

    def tool_results(self, body: Json) -> list[Json]:
        blocks = self._blocks(body)
        names = {b["id"]: b["name"] for b in blocks if b.get("type") == "tool_use"}
        return [
            {"tool": names.get(b.get("tool_use_id"), ""), "text": content_text(b.get("content"))}
            for b in blocks
            if b.get("type") == "tool_result"
        ]

    def answer(self, reply: Reply, body: Json) -> Json:
        content: list[Json] = []
        if reply.text:
            content.append({"type": "text", "text": reply.text})
        if reply.call:
            call = {"name": reply.call.tool.name, "input": reply.call.input}
            content.append({"type": "tool_use", "id": new_id("toolu"), **call})
        return self._message(body, content, "tool_use" if reply.call else "end_turn")

    @staticmethod
    def _message(body: Json, content: list[Json], stop: str | None) -> Json:
        usage = {"input_tokens": 10, "output_tokens": 5}
        usage |= {"cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
        return {
            "id": new_id("msg"),
            "type": "message",
            "role": "assistant",
            "model": body.get("model", "mock"),
            "content": content,
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": usage,
        }

    def events(self, reply: Reply, body: Json) -> list[Json]:
        whole = self.answer(reply, body)
        start = {**whole, "content": [], "stop_reason": None}
        end = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
        return [
            {"type": "message_start", "message": start},
            *(e for i, block in enumerate(whole["content"]) for e in self._block(i, block)),
            {"type": "message_delta", "delta": end, "usage": {"output_tokens": 5}},
            {"type": "message_stop"},
        ]

    @staticmethod
    def _block(index: int, block: Json) -> list[Json]:
        if block["type"] == "text":
            opening: Json = {"type": "text", "text": ""}
            delta = {"type": "text_delta", "text": block["text"]}
        else:
            opening = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        return [
            {"type": "content_block_start", "index": index, "content_block": opening},
            {"type": "content_block_delta", "index": index, "delta": delta},
            {"type": "content_block_stop", "index": index},
        ]


class Responses(Protocol):
    """OpenAI Responses."""

    name = "responses"

    def tools(self, body: Json) -> list[Tool]:
        return list(self._walk(_dicts(body.get("tools")), ""))

    def _walk(self, tools: list[Json], namespace: str) -> Iterator[Tool]:
        for tool in tools:
            if tool.get("type") == "namespace":
                yield from self._walk(_dicts(tool.get("tools")), tool.get("name", ""))
            elif "name" in tool:
                freeform = tool.get("type") == "custom"
                deferred = bool(tool.get("defer_loading"))
                yield Tool(tool["name"], namespace, freeform, deferred)

    def system(self, body: Json) -> str:
        inline = _with_role(body.get("input"), "system", "developer")
        return joined_text([body.get("instructions"), *inline])

    def tool_results(self, body: Json) -> list[Json]:
        items = _dicts(body.get("input"))
        names = {i["call_id"]: _joined_name(i) for i in items if "call_id" in i and "name" in i}
        return [
            {"tool": names.get(i.get("call_id"), ""), "text": content_text(i.get("output"))}
            for i in items
            if str(i.get("type", "")).endswith("_call_output")
        ]

    def answer(self, reply: Reply, body: Json) -> Json:
        output: list[Json] = []
        if reply.text:
            part = {"type": "output_text", "text": reply.text, "annotations": []}
            common = {"id": new_id("msg"), "role": "assistant", "status": "completed"}
            output.append({"type": "message", **common, "content": [part]})
        if reply.call:
            output.append(self._call_item(reply.call))
        return {
            "id": new_id("resp"),
            "object": "response",
            "status": "completed",
            "created_at": int(time.time()),
            "model": body.get("model", "mock"),
            "output": output,
            "usage": {
                "input_tokens": 10,
                "input_tokens_details": {"cached_tokens": 0},
                "output_tokens": 5,
                "output_tokens_details": {"reasoning_tokens": 0},
                "total_tokens": 15,
            },
        }

    @staticmethod
    def _call_item(call: Call) -> Json:
        common = {"call_id": new_id("call"), "name": call.tool.name, "status": "completed"}
        if call.tool.freeform:
            text = call.input if isinstance(call.input, str) else call.arguments()
            return {"type": "custom_tool_call", "id": new_id("ctc"), **common, "input": text}
        item = {"type": "function_call", "id": new_id("fc"), **common}
        item["arguments"] = call.arguments()
        if call.tool.namespace:
            item["namespace"] = call.tool.namespace
        return item

    def events(self, reply: Reply, body: Json) -> list[Json]:
        whole = self.answer(reply, body)
        begun = {**whole, "status": "in_progress", "output": [], "usage": None}
        events: list[Json] = [{"type": "response.created", "response": begun}]
        for index, item in enumerate(whole["output"]):
            events += self._item_events(index, item)
        events.append({"type": "response.completed", "response": whole})
        return [{**event, "sequence_number": i} for i, event in enumerate(events)]

    @staticmethod
    def _item_events(index: int, item: Json) -> list[Json]:
        where = {"output_index": index}
        inner: list[Json] = []
        if item["type"] == "message":
            delta = {"item_id": item["id"], "content_index": 0, "delta": item["content"][0]["text"]}
            inner.append({"type": "response.output_text.delta", **where, **delta})
        return [
            {"type": "response.output_item.added", **where, "item": item},
            *inner,
            {"type": "response.output_item.done", **where, "item": item},
        ]


def _joined_name(item: Json) -> str:
    return Tool(item["name"], item.get("namespace") or "").full_name


class Chat(Protocol):
    """OpenAI Chat Completions."""

    name = "chat"

    def tools(self, body: Json) -> list[Tool]:
        functions = [tool.get("function") or {} for tool in _dicts(body.get("tools"))]
        return [Tool(function["name"]) for function in functions if "name" in function]

    def system(self, body: Json) -> str:
        return joined_text(_with_role(body.get("messages"), "system", "developer"))

    def tool_results(self, body: Json) -> list[Json]:
        messages = _dicts(body.get("messages"))
        calls = [call for m in messages for call in _dicts(m.get("tool_calls"))]
        names = {call.get("id"): (call.get("function") or {}).get("name", "") for call in calls}
        return [
            {"tool": names.get(m.get("tool_call_id"), ""), "text": content_text(m.get("content"))}
            for m in messages
            if m.get("role") == "tool"
        ]

    @staticmethod
    def _message(reply: Reply) -> tuple[Json, str]:
        message: Json = {"role": "assistant", "content": reply.text or None}
        if not reply.call:
            return message, "stop"
        function = {"name": reply.call.tool.name, "arguments": reply.call.arguments()}
        call = {"index": 0, "id": new_id("call"), "type": "function", "function": function}
        return {**message, "tool_calls": [call]}, "tool_calls"

    @staticmethod
    def _envelope(kind: str, body: Json, choice: Json) -> Json:
        return {
            "id": new_id("chatcmpl"),
            "object": kind,
            "created": int(time.time()),
            "model": body.get("model", "mock"),
            "choices": [{"index": 0, **choice}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
        }

    def answer(self, reply: Reply, body: Json) -> Json:
        message, finish = self._message(reply)
        choice = {"message": message, "finish_reason": finish}
        return self._envelope("chat.completion", body, choice)

    def events(self, reply: Reply, body: Json) -> list[Json]:
        message, finish = self._message(reply)
        kind = "chat.completion.chunk"
        first = self._envelope(kind, body, {"delta": message, "finish_reason": None})
        last = self._envelope(kind, body, {"delta": {}, "finish_reason": finish})
        return [{**first, "usage": None}, {**last, "id": first["id"]}]


class Gemini(Protocol):
    """Gemini generateContent and streamGenerateContent."""

    name = "gemini"

    def tools(self, body: Json) -> list[Tool]:
        groups = [_dicts(tool.get("functionDeclarations")) for tool in _dicts(body.get("tools"))]
        return [Tool(function["name"]) for group in groups for function in group]

    def system(self, body: Json) -> str:
        return content_text((body.get("systemInstruction") or {}).get("parts"))

    def tool_results(self, body: Json) -> list[Json]:
        parts = [p for c in _dicts(body.get("contents")) for p in _dicts(c.get("parts"))]
        results = [part["functionResponse"] for part in parts if "functionResponse" in part]
        return [{"tool": result.get("name", ""), "text": all_text(result.get("response"))} for result in results]

    def answer(self, reply: Reply, body: Json) -> Json:
        parts: list[Json] = [{"text": reply.text}] if reply.text else []
        if reply.call:
            call = {"name": reply.call.tool.name, "args": reply.call.input}
            parts.append({"functionCall": call})
        content = {"role": "model", "parts": parts}
        return {
            "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
            "usageMetadata": {
                "promptTokenCount": 10,
                "candidatesTokenCount": 5,
                "totalTokenCount": 15,
            },
            "modelVersion": "mock",
        }

    def events(self, reply: Reply, body: Json) -> list[Json]:
        return [self.answer(reply, body)]


ANTHROPIC, RESPONSES, CHAT, GEMINI = Anthropic(), Responses(), Chat(), Gemini()


def protocol_of(path: str) -> Protocol | None:
    """Return the protocol that a POST to `path` speaks, or None for anything else."""
    endings = {"/messages": ANTHROPIC, "/responses": RESPONSES, "/chat/completions": CHAT}
    if path.endswith((":generateContent", ":streamGenerateContent")):
        return GEMINI
    return next((protocol for end, protocol in endings.items() if path.endswith(end)), None)
