"""The events of an agent's session in one vocabulary for every client: their JSON is read, text that others added
is taken off, and the rest is cleaned and made an entry of the spool. Light.

The package of each client has

- `AGENT`: the agent's name in memory and in the rendering of briefs,
- `moment(event, payload)`: the `AgentEvent` that a payload tells of, or None for one that says nothing to memory,
- `answer(event, brief, sign)`: what to print so that the model sees the brief and the person the sign.

Fields that are missing, of another type, or new are passed over: the formats move.

Every client writes text that holdfast injected into its transcript, and some put it into the prompt they tell
hooks of. Captured, it would come back as memory, and memory would feed on itself: so it is taken off here.
`Cleaner` is the same door that every write to the store goes through, so nothing reaches the disk that may not be
kept.
"""

import json
import re
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

from holdfast.model.ids import digest, turn_ref
from holdfast.model.limits import FILES, NAME_CHARS, PATH_CHARS, TURN_BYTES, TURN_READ_CHARS

if TYPE_CHECKING:
    from holdfast.agents.spool import Entry
    from holdfast.capture.text.clean import Cleaner

START, PROMPT, TOOL, REPLY, PAUSE, COMPACT, END, CALL = (
    "start",
    "prompt",
    "tool",
    "reply",
    "pause",
    "compact",
    "end",
    "call",
)
"""PAUSE: the agent waits for its user, in a client that never says that a session ended. CALL: it is about to
run a tool; nothing of it is recorded."""

USER, ASSISTANT, TOOL_ROLE = "user", "assistant", "tool"

CLIENTS = ("claude", "codex", "gemini", "opencode", "copilot", "cursor")
"""The clients that call hooks; each is a package beside this module."""

INPUT_CHARS = 2_000
"""What is kept of a tool's input: which command, which file. The rest is in the file."""

_PATHS = ("file_path", "filePath", "absolute_path", "notebook_path", "path", "filename", "file")
_COMMANDS = ("command", "cmd")
_PATCH_HEADERS = ("*** Update File: ", "*** Add File: ", "*** Delete File: ")
_TEXT_KEYS = (
    "stdout",
    "stderr",
    "error",
    "output",
    "text",
    "content",
    "textResultForLlm",
    "text_result_for_llm",
    "llmContent",
)
_WRAPPER_KEYS = ("file", "result", "tool_result", "toolResult")


class AgentEvent:
    """One event of a session, as its client told it."""

    __slots__ = ("arguments", "at", "cwd", "files", "key", "kind", "ref", "session", "source", "text", "tool")

    def __init__(
        self, kind: str, session: str, cwd: str = "", at: int | None = None, key: str = "", text: str = ""
    ) -> None:
        self.kind = kind
        self.session = session
        self.cwd = cwd
        self.at = at
        """When the client says that it happened, in epoch milliseconds."""
        self.key = key
        """What two hooks that are told of the same event have in common, besides its words."""
        self.source = ""
        """How a session began: startup, resume, clear, compact."""
        self.text = text
        self.tool = ""
        self.arguments: Mapping[str, object] = {}
        self.files: tuple[str, ...] = ()
        self.ref = ""
        """The client's own name for a tool call, the same in its transcript."""

    @property
    def role(self) -> str:
        """Who speaks in it; empty where nobody does."""
        return {PROMPT: USER, REPLY: ASSISTANT, TOOL: TOOL_ROLE}.get(self.kind, "")

    def read_call(self, tool: str, tool_input: Mapping[str, object], output: object, ref: str = "") -> None:
        """Take in a tool call: what the tool was asked, and what it answered."""
        self.tool, self.ref, self.arguments = tool, ref, tool_input
        if self.kind == CALL:
            return
        self.files = files_of(tool_input)
        self.text = "\n".join(filter(None, (request_text(tool_input), answer_text(output))))


def text_at(payload: Mapping[str, object], *names: str) -> str:
    """Return the first of these fields that is a text with something in it."""
    for name in names:
        value = payload.get(name)
        if isinstance(value, str) and value.strip():
            return value
    return ""


def table_at(payload: Mapping[str, object], *names: str) -> dict[str, object]:
    """Return the first of these fields that is an object; clients may send it as a JSON text."""
    for name in names:
        value = payload.get(name)
        if isinstance(value, str) and value.startswith("{"):
            try:
                value = json.loads(value)
            except ValueError:
                continue
        if isinstance(value, dict):
            return value
    return {}


def milliseconds(value: object) -> int | None:
    """Read a time as clients write it: epoch milliseconds, or ISO 8601."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value if 0 < value < 1 << 45 else None
    if not isinstance(value, str) or len(value) < 19:
        return None
    from datetime import datetime  # of hooks only Gemini's write times so

    try:
        return int(datetime.fromisoformat(value.replace("Z", "+00:00")).timestamp() * 1000)
    except (ValueError, OverflowError):
        return None


def answer_text(value: object) -> str:
    """Return the text in a tool's answer, whatever it is wrapped in."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(filter(None, map(answer_text, value)))
    if isinstance(value, dict):
        texts = [answer_text(value[name]) for name in _TEXT_KEYS if value.get(name)]
        answers = texts or [
            answer_text(value[name]) for name in _WRAPPER_KEYS if isinstance(value.get(name), dict)
        ]
        return "\n".join(filter(None, answers)) or _compact(value)
    return "" if value is None else str(value)


