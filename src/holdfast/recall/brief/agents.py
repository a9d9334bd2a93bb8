"""What each agent takes: the form of its briefs, and how long one may be. Light: shared with hooks."""

XML, MARKDOWN, TEXT = STYLES = ("xml", "markdown", "text")

CLAUDE_CODE, CODEX, GEMINI, OPENCODE, COPILOT, CURSOR = AGENTS = (
    "claude-code", "codex", "gemini", "opencode", "copilot", "cursor",
)  # fmt: skip

_OTHER_NAMES = {"claude": CLAUDE_CODE, "gemini-cli": GEMINI, "copilot-cli": COPILOT}
_STYLES = {CLAUDE_CODE: XML, GEMINI: MARKDOWN, COPILOT: MARKDOWN}

CLAUDE_CODE_CHARACTERS = 10_000
"""One more, and Claude Code puts the text into a file and shows 2,000 characters of it."""

CODEX_TOKENS = 2_400
CODEX_CHARACTERS = 7_500
"""Codex does the same at about 2,500 tokens, whatever it takes for one: three characters at the least."""

_CHARACTERS = {CLAUDE_CODE: CLAUDE_CODE_CHARACTERS, CODEX: CODEX_CHARACTERS}


def agent_named(name: str) -> str:
    """Return the name by which an agent is known here; one that is not known keeps its own."""
    plain = name.strip().lower().replace("_", "-")
    return _OTHER_NAMES.get(plain, plain)


def style_of(agent: str) -> str:
    """Return the form of an agent's briefs; an agent that is not known gets plain text."""
    return _STYLES.get(agent_named(agent), TEXT)


def most_tokens(agent: str, total: int) -> int:
    """Return how many tokens of a total an agent takes."""
    return min(total, CODEX_TOKENS) if agent_named(agent) == CODEX else total


def most_characters(agent: str) -> int | None:
    """Return how many characters an agent takes; None where there is no limit."""
    return _CHARACTERS.get(agent_named(agent))
