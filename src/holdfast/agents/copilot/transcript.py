"""Copilot CLI: `session-state/<session>/events.jsonl`; what a helper says names the call that began it."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from holdfast.agents.events import PROMPT, REPLY, TOOL, Moment
from holdfast.agents.past_session import Belongs, Past, Source
from holdfast.agents.payload import asked, files_of, milliseconds, said, table_at, text_at
from holdfast.agents.transcript_lines import leading, objects, stamp

CLIENT = "copilot"
_STARTED = "session.start"
_KINDS = {"user.message": PROMPT, "assistant.message": REPLY}


def is_one(first: Mapping[str, object]) -> bool:
    """Say whether a line is of such a transcript."""
    return first.get("type") == _STARTED


def sources(home: Path, belongs: Belongs) -> Iterator[Source]:
    """Find the sessions of a project."""
    for path in sorted((home / "session-state").glob("*/events.jsonl")):
        context = table_at(_started(path), "context")
        if belongs(text_at(context, "cwd", "gitRoot")):
            yield source(path)


def source(path: Path) -> Source:
    """Return the session in a file."""
    mark, touched = stamp(path)
    return Source(name=str(path), stamp=mark, touched=touched, read=lambda: _read(path))


def _started(path: Path) -> dict[str, object]:
    return next((table_at(line, "data") for line in leading(path) if is_one(line)), {})


def _read(path: Path) -> Iterator[Past]:
    session = text_at(_started(path), "sessionId") or path.parent.name
    yield Past(client=CLIENT, session=session, moments=_moments(path, session, ""))
    for call, kind in _helpers(path).items():
        yield Past(
            client=CLIENT,
            session=f"{session}/{call}",
            moments=_moments(path, session, call),
            parent=session,
            helper=kind,
        )


def _helpers(path: Path) -> dict[str, str]:
    """Return the helpers that spoke, by the call that began each."""
    kinds: dict[str, str] = {}
    for line in objects(path):
        data = table_at(line, "data")
        if line.get("type") == "subagent.started":
            kinds[text_at(data, "toolCallId")] = text_at(data, "agentName") or "helper"
        elif parent := text_at(data, "parentToolCallId"):
            kinds.setdefault(parent, "helper")
    return kinds


def _moments(path: Path, session: str, helper: str) -> Iterator[Moment]:
    calls: dict[str, tuple[str, dict[str, object]]] = {}
    for line in objects(path):
        data = table_at(line, "data")
        if text_at(data, "parentToolCallId") != helper:
            continue
        call = text_at(data, "toolCallId")
        if line.get("type") == "tool.execution_start":
            calls[call] = (text_at(data, "toolName"), table_at(data, "arguments"))
            continue
        found = _heard(line, data, calls.get(call, ("", {})))
        if found and found.text:
            found.session, found.at = session, milliseconds(line.get("timestamp"))
            found.key = text_at(line, "id")
            found.kind = REPLY if helper and found.kind == PROMPT else found.kind
            yield found


def _heard(
    line: Mapping[str, object], data: Mapping[str, object], call: tuple[str, dict[str, object]]
) -> Moment | None:
    kind = _KINDS.get(text_at(line, "type"))
    if kind:
        found = Moment(kind, "")
        found.text = text_at(data, "content")
        return found
    if line.get("type") != "tool.execution_complete":
        return None
    tool, given = call
    result = table_at(data, "result") or table_at(data, "error")
    found = Moment(TOOL, "")
    found.tool, found.ref, found.files = tool or "unknown", text_at(data, "toolCallId"), files_of(given)
    shown = text_at(result, "detailedContent", "content", "message")
    found.text = "\n".join(filter(None, (asked(given), said(shown))))
    return found
