"""Hooks as Claude Code, Codex and Gemini CLI write them: a list of groups for each event."""

from collections.abc import Iterable

from holdfast.agents.editors.place import InstallScope
from holdfast.agents.editors.targets import Edit

SECONDS = 10
"""How long a client waits for a hook at most. Ours ends long before; by itself SessionEnd gets about a second."""


def hook_groups_for(
    place: InstallScope, client: str, events: Iterable[str], timeout: int = SECONDS, **more: object
) -> list[Edit]:
    """Return one group with one hook for each event."""
    return [
        Edit(("hooks", event), {"hooks": [hook(place, client, event, timeout, **more)]}, item=True)
        for event in events
    ]


def hook(place: InstallScope, client: str, event: str, timeout: int, **more: object) -> dict[str, object]:
    """Return one hook."""
    return {**more, "type": "command", "command": place.command(client, event), "timeout": timeout}
