"""Settings: what can be set, where it is set, and changing one line of it.

Here stands what can be set about hooks, with its defaults: plain constants, which hooks read without the rest.
"""

NEVER, FIRST, NEW, EVERY = INJECT = ("off", "first", "new", "every")
"""When a brief is injected: never; when a session starts and with its first prompt; with later prompts, too, where
something new plainly applies; with every prompt."""

START_BUDGET = 1_500
"""Tokens of the brief at a session's start: sixty rules of a sentence or two."""

SETTINGS_FOLDER = "settings"
"""Where the compiled copies that hooks read lie, in the user's data directory."""

DEFAULTS: "dict[str, object]" = {
    "project.enabled": True,
    "store.path": None,
    "store.url": None,
    "redact.allow": (),
    "brief.ceiling": None,
    "brief.start_budget": START_BUDGET,
    "brief.nudge": True,
    "hooks.inject": NEW,
    "hooks.session_start": True,
    "hooks.prompt": True,
    "hooks.tool": True,
    "hooks.act": True,
    "hooks.files": True,
    "hooks.reply": True,
    "hooks.compaction": True,
    "hooks.session_end": True,
    "hooks.sign": True,
}
"""Every setting that a hook reads."""
