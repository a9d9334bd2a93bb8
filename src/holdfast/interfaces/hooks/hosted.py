"""The brief of a hook where a server keeps memory: the service makes it, by words alone. Not light.

It has the time that a hook has, and no more; whatever goes wrong leaves a trace, and the agent goes on without.
"""

import contextlib
from pathlib import Path

from holdfast.briefs import Wish
from holdfast.interfaces.hooks.brief import Asked, said_elsewhere
from holdfast.model.brief import Brief
from holdfast.model.kinds import KINDS
from holdfast.service import Service
from holdfast.wiring import open_for_brief


def make(asked: Asked, agent: str, total: int) -> tuple[str, list[str], list[str]]:
    """Return the text of a brief, the short ids of what it tells, and what that says."""
    with contextlib.closing(open_for_brief(Path(asked.root))) as service:
        session = service.exchange.session_with(asked.ref)
        wish = Wish(
            prompt=asked.prompt or None,
            budget=total,
            agent=agent,
            session=session.id if session else None,
            heard=tuple(one.text for one in said_elsewhere(asked)),
            told=asked.known,
        )
        brief = service.briefs.context(wish)
        return brief.text, [_short(one.id) for one in brief.items], _said(service, brief)


def _said(service: Service, brief: Brief) -> list[str]:
    """Return what the memories of a brief say: an agent that repeats it says nothing new."""
    found = [service.peek(one.id) for one in brief.items if one.kind in KINDS]
    return [memory.content for memory in found if memory]


def _short(full: str) -> str:
    return full.replace("-", "")[-8:]
