"""The events of each agent's hooks, and which moment of a session each is. Light: shared with hooks."""

START, PROMPT, TOOL, REPLY, PAUSE, COMPACT, END = MOMENTS = (
    "start",
    "prompt",
    "tool",
    "reply",
    "pause",
    "compact",
    "end",
)
"""PAUSE: the agent waits for its user, in a client that never says that a session ended."""

CODEX = {
    "SessionStart": START,
    "UserPromptSubmit": PROMPT,
    "PostToolUse": TOOL,
    "Stop": REPLY,
    "SubagentStop": REPLY,
    "PreCompact": COMPACT,
    "SessionEnd": END,
}

CLAUDE = CODEX | {"PostToolUseFailure": TOOL}

GEMINI = {
    "SessionStart": START,
    "BeforeAgent": PROMPT,
    "AfterTool": TOOL,
    "AfterAgent": REPLY,
    "SessionEnd": END,
}
"""PreCompress is told of on every model turn, so it means nothing."""

OPENCODE = {
    "session.created": START,
    "chat.message": PROMPT,
    "tool.execute.after": TOOL,
    "experimental.text.complete": REPLY,
    "session.idle": PAUSE,
    "experimental.session.compacting": COMPACT,
    "session.deleted": END,
}

COPILOT = {
    "sessionStart": START,
    "userPromptSubmitted": PROMPT,
    "postToolUse": TOOL,
    "agentStop": REPLY,
    "sessionEnd": END,
}

CURSOR = {
    "sessionStart": START,
    "beforeSubmitPrompt": PROMPT,
    "postToolUse": TOOL,
    "postToolUseFailure": TOOL,
    "afterAgentResponse": REPLY,
    "preCompact": COMPACT,
    "sessionEnd": END,
}