def request_text(tool_input: Mapping[str, object]) -> str:
    """Return what a tool was asked to do, in short: its command, or its arguments; never half a secret."""
    from holdfast.capture.text.redact import cut  # a hook before a call records nothing, and waits for no rules

    for name in _COMMANDS:
        command = tool_input.get(name)
        if isinstance(command, list):
            command = " ".join(map(str, command))
        if isinstance(command, str):
            return cut(f"$ {command}", INPUT_CHARS)[0]
    return cut(_compact(tool_input), INPUT_CHARS)[0] if tool_input else ""


def files_of(tool_input: Mapping[str, object]) -> tuple[str, ...]:
    """Return the files that a tool was asked to work on."""
    paths = [value for name in _PATHS if isinstance(value := tool_input.get(name), str) and value.strip()]
    for name in (*_COMMANDS, "input", "patch", "patchText"):
        value = tool_input.get(name)
        if isinstance(value, str) and "*** " in value:
            paths += [
                line.removeprefix(mark)
                for line in value.splitlines()
                for mark in _PATCH_HEADERS
                if line.startswith(mark)
            ]
    return tuple(dict.fromkeys(name.strip() for name in paths if "\n" not in name))


def strip_quotes(text: str) -> str:
    """Take off the quotes that `opencode run` puts around a prompt with blanks in it."""
    inner = text[1:-1]
    return inner if len(text) > 1 and text[0] == text[-1] == '"' and '"' not in inner else text


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "))


# ── what others put into a message ─────────────────────────────────────────────────────────────────────────────

_BLOCKS = (
    # holdfast
    "project_memory",
    # Claude Code
    "system-reminder",
    "task-notification",
    "local-command-stdout",
    "local-command-stderr",
    "local-command-caveat",
    "command-message",
    "command-name",
    "user-prompt-submit-hook",
    "ide_opened_file",
    "ide_diagnostics",
    # Codex
    "environment_context",
    "user_instructions",
    "permissions instructions",
    "skills_instructions",
    "turn_aborted",
    # Gemini CLI
    "hook_context",
    "session_context",
    "system_note",
    # Copilot CLI
    "current_datetime",
    "system_reminder",
    "reminder",
)
_OWN_FENCES = (
    r"(?s)## Project memory ([0-9a-f]+)\n.*?(?:## End of project memory \1|\Z)",
    r"(?s)=== project memory ([0-9a-f]+) ===\n.*?(?:=== end of project memory \1 ===|\Z)",
)
"""Briefs as Markdown and as plain text; as XML they are a block among the others."""

_WRAPPERS = ("untrusted_context", "command-args", "user_query")
"""Tags around what somebody did say: only the tags go."""

_OPENINGS = (
    "# AGENTS.md instructions",
    "Caveat: The messages below were generated by the user while running local commands",
    "This session is being continued from a previous conversation",
    "Base directory for this skill:",
    "[Request interrupted by user",
    *(f"The user ran /{command}" for command in ("remember,", "forget,", "pin,", "memory,", "memory learn")),
)
"""A message that begins so was written by a client from its first letter to its last."""

_OWN_ENDING = "holdfast has done what the user asked for; above is what it says."
"""How a command's file ends that a client puts in place of what was typed."""

_COMMAND_TEMPLATE = "A command of holdfast, which the user typed."
"""How one begins where the client says what was typed in its last line."""

OWN_TOOLS = frozenset(
    "memory_" + name for name in "search timeline get add recall update delete prune stats".split()
)
_OWN_SERVER = "holdfast"
_OWN_COMMAND = r"(?:^\$|[;&|(])\s*(?:\w+=\S+\s+)*(?:\S*/)?holdfast(?:-hook)?(?:\s|$)"
_END = r"(?<=[.!?;])\s+|\n+"
_DIGITS = 16
_LEAST_CHARS = 20
"""Shorter sentences are anybody's."""


def without_additions(text: str) -> str:
    """Return what somebody said: a message without what holdfast or a client put into it."""
    if text.lstrip().startswith(_OPENINGS) or _OWN_ENDING in text:
        return ""
    if text.lstrip().startswith(_COMMAND_TEMPLATE):
        text = text.rstrip().rpartition("\n")[2]  # where no plugin ran it: what the user typed stands last
    if "project memory" in text.lower():
        for fence in _OWN_FENCES:
            text = re.sub(fence, "", text)
    if "<" not in text:
        return text.strip()
    for tag in _BLOCKS:
        if f"<{tag}" in text:
            text = re.sub(rf"(?s)<{tag}(?![\w-])[^<>]*>.*?(?:</{tag}>|\Z)", "", text)
    for tag in _WRAPPERS:
        if f"<{tag}" in text:
            text = re.sub(rf"</?{tag}>", "", text)
    return text.strip()


