"""A message of a session as it is kept: checked, cleaned, without what memory and clients put in, and cut where it
is too long to keep whole.

Captured again, what was put into a conversation would feed on itself:

- Our own briefs: between the two lines that the renderer of briefs writes, in Markdown or plain, with one nonce in
both; and `<project_memory>` in any form, up to the end of the text when a client cut it off.

- What clients add: reminders, hook output, notices of commands, instruction files. Closed blocks only: somebody
may write about such a tag.

Every search goes forward only, so that no text can make it slow.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from holdfast.capture.check import check_name, check_names, clean_paths
from holdfast.capture.forget_command import split_command
from holdfast.capture.text.clean import Cleaner, depth_after, normalise
from holdfast.capture.text.redact import cut
from holdfast.errors import InvalidInput
from holdfast.model.actor import Actor
from holdfast.model.ids import new_id
from holdfast.model.kinds import PERSON_ROLES, RELAYED, TOOL_ROLE
from holdfast.model.limits import FILES, NAME_CHARS, PATH_CHARS, TURN_BYTES, TURN_READ_CHARS
from holdfast.model.requests import Message
from holdfast.model.session import Session, Turn
from holdfast.model.times import parse_past

FORGET_MARK = "[forgotten]"
"""What is kept of a command to forget: that there was one."""

PRIVATE = "[private]"
"""What is kept of a message that is private as a whole: that there was one."""

OWN_TAG = "project_memory"
ADDED_MARK = "[added by the client]"
"""What is kept of a message that nobody said: that there was one."""

CLIENT_TAGS = (
    "hook_context", "system-reminder", "system_reminder", "untrusted_context", "task-notification",
    "local-command-stdout", "local-command-stderr", "local-command-caveat", "command-name", "command-message",
    "command-args", "environment_context", "user_instructions", "permissions instructions", "skills_instructions",
    "session_context", "current_datetime", "workspace_roots", "INSTRUCTIONS", "tools-used-before-summary",
)  # fmt: skip
"""Tags that clients wrap their own words in, seen in their transcripts."""

INSTRUCTIONS = "# AGENTS.md instructions"
"""How a message opens by which Codex hands over instruction files."""

_CLOSINGS = ("## End of project memory {}", "=== end of project memory {} ===")
"""The line below a brief in Markdown and in plain text."""

_OPENING = re.compile(
    r"^(?:## Project memory ([0-9a-f]{8})|=== project memory ([0-9a-f]{8}) ===)[ \t]*$", re.MULTILINE
)


def attribute_message(message: Message, actor: Actor) -> Message:
    """Return a message as said by whom it can be believed: an agent speaks for no person."""
    role = message.role.strip().lower() if isinstance(message.role, str) else ""
    return replace(message, role=RELAYED) if role in PERSON_ROLES and not actor.person else message


def check_message(message: Message) -> None:
    """Check every field of a message."""
    check_name("role", message.role)
    for field, name in (("ref", message.ref), ("tool", message.tool)):
        if name is not None:
            check_name(field, name)
    check_names("files", message.files, FILES, PATH_CHARS)
    if not isinstance(message.text, str) or not normalise(message.text[:TURN_READ_CHARS]).strip():
        raise InvalidInput(field="text", problem="is empty. Record what was said.")


def prepare_turn(
    session: Session, message: Message, clean: Cleaner, root: Path | None, now: int
) -> tuple[Turn, int]:
    """Turn a message into the turn it would be; also return how many private blocks are open after it."""
    check_message(message)
    said_at = parse_past(message.at, "at", now)
    role = clean.label(message.role)[:NAME_CHARS] or "unknown"
    by_tool = message.tool is not None or role.lower() == TOOL_ROLE
    text, depth = _clean_and_cut(message.text, session.private_depth, clean, by_tool=by_tool)
    said_text = without_injected(text).strip()
    if role.lower() in PERSON_ROLES:
        said_text, command = split_command(said_text)
        said_text = said_text or (FORGET_MARK if command is not None else "")
    turn = Turn(
        id=new_id(now),
        session=session.id,
        role=role,
        text=said_text or (ADDED_MARK if text else PRIVATE),
        at=now if said_at is None else said_at,
        ref=clean.ref(message.ref) if message.ref else None,
        tool=clean.label(message.tool)[:NAME_CHARS] if message.tool else None,
        files=_paths(message.files, clean, root),
    )
    return turn, depth


def _paths(files: Sequence[str], clean: Cleaner, root: Path | None) -> tuple[str, ...]:
    """Return paths as they are kept; one that placeholders made too long names no file any more."""
    return tuple(path for path in clean_paths(root, files, clean) if len(path) <= PATH_CHARS)


def _clean_and_cut(text: str, depth: int, clean: Cleaner, *, by_tool: bool) -> tuple[str, int]:
    """Clean a text and cut it to what is kept of one turn; also return how deep in private blocks it ends.

    A tool's output neither opens a block for later turns nor closes one that a person or an agent opened: a web
    page could do either. What lies beyond the first part of a huge text is not kept, only searched for tags.
    """
    if by_tool:
        return ("" if depth else _clean_and_cut(text, 0, clean, by_tool=False)[0]), depth
    head, longer = cut(text, TURN_READ_CHARS)
    clean_text, depth = clean.piece(head, depth)
    if longer:
        depth = depth_after(text, len(head), depth)
    return cap(clean_text, size_of(text) if longer and clean_text else None), depth


def cap(text: str, size: int | None = None) -> str:
    """Cut a text to what is kept of one turn; the mark names its size, or that of the text it was the start of."""
    raw = text.encode()
    if len(raw) <= TURN_BYTES and size is None:
        return text
    mark = f"\n… [cut: {size or len(raw):,} bytes in all]"
    return raw[: TURN_BYTES - len(mark.encode())].decode(errors="ignore") + mark


def size_of(text: str) -> int:
    """Return the size of a text in UTF-8 without holding it twice."""
    step = TURN_READ_CHARS
    return sum(len(text[start : start + step].encode(errors="replace")) for start in range(0, len(text), step))


def without_injected(text: str) -> str:
    """Return what was really said."""
    if text.lstrip().startswith(INSTRUCTIONS):
        return ""
    if "<" in text:
        text = _without_blocks(text, OWN_TAG, cut_off=True)
        for tag in CLIENT_TAGS:
            text = _without_blocks(text, tag, cut_off=False)
    return _without_fenced(text)


def _without_blocks(text: str, tag: str, *, cut_off: bool) -> str:
    """Remove the blocks of a tag; one without an end too, where it can only have been cut off."""
    parts, position = [], 0
    opener, closer = f"<{tag}", f"</{tag.split()[0]}"
    while (start := text.find(opener, position)) >= 0:
        if text[start + len(opener) : start + len(opener) + 1] not in (">", " ", "\n"):
            parts.append(text[position : start + 1])
            position = start + 1
            continue
        end = text.find(closer, start)
        end = text.find(">", end) if end >= 0 else -1
        if end < 0:
            return "".join((*parts, text[position:start] if cut_off else text[position:]))
        parts.append(text[position:start])
        position = end + 1
    return "".join((*parts, text[position:]))


def _without_fenced(text: str) -> str:
    """Remove what stands between the line that opens a brief and the line that closes it."""
    parts, position = [], 0
    for opening in _OPENING.finditer(text) if "roject memory " in text else ():
        if opening.start() < position:
            continue
        closing = _CLOSINGS[0 if opening[1] else 1].format(opening[1] or opening[2])
        last = text.find(f"\n{closing}", opening.end())
        if last < 0:
            continue
        parts.append(text[position : opening.start()])
        end = text.find("\n", last + 1)
        position = len(text) if end < 0 else end + 1
    return "".join((*parts, text[position:]))
