"""Claude Code's files: `projects/<directory>/<session>.jsonl`, in which it writes sessions down, with helpers in
`<session>/subagents/agent-*.jsonl`; and what is installed into it.

Most lines are not messages. What hooks injected stands in lines of its own type; summaries and notices of the
client are marked as such.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from holdfast.agents.claude import EVENTS, MATCHERS
from holdfast.agents.events import PROMPT, REPLY, TOOL, AgentEvent, milliseconds, table_at, text_at
from holdfast.agents.targets import (
    PROJECT,
    Installation,
    InstallScope,
    JsonFile,
    Target,
    commands,
    hook_groups_for,
    server_file,
)
from holdfast.agents.transcripts import (
    UNKNOWN_CALL,
    UNKNOWN_TOOL,
    Belongs,
    Call,
    Past,
    Source,
    leading,
    objects,
    source_of,
)

CLIENT = "claude"
_COMMAND = re.compile(r"<command-name>(/?[^<]+)</command-name>.*?(?:<command-args>(.*?)</command-args>|\Z)", re.S)
_SPAWNED_AGENT = "general"


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
    return source_of(lambda: _read_sessions(path, helpers), path, *helpers)


def _read_sessions(path: Path, helpers: Sequence[Path]) -> Iterator[Past]:
    session = next((text_at(line, "sessionId") for line in leading(path)), "") or path.stem
    if any(line.get("isSidechain") is True for line in leading(path)):
        yield _helper(path, session, {})
        return
    yield Past(client=CLIENT, session=session, moments=_moments(path, session, ""))
    kinds = _kinds(path) if helpers else {}
    for helper_path in helpers:
        yield _helper(helper_path, session, kinds)


def _helper(path: Path, session: str, kinds: Mapping[str, str]) -> Past:
    agent_id = next((text_at(line, "agentId") for line in leading(path) if text_at(line, "agentId")), "")
    name = agent_id or path.stem.removeprefix("agent-")
    return Past(
        client=CLIENT,
        session=f"{session}/{name}",
        moments=_moments(path, session, name),
        parent=session,
        helper=kinds.get(name, _SPAWNED_AGENT),
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
                kinds[helper] = asked_for.get(text_at(block, "tool_use_id")) or _SPAWNED_AGENT
    return kinds


def _moments(path: Path, session: str, helper: str) -> Iterator[AgentEvent]:
    calls: dict[str, Call] = {}
    exchange = ""
    for line in objects(path):
        if line.get("type") not in ("user", "assistant") or line.get("isMeta") or line.get("isCompactSummary"):
            continue
        if (line.get("isSidechain") is True) != bool(helper):
            continue
        exchange = text_at(line, "promptId") or exchange
        for event in _line_events(line, calls):
            event.session, event.at = session, milliseconds(line.get("timestamp"))
            event.key = (event.key or exchange or text_at(line, "uuid")) + helper
            if helper and event.kind == PROMPT:
                event.kind = REPLY  # asked by an agent, not a person
            yield event


def _line_events(line: Mapping[str, object], calls: dict[str, Call]) -> Iterator[AgentEvent]:
    """Read one line: what was said, and what a tool answered."""
    blocks = list(_blocks(line))
    texts = [text_at(block, "text") for block in blocks if block.get("type") == "text"]
    if line.get("type") == "user":
        texts = ["\n".join(filter(None, map(_typed_command, texts)))]
    for text in filter(None, texts):
        yield AgentEvent(PROMPT if line.get("type") == "user" else REPLY, "", text=text)
    for block in blocks:
        call = text_at(block, "id", "tool_use_id")
        if block.get("type") == "tool_use":
            calls[call] = (text_at(block, "name") or UNKNOWN_TOOL, table_at(block, "input"))
        elif block.get("type") == "tool_result":
            output = block.get("content")
            if isinstance(output, list):
                output = [part for part in output if isinstance(part, dict) and "text" in part]
            tool, tool_input = calls.pop(call, UNKNOWN_CALL)
            event = AgentEvent(TOOL, "", key=call)
            event.read_call(tool, tool_input, output, call)
            yield event


def _typed_command(text: str) -> str:
    """Return a command as a person typed it; the client keeps it in pieces."""
    match = _COMMAND.search(text)
    return f"{match[1]} {match[2] or ''}".strip() if match else text


def _blocks(line: Mapping[str, object]) -> Iterable[Mapping[str, object]]:
    content = table_at(line, "message").get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def targets(place: InstallScope) -> list[Target]:
    """Return the files in which Claude Code is told of holdfast."""
    folder = place.folder(*INSTALLATION.folder)
    is_moved = folder != place.home / ".claude"
    servers = folder / ".claude.json" if is_moved else place.home / ".claude.json"
    if place.scope == PROJECT:
        servers = place.root / ".mcp.json"
    return [
        JsonFile(folder / "settings.json", hook_groups_for(place, "claude", EVENTS, matchers=MATCHERS)),
        server_file(servers, "mcpServers", {"type": "stdio", **place.stdio(), "env": {}}),
        *commands("claude", folder / "commands", place.server),
    ]


INSTALLATION = Installation(
    name="Claude Code",
    programs=("claude",),
    folder=(".claude", "CLAUDE_CONFIG_DIR"),
    targets=targets,
    to_do="Sessions that run now get it when they start again.",
    to_do_in_project="Claude Code asks whether to trust the server in .mcp.json when it starts here next: "
    "say yes.",
)
