"""What goes where, a module an agent: `targets(place)` lists the files, `TO_DO` says what only the user can do."""

from types import ModuleType

from holdfast.agents.claude import install as claude
from holdfast.agents.codex import install as codex
from holdfast.agents.copilot import install as copilot
from holdfast.agents.cursor import install as cursor
from holdfast.agents.gemini import install as gemini
from holdfast.agents.opencode import install as opencode

AGENTS: dict[str, ModuleType] = {
    "claude": claude,
    "codex": codex,
    "gemini": gemini,
    "opencode": opencode,
    "copilot": copilot,
    "cursor": cursor,
}
