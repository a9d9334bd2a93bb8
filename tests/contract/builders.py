"""Values to fill a store with: each whole and valid, every field open to be set."""

import itertools

from msgspec import convert

from holdfast.model.finding import Evidence, Finding
from holdfast.model.ids import fingerprint, time_of
from holdfast.model.memory import Memory, title_of
from holdfast.model.session import Session, Turn
from holdfast.model.thread import Thread, ThreadStatement
from holdfast.ports import Store

NOW = 1_800_000_000_000
PROJECT = "example.com/acme/shop"

_numbers = itertools.count(1)


def an_id(number: int | None = None) -> str:
    """Return an id of the right form; a number makes it that number's, none makes a new one."""
    value = next(_numbers) if number is None else number
    return f"01a31600-0000-7000-8000-{value:012x}"


ARRIVED_AT = time_of(an_id(0))
"""When turns with such ids arrived."""


def a_memory(**fields: object) -> Memory:
    """Make a memory; fields that are not given are plain, and fit those that are."""
    memory_id = str(fields.get("id") or an_id())
    content = str(fields.get("content") or f"Something worth knowing, number {int(memory_id[-12:], 16)}")
    at = fields.get("created_at", NOW)
    plain: dict[str, object] = {
        "id": memory_id,
        "project": PROJECT,
        "tenant": "local",
        "user": "ada",
        "kind": "fact",
        "title": title_of(content),
        "content": content,
        "status": "candidate",
        "trust": "agent",
        "created_at": at,
        "updated_at": at,
        "renewed_at": at,
        "valid_from": at,
        "fingerprint": fingerprint(content),
    }
    return Memory(**(plain | fields))  # type: ignore[arg-type]  # a caller's names are the fields' names


def a_session(**fields: object) -> Session:
    """Make a session that has just begun."""
    plain: dict[str, object] = {
        "id": an_id(),
        "project": PROJECT,
        "tenant": "local",
        "user": "ada",
        "agent": "codex",
        "status": "active",
        "started_at": NOW,
    }
    return Session(**(plain | fields))  # type: ignore[arg-type]  # as above


def a_turn(session: Session, text: str, **fields: object) -> Turn:
    """Make a turn of a session."""
    plain: dict[str, object] = {"id": an_id(), "session": session.id, "role": "user", "text": text, "at": NOW}
    return Turn(**(plain | fields))  # type: ignore[arg-type]  # as above


def a_finding(session: Session, **fields: object) -> Finding:
    """Make a finding of a session."""
    finding_id = str(fields.get("id") or an_id())
    content = str(fields.get("content") or f"A rule worth keeping, number {int(finding_id[-12:], 16)}")
    plain: dict[str, object] = {
        "id": finding_id,
        "session": session.id,
        "kind": "decision",
        "content": content,
        "fingerprint": fingerprint(content),
        "evidence": (Evidence(turn=an_id(), start=0, end=len(content)),),
        "importance": 0.7,
        "confidence": 0.6,
        "created_at": NOW,
    }
    return Finding(**(plain | fields))  # type: ignore[arg-type]  # as above


def keep(store: Store, *memories: Memory) -> None:
    """Insert memories in one transaction."""
    with store.writing():
        store.memories.insert(memories)


def keep_turns(store: Store, session: Session, *turns: Turn) -> None:
    """Insert a session and its turns in one transaction."""
    with store.writing():
        store.sessions.insert(session)
        store.turns.insert(turns)


def a_thread(*statements: ThreadStatement, **fields: object) -> Thread:
    """Make a thread of statements; fields that are not given are plain."""
    plain: dict[str, object] = {
        "id": an_id(),
        "session": None,
        "first": None,
        "title": "capture client, attempts",
        "at": NOW,
        "statements": statements,
    }
    return convert(plain | fields, Thread)
