"""The lines that ask the agent to note what lasts: one at a session's start, one on a prompt that sounds like it.

They are notes, no entries: nothing is remembered by them, and nobody counts them. Light.
"""

from holdfast.recall.brief import render
from holdfast.recall.brief.tokens import estimate

AT_START = (
    "When the user states or corrects something that will hold beyond this task, note it: `memory_add` (or "
    "`holdfast add`) with their exact words as `quote`."
)
ON_PROMPT = (
    "This may hold beyond the task at hand. If it does, note it now: `memory_add` (or `holdfast add`) in a "
    "sentence that stands alone, with the user's exact words as `quote`. If not, go on."
)


def alone(style: str, nonce: str, total: int) -> str:
    """Return the line for a prompt by itself, where nothing else is told; nothing where it does not fit."""
    text = (
        render.opening(style, nonce, explained=False)
        + render.note(style, ON_PROMPT)
        + render.closing(style, nonce)
    )
    return text if estimate(text) <= total else ""
