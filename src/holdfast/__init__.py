"""Persistent memory for AI coding agents.

    from holdfast import Holdfast

    with Holdfast.open(".") as hf:
        hf.add("We settled on Postgres LISTEN/NOTIFY for the job queue", kind="decision")
        hf.search("job queue")

Names load on first use, so that importing the package costs next to nothing.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from holdfast.errors import ConfigError, HoldfastError, InvalidInput, StoreError, UnknownId
    from holdfast.interfaces.python import Holdfast, SessionHandle
    from holdfast.model.brief import Brief
    from holdfast.model.memory import Added, Conflict, Forgotten, Memory, TimelineEntry
    from holdfast.model.records import Stats
    from holdfast.model.search import Hit
    from holdfast.model.session import Quote, Session, Turn

__version__ = "0.1.0"

_HOMES = {
    "Holdfast": "holdfast.interfaces.python",
    "SessionHandle": "holdfast.interfaces.python",
    "Brief": "holdfast.model.brief",
    "Conflict": "holdfast.model.memory",
    "Memory": "holdfast.model.memory",
    "Added": "holdfast.model.memory",
    "Forgotten": "holdfast.model.memory",
    "TimelineEntry": "holdfast.model.memory",
    "Quote": "holdfast.model.session",
    "Session": "holdfast.model.session",
    "Turn": "holdfast.model.session",
    "Hit": "holdfast.model.search",
    "Stats": "holdfast.model.records",
    "HoldfastError": "holdfast.errors",
    "InvalidInput": "holdfast.errors",
    "UnknownId": "holdfast.errors",
    "ConfigError": "holdfast.errors",
    "StoreError": "holdfast.errors",
}

__all__ = [
    "Added",
    "Brief",
    "ConfigError",
    "Conflict",
    "Forgotten",
    "Hit",
    "Holdfast",
    "HoldfastError",
    "InvalidInput",
    "Memory",
    "Quote",
    "Session",
    "SessionHandle",
    "Stats",
    "StoreError",
    "TimelineEntry",
    "Turn",
    "UnknownId",
    "__version__",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
