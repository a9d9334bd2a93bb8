"""The payloads that real clients sent to their hooks."""

import json
from pathlib import Path

from holdfast.agents.events import AgentEvent

FOLDER = Path(__file__).parents[2] / "clients" / "fixtures"
SHOP = "/" + "home/dev/shop"
"""Where the recordings were made."""


def recorded(client: str, event: str) -> list[object]:
    """Return every recorded payload of an event."""
    payloads: list[object] = json.loads((FOLDER / client / f"{event}.json").read_text(encoding="utf-8"))
    return payloads


def events(client: str) -> list[str]:
    """Return the events of which payloads were recorded."""
    return sorted(path.stem for path in (FOLDER / client).glob("*.json"))


def plain(moment: AgentEvent | None) -> dict[str, object]:
    """Return a moment's fields that say something."""
    assert moment is not None
    values = {name: getattr(moment, name) for name in AgentEvent.__slots__ if name != "arguments"}
    return {name: value for name, value in values.items() if value}
