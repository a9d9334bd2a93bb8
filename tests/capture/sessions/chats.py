"""Turns for the tests of extraction, written as they were said."""

from holdfast.model.session import Turn

USER, AGENT, TOOL = "user", "assistant", "tool"


def said(*messages: tuple[str, str]) -> list[Turn]:
    """Return messages as the turns of one session, a second apart."""
    return [
        Turn(id=f"turn-{place}", session="session", role=role, text=text, at=1_000 * place)
        for place, (role, text) in enumerate(messages)
    ]


def called(tool: str, *files: str, place: int = 0, text: str = "done") -> Turn:
    """Return a tool call."""
    return Turn(id=f"call-{place}", session="session", role="tool", text=text, at=place, tool=tool, files=files)
