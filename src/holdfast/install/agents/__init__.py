"""What goes where, a module an agent: `targets(place)` lists the files, `TO_DO` says what only the user can do."""

from types import ModuleType

from holdfast.install.agents import claude, codex, copilot, cursor, gemini, opencode

AGENTS: dict[str, ModuleType] = {
    "claude": claude,
    "codex": codex,
    "gemini": gemini,
    "opencode": opencode,
    "copilot": copilot,
    "cursor": cursor,
}
