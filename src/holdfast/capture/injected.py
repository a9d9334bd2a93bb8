"""Remove what memory and the client put into a conversation themselves: captured again, it would feed on itself.

Not here: `<private>` blocks (`strip`), secrets (`redact`). Light: shared with hooks.

- Our own briefs: between the fences of a brief, whose opening line names holdfast or the project's memory and a
  nonce, and whose closing line repeats that nonce; and `<project_memory>` in any form, up to the end of the text
  when a client cut it off.
- What clients add: reminders, hook output, notices of commands, instruction files. Closed blocks only: somebody
  may write about such a tag.

Every search goes forward only, so that no text can make it slow.
"""

import re

OWN_TAG = "project_memory"
ADDED = "[added by the client]"
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

_FENCE = re.compile(
    r"^[^\n]{0,80}\b(?:holdfast|project[ _-]memory)\b[^\n]{0,200}?\b([0-9a-f]{6,64})\b",
    re.IGNORECASE | re.MULTILINE,
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
    kept, position = [], 0
    opener, closer = f"<{tag}", f"</{tag.split()[0]}"
    while (start := text.find(opener, position)) >= 0:
        if text[start + len(opener) : start + len(opener) + 1] not in (">", " ", "\n"):
            kept.append(text[position : start + 1])
            position = start + 1
            continue
        end = text.find(closer, start)
        end = text.find(">", end) if end >= 0 else -1
        if end < 0:
            return "".join((*kept, text[position:start] if cut_off else text[position:]))
        kept.append(text[position:start])
        position = end + 1
    return "".join((*kept, text[position:]))


def _without_fenced(text: str) -> str:
    """Remove what stands between a line that opens a brief and the line that repeats its nonce."""
    kept, position = [], 0
    while opening := _FENCE.search(text, position):
        again = text.find(opening[1], opening.end())
        kept.append(text[position : opening.start()])
        position = opening.start()
        if again < 0 or "\n" not in text[opening.end() : again]:
            end = text.find("\n", opening.end())
            kept.append(text[position : end + 1 if end >= 0 else len(text)])
        else:
            end = text.find("\n", again)
        if end < 0:
            return "".join(kept)
        position = end + 1
    return "".join((*kept, text[position:]))
