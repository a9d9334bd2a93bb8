"""Remove what memory and the client put into a conversation themselves: captured again, it would feed on itself.

Not here: `<private>` blocks (`strip`), secrets (`redact`). Light: shared with hooks.

- Our own briefs: between the two lines that the renderer of briefs writes, in Markdown or plain, with one nonce in
  both; and `<project_memory>` in any form, up to the end of the text when a client cut it off.
- What clients add: reminders, hook output, notices of commands, instruction files. Closed blocks only: somebody
  may write about such a tag.

Every search goes forward only, so that no text can make it slow.
"""

import re

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
