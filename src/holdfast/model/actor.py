"""Who acts: a person, or an agent that works for one."""

from typing import NamedTuple


class Actor(NamedTuple):
    """Whoever calls a verb. What an agent may not do, `capture/permission.py` says."""

    name: str
    """What the audit log calls them: `cli`, `mcp`, `http:ada`."""
    person: bool = True
    agent: str | None = None
    """The agent's own name, where it is known."""


PYTHON = Actor("python")
"""Who calls the Python API: whoever runs a program with it has the store in hand."""
