"""What happens in an agent's session, in one vocabulary for every client, and how their JSON is read. Light.

The package of each client has

- `AGENT`: the agent's name in memory and in the rendering of briefs,
- `moment(event, payload)`: the `AgentEvent` that a payload tells of, or None for one that says nothing to memory,
- `answer(event, brief, sign)`: what to print so that the model sees the brief and the person the sign.

Fields that are missing, of another type, or new are passed over: the formats move.
"""

import json

from holdfast.capture.text.redact import cut

TYPE_CHECKING = False  # typing's own, without importing typing
if TYPE_CHECKING:
    from collections.abc import Mapping

START, PROMPT, TOOL, REPLY, PAUSE, COMPACT, END = EVENT_KINDS = (
    "start",
    "prompt",
    "tool",
    "reply",
    "pause",
    "compact",
    "end",
)
"""PAUSE: the agent waits for its user, in a client that never says that a session ended."""

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

    __slots__ = ("at", "cwd", "files", "key", "kind", "ref", "session", "source", "text", "tool")

    def __init__(
        self, kind: str, session: str, cwd: str = "", at: "int | None" = None, key: str = "", text: str = ""
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
        self.files: tuple[str, ...] = ()
        self.ref = ""
        """The client's own name for a tool call, the same in its transcript."""

    @property
    def role(self) -> str:
        """Who speaks in it; empty where nobody does."""
        return {PROMPT: USER, REPLY: ASSISTANT, TOOL: TOOL_ROLE}.get(self.kind, "")

    def read_call(self, tool: str, tool_input: "Mapping[str, object]", output: object, ref: str = "") -> None:
        """Take in a tool call: what the tool was asked, and what it answered."""
        self.tool, self.ref, self.files = tool, ref, files_of(tool_input)
        self.text = "\n".join(filter(None, (request_text(tool_input), answer_text(output))))


def text_at(payload: "Mapping[str, object]", *names: str) -> str:
    """Return the first of these fields that is a text with something in it."""
    for name in names:
        value = payload.get(name)
        if isinstance(value, str) and value.strip():
            return value
    return ""


def table_at(payload: "Mapping[str, object]", *names: str) -> "dict[str, object]":
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


def milliseconds(value: object) -> "int | None":
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


def request_text(tool_input: "Mapping[str, object]") -> str:
    """Return what a tool was asked to do, in short: its command, or its arguments; never half a secret."""
    for name in _COMMANDS:
        command = tool_input.get(name)
        if isinstance(command, list):
            command = " ".join(map(str, command))
        if isinstance(command, str):
            return cut(f"$ {command}", INPUT_CHARS)[0]
    return cut(_compact(tool_input), INPUT_CHARS)[0] if tool_input else ""


def files_of(tool_input: "Mapping[str, object]") -> "tuple[str, ...]":
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
