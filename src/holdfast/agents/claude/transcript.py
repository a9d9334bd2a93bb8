"""Claude Code: `projects/<directory>/<session>.jsonl`, with helpers in `<session>/subagents/agent-*.jsonl`.

Most lines are not messages. What hooks injected stands in lines of its own type; summaries and notices of the
client are marked as such.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from holdfast.agents.events import PROMPT, REPLY, TOOL, Moment
from holdfast.agents.past_session import Belongs, Past, Source
from holdfast.agents.payload import asked, files_of, milliseconds, said, table_at, text_at
from holdfast.agents.transcript_lines import leading, objects, stamp

CLIENT = "claude"
_COMMAND = re.compile(r"<command-name>(/?[^<]+)</command-name>.*?(?:<command-args>(.*?)</command-args>|\Z)", re.S)
_SPAWNED = "general"
_Call = tuple[str, "dict[str, object]"]


def is_one(first: Mapping[str, object]) -> bool:
    """Say whether a line is of such a transcript."""
    return "sessionId" in first and ("uuid" in first or "operation" in first or "leafUuid" in first)


def sources(home: Path, belongs: Belongs) -> Iterator[Source]:
    """Find the sessions of a project. The name of their folder is made of its path, but does not tell it."""
    for path in sorted((home / "projects").glob("*/*.jsonl")):
        cwd = next((text_at(line, "cwd") for line in leading(path) if text_at(line, "cwd")), "")
        if cwd and belongs(cwd):
            yield source(path)


def source(path: Path) -> Source:
    """Return the session in a file, with its helpers."""
    helpers = sorted((path.parent / path.stem / "subagents").glob("agent-*.jsonl"))
    mark, touched = stamp(path, *helpers)
    return Source(name=str(path), stamp=mark, touched=touched, read=lambda: _read(path, helpers))


def _read(path: Path, helpers: Sequence[Path]) -> Iterator[Past]:
    session = next((text_at(line, "sessionId") for line in leading(path)), "") or path.stem
    if any(line.get("isSidechain") is True for line in leading(path)):
        yield _helper(path, session, {})
        return
    yield Past(client=CLIENT, session=session, moments=_moments(path, session, ""))
    kinds = _kinds(path) if helpers else {}
    for one in helpers:
        yield _helper(one, session, kinds)


def _helper(path: Path, session: str, kinds: Mapping[str, str]) -> Past:
    named = next((text_at(line, "agentId") for line in leading(path) if text_at(line, "agentId")), "")
    name = named or path.stem.removeprefix("agent-")
    return Past(
        client=CLIENT,
        session=f"{session}/{name}",
        moments=_moments(path, session, name),
        parent=session,
        helper=kinds.get(name, _SPAWNED),
    )


def _kinds(path: Path) -> dict[str, str]:
    """Return what sort of helper each was: the call that began it says so, and its answer names the helper."""
    asked_for: dict[str, str] = {}
    kinds: dict[str, str] = {}
    for line in objects(path):
        for block in _blocks(line):
            if block.get("type") == "tool_use":
                asked_for[text_at(block, "id")] = text_at(table_at(block, "input"), "subagent_type")
            elif block.get("type") == "tool_result":
                helper = text_at(table_at(line, "toolUseResult"), "agentId")
                kinds[helper] = asked_for.get(text_at(block, "tool_use_id")) or _SPAWNED
    return kinds


def _moments(path: Path, session: str, helper: str) -> Iterator[Moment]:
    calls: dict[str, _Call] = {}
    exchange = ""
    for line in objects(path):
        if line.get("type") not in ("user", "assistant") or line.get("isMeta") or line.get("isCompactSummary"):
            continue
        if (line.get("isSidechain") is True) != bool(helper):
            continue
        exchange = text_at(line, "promptId") or exchange
        for found in _spoken(line, calls):
            found.session, found.at = session, milliseconds(line.get("timestamp"))
            found.key = (found.key or exchange or text_at(line, "uuid")) + helper
            found.kind = (
                REPLY if helper and found.kind == PROMPT else found.kind
            )  # asked by an agent, not a person
            yield found


def _spoken(line: Mapping[str, object], calls: dict[str, _Call]) -> Iterator[Moment]:
    """Read one line: what was said, and what a tool answered."""
    blocks = list(_blocks(line))
    texts = [text_at(block, "text") for block in blocks if block.get("type") == "text"]
    if line.get("type") == "user":
        texts = ["\n".join(filter(None, map(_typed, texts)))]
    for text in filter(None, texts):
        found = Moment(PROMPT if line.get("type") == "user" else REPLY, "")
        found.text = text
        yield found
    for block in blocks:
        call = text_at(block, "id", "tool_use_id")
        if block.get("type") == "tool_use":
            calls[call] = (text_at(block, "name"), table_at(block, "input"))
        elif block.get("type") == "tool_result":
            yield _answer(call, block.get("content"), *calls.pop(call, ("", {})))


def _answer(call: str, content: object, tool: str, given: "dict[str, object]") -> Moment:
    found = Moment(TOOL, "", key=call)
    shown = (
        [one for one in content if isinstance(one, dict) and "text" in one]
        if isinstance(content, list)
        else content
    )
    found.tool, found.ref, found.files = tool or "unknown", call, files_of(given)
    found.text = "\n".join(filter(None, (asked(given), said(shown))))
    return found


def _typed(text: str) -> str:
    """Return a command as a person typed it; the client keeps it in pieces."""
    found = _COMMAND.search(text)
    return f"{found[1]} {found[2] or ''}".strip() if found else text


def _blocks(line: Mapping[str, object]) -> Iterable[Mapping[str, object]]:
    content = table_at(line, "message").get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [one for one in content if isinstance(one, dict)] if isinstance(content, list) else []
