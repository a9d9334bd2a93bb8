"""A session goes on as two: the child gets a copy of what its parent found, and remembers where it came from."""

import hashlib
from collections.abc import Iterator
from dataclasses import replace

from holdfast.model.finding import Finding
from holdfast.model.ids import id_from, new_id
from holdfast.model.kinds import ACTIVE
from holdfast.model.session import Session
from holdfast.ports import Store

PAGE = 500


def fork(store: Store, parent: Session, now: int) -> Session:
    """Begin a session that goes on from another; the two change independently from here.

    The turns before the fork stay the parent's: they are evidence, and one message is one turn.
    """
    child = replace(
        parent,
        id=new_id(now),
        parent=parent.id,
        status=ACTIVE,
        ref=None,
        summary="",
        started_at=now,
        ended_at=None,
        last_turn_at=None,
        tool_calls=0,
        turns=0,
        heard_at=now,
        turns_read=0,
        read_to=None,
        forked_at=parent.read_to,
    )
    store.sessions.insert(child)
    for page in _pages(store, parent.id):
        store.findings.put([_copy(finding, child) for finding in page])
    return child


def _pages(store: Store, session_id: str) -> Iterator[list[Finding]]:
    last: str | None = None
    while page := store.findings.of(session_id, last, PAGE):
        last = page[-1].id
        yield page


def _copy(finding: Finding, child: Session) -> Finding:
    key = hashlib.sha256(f"{child.id} {finding.id}".encode()).digest()
    return replace(finding, id=id_from(finding.created_at, key), session=child.id)