def shows_memory(tool: str, text: str) -> bool:
    """Say whether a tool's result is memory itself, seen through holdfast's own tools or commands."""
    name = tool.replace("-", "_")
    if any(name.endswith(own) for own in OWN_TOOLS) and (_OWN_SERVER in name or name in OWN_TOOLS):
        return True
    command = text.partition("\n")[0]
    return command.startswith("$") and _OWN_SERVER in command and re.search(_OWN_COMMAND, command) is not None


def sentences(text: str) -> list[str]:
    """Return the fingerprints of the sentences of a text that one can recognise."""
    return [_print(sentence) for sentence in re.split(_END, text) if _long(sentence)]


def without_echo(text: str, echo_prints: frozenset[str]) -> str:
    """Return a reply without the sentences that the agent was told."""
    if not echo_prints:
        return text
    pieces = re.split(f"({_END})", text)
    remaining_pieces = [piece for piece in pieces if not (_long(piece) and _print(piece) in echo_prints)]
    return "".join(remaining_pieces).strip()


def _long(sentence: str) -> bool:
    return len(sentence.strip()) >= _LEAST_CHARS


def _print(sentence: str) -> str:
    """Return what two tellings of one sentence have in common: letters and digits, in lower case."""
    return digest(" ".join(re.findall(r"\w+", sentence.lower())))[:_DIGITS]


# ── the entry of an event ────────────────────────────────────────────────────────────────────────────────

_CUT_MARK = "\n... [cut]"
_SAME_MS = 3_000
"""How long two hooks may take over one event of a client that gives its events no name."""

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.")


def entry_of(
    client: str,
    agent: str,
    moment: AgentEvent,
    clean: "Cleaner",
    depth: int,
    echoes: frozenset[str] = frozenset(),
) -> "tuple[Entry | None, int]":
    """Return a moment's entry (None when nothing was said), and how many private blocks are open after it."""
    from holdfast.capture.forget_command import command_words, seal, split_command

    at = moment.at or int(time.time() * 1000)
    entry: Entry = {
        "kind": moment.kind,
        "client": client,
        "agent": agent,
        "session": plain_id(moment.session),
        "at": at,
    }
    if not moment.role:
        return entry, depth
    text, depth = _kept_text(moment, clean, depth, echoes)
    if not text:
        return None, depth
    if moment.kind == PROMPT:
        command = command_words(text)
        if command is not None:
            entry["seal"] = seal(command, turn_ref(moment.role, moment.key or str(at // _SAME_MS)))
        text = split_command(text)[0]
        if not text:
            return entry, depth
    entry |= {"role": moment.role, "text": text}
    if moment.ref:
        entry["ref"] = turn_ref(moment.role, moment.ref)
    else:
        entry["ref"] = turn_ref(moment.role, moment.key or str(at // _SAME_MS), text)
    if moment.tool:
        entry |= {"tool": clean.label(moment.tool)[:NAME_CHARS], "files": _files(moment, clean)}
    return entry, depth


def _files(moment: AgentEvent, clean: "Cleaner") -> list[str]:
    """Return the files of a tool call; a name that no memory can hold is left out, and the call is kept."""
    return [file for file in clean.labels(moment.files[:FILES]) if len(file) <= PATH_CHARS]


def is_unrecorded(entry: "Entry") -> bool:
    """Say whether a message was nothing but a command to forget: of the agent's answer nothing is kept, either."""
    return "seal" in entry and "text" not in entry


def event_key(moment: AgentEvent) -> str:
    """Return what is the same for every hook that is told of an event, and for no other event."""
    return digest("\0".join((moment.kind, moment.key, moment.text)))[:16]


def plain_id(session: str) -> str:
    """Return a session's id as it may be written down: an id is letters and digits, or it is a text."""
    return session if len(session) <= 100 and set(session) <= _PLAIN else digest(session)[:32]


def _kept_text(moment: AgentEvent, clean: "Cleaner", depth: int, echoes: frozenset[str]) -> tuple[str, int]:
    """Return what is kept of a text. A tool's answer neither opens nor closes a private block: a page could."""
    from holdfast.capture.text.clean import depth_after
    from holdfast.capture.text.redact import cut

    head, longer = cut(moment.text, TURN_READ_CHARS)
    if moment.kind == TOOL:
        if depth or shows_memory(moment.tool, moment.text):
            return "", depth
        return cap(clean.text(without_additions(head)), longer=longer), depth
    text, depth = clean.piece(without_additions(head), depth)
    if moment.kind == REPLY:
        text = without_echo(text, echoes)
    if longer:
        depth = depth_after(moment.text, len(head), depth)
    return cap(text, longer=longer), depth


def cap(text: str, *, longer: bool) -> str:
    """Cut a clean text to what is kept of one turn, with a mark that says so."""
    raw = text.encode("utf-8", "replace")
    if len(raw) <= TURN_BYTES - len(_CUT_MARK) and not longer:
        return text
    return raw[: TURN_BYTES - len(_CUT_MARK)].decode("utf-8", "ignore") + _CUT_MARK
