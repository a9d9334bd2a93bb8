"""Gemini CLI's files: `tmp/<project>/chats/session-*.jsonl`, in which it writes sessions down; and what is
installed into it.

Each is the changes to one document; older files are the document. A message is written again whenever it grows,
and the last one counts. The file names its project by a hash of the directory.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from holdfast.agents.events import PROMPT, REPLY, TOOL, AgentEvent, milliseconds, table_at, text_at
from holdfast.agents.gemini import EVENTS
from holdfast.agents.targets import (
    SECONDS,
    Edit,
    Installation,
    InstallScope,
    JsonFile,
    Target,
    commands,
    hook_groups_for,
)
from holdfast.agents.transcripts import LONGEST, UNKNOWN_TOOL, Belongs, Past, Source, leading, objects, source_of
from holdfast.model.ids import digest

CLIENT = "gemini"
_ROOT = ".project_root"
"""Where newer versions keep the directory itself."""


def is_one(first: Mapping[str, object]) -> bool:
    """Say whether a line is of such a transcript."""
    return "projectHash" in first and "sessionId" in first


def sources(home: Path, belongs: Belongs, directories: Iterable[Path]) -> Iterator[Source]:
    """Find the sessions of a project."""
    hashes = {digest(str(directory)) for directory in directories}
    for chats in sorted((home / "tmp").glob("*/chats")):
        root = _text(chats.parent / _ROOT)
        for path in sorted([*chats.glob("**/*.jsonl"), *chats.glob("session-*.json")]):
            if (root and belongs(root)) or text_at(_head(path), "projectHash") in hashes:
                yield source(path)


def source(path: Path) -> Source:
    """Return the session in a file."""
    return source_of(lambda: _read_session(path), path)


def _head(path: Path) -> Mapping[str, object]:
    return _document(path) if path.suffix == ".json" else next(iter(leading(path)), {})


def _read_session(path: Path) -> Iterator[Past]:
    head = _head(path)
    session = text_at(head, "sessionId") or path.stem
    helps = text_at(head, "kind") == "subagent"
    messages = _messages_by_id(_document(path)) if path.suffix == ".json" else _read_log(path)
    yield Past(
        client=CLIENT,
        session=session,
        moments=_moments(messages.values(), session, person=not helps),
        parent=path.parent.name if helps else "",
        helper=(text_at(head, "agentName") or "helper") if helps else "",
    )


def _read_log(path: Path) -> dict[str, Mapping[str, object]]:
    """Follow the changes; a message keeps its first place and its last words."""
    messages: dict[str, Mapping[str, object]] = {}
    for line in objects(path):
        changes = table_at(line, "$set")
        if isinstance(changes.get("messages"), list):
            messages = _messages_by_id(changes)
        elif text_at(line, "id") and "type" in line:
            messages[text_at(line, "id")] = line
    return messages


def _messages_by_id(document: Mapping[str, object]) -> dict[str, Mapping[str, object]]:
    entries = document.get("messages")
    messages = [message for message in entries if isinstance(message, dict)] if isinstance(entries, list) else []
    return {text_at(message, "id"): message for message in messages}


def _moments(messages: Iterable[Mapping[str, object]], session: str, *, person: bool) -> Iterator[AgentEvent]:
    for message in messages:
        kind = {"user": PROMPT if person else REPLY, "gemini": REPLY}.get(text_at(message, "type"))
        if kind is None:
            continue
        at, text = milliseconds(message.get("timestamp")), _words(message.get("content"))
        if text:
            yield AgentEvent(kind, session, at=at, key=text_at(message, "id"), text=text)
        calls = message.get("toolCalls")
        for call in calls if isinstance(calls, list) else ():
            if isinstance(call, dict) and call.get("result"):
                yield _answer(call, session, milliseconds(call.get("timestamp")) or at)


def _words(content: object) -> str:
    """Return the text of a message; what tools answered stands with their calls."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(filter(None, (text_at(part, "text") for part in parts if isinstance(part, dict))))


def _answer(call: Mapping[str, object], session: str, at: int | None) -> AgentEvent:
    results = call.get("result")
    answers = [
        table_at(table_at(result, "functionResponse"), "response")
        for result in (results if isinstance(results, list) else [results])
        if isinstance(result, dict)
    ]
    event = AgentEvent(TOOL, session, at=at, key=text_at(call, "id"))
    event.read_call(text_at(call, "name") or UNKNOWN_TOOL, table_at(call, "args"), answers, event.key)
    return event


def _document(path: Path) -> Mapping[str, object]:
    try:
        value = json.loads(_text(path))
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", errors="replace").strip() if path.stat().st_size <= LONGEST else ""
    except OSError:
        return ""


def targets(place: InstallScope) -> list[Target]:
    """Return the files in which Gemini CLI is told of holdfast. Its times are in milliseconds."""
    folder = place.folder(*INSTALLATION.folder)
    hooks = hook_groups_for(place, "gemini", EVENTS, SECONDS * 1_000, name="holdfast")
    server = Edit(("mcpServers", "holdfast"), place.stdio())
    return [
        JsonFile(folder / "settings.json", [*hooks, server]),
        *commands("gemini", folder / "commands", place.server),
    ]


INSTALLATION = Installation(
    name="Gemini CLI",
    programs=("gemini",),
    folder=(".gemini", ""),
    targets=targets,
    to_do="Gemini CLI runs servers and hooks only in folders that you trust: /permissions shows whether this one "
    "is.",
)
