"""The verbs over HTTP, for Python: what `Holdfast` calls when it was opened with the address of a server.

The declarations that the server is made of say where each verb is and what comes back, so both sides agree. An
error of the server is raised here as the embedded API raises it (`remote_calls.py`).
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any
from urllib.parse import SplitResult, quote, urlsplit

import httpx2

from holdfast import errors
from holdfast.interfaces.http.operations import inbox, memories, search, sessions, upkeep
from holdfast.interfaces.http.remote_calls import ConnectionProof, RemoteCalls, sendable
from holdfast.model.brief import Brief
from holdfast.model.finding import Finding
from holdfast.model.inbox import Inbox, InboxItem, Proposal, Settlement
from holdfast.model.memory import Added, Conflict, Forgotten, Memory, TimelineEntry
from holdfast.model.records import AccessReport, Stats
from holdfast.model.requests import (
    BriefRequest,
    Changes,
    Draft,
    ForgetRequest,
    Message,
    PruneRequest,
    Reach,
    SearchRequest,
)
from holdfast.model.search import Filters, Hit
from holdfast.model.session import Quote, Session, Turn
from holdfast.model.times import Moment
from holdfast.model.upkeep import Cleanup, Prune
from holdfast.model.value import Value
from holdfast.ports import Progress

VARIABLE = "HOLDFAST_TOKEN"
TIMEOUT_S = 60.0
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def connect(url: str, token: str | None, project: str | None, *, insecure: bool = False) -> "Remote":
    """Return the verbs of a server. A token goes over an unencrypted connection to this machine only.

    There each connection is proven first: a stranger may have taken the port, at any time.
    """
    bearer_token = token or os.environ.get(VARIABLE, "").strip()
    if not bearer_token:
        raise errors.InvalidInput(field="token", problem=f"is needed for a server; give it, or set {VARIABLE}.")
    parts = _parts(url)
    local = parts.hostname in _LOOPBACK
    if parts.scheme == "http" and not local and not insecure:
        raise errors.InvalidInput(
            field="target", problem="would send the token unencrypted. Use https://, or say insecure=True."
        )
    headers = {"Authorization": f"Bearer {bearer_token}"} | (
        {"Holdfast-Project": quote(project, errors="replace")} if project else {}
    )
    hooks: list[Callable[..., Any]] = (
        [ConnectionProof(bearer_token, url)] if local and parts.scheme == "http" else []
    )
    client = httpx2.Client(
        base_url=url.rstrip("/"),
        headers=headers,
        timeout=TIMEOUT_S,
        trust_env=not local,
        event_hooks={"request": hooks},
    )
    call = RemoteCalls(client, url)
    try:
        call.greet()
    except BaseException:
        call.close()
        raise
    return Remote(call)


def _parts(url: str) -> SplitResult:
    """Read the address of a server; refuse what is none."""
    try:
        parts = urlsplit(url)
        fits = parts.hostname and parts.port != 0 and httpx2.URL(url).host
    except (ValueError, httpx2.InvalidURL):
        fits = None
    if not fits or parts.query or parts.fragment or parts.username is not None or "#" in url or "?" in url:
        raise errors.InvalidInput(field="target", problem="must be an address such as https://memory.example.")
    return parts


class Remote:
    """The verbs of a service that runs elsewhere. Safe to share between threads."""

    def __init__(self, call: RemoteCalls) -> None:
        self._call = call
        self.review = RemoteReview(call)

    def close(self) -> None:
        """Let go of the connections."""
        self._call.close()

    def add(self, draft: Draft) -> Added:
        return self._call(memories.ADD, **_explicit_values(draft))

    def add_many(self, drafts: Sequence[Draft]) -> list[Added]:
        items = [{key: sendable(value) for key, value in _explicit_values(draft).items()} for draft in drafts]
        return self._call(memories.ADD_MANY, items=items)

    def update(self, memory_id: str, changes: Changes) -> Memory:
        return self._call(memories.UPDATE, id=memory_id, **_explicit_values(changes))

    def forget(self, memory_id: str, reach: Reach | None = None) -> Forgotten:
        return self._call(memories.FORGET, id=memory_id, **_explicit_values(reach or Reach()))

    def forget_where(self, request: ForgetRequest) -> Forgotten:
        return self._call(memories.FORGET_WHERE, **_explicit_values(request))

    def pin(self, memory_id: str) -> Memory:
        return self._call(memories.PIN, id=memory_id)

    def unpin(self, memory_id: str) -> Memory:
        return self._call(memories.UNPIN, id=memory_id)

    def confirm(self, memory_id: str) -> Memory:
        return self._call(memories.CONFIRM, id=memory_id)

    def supersede(self, old_id: str, new_id: str) -> Memory:
        return self._call(memories.SUPERSEDE, id=old_id, new=new_id)

    def reinstate(self, memory_id: str) -> Memory:
        return self._call(memories.REINSTATE, id=memory_id)

    def conflicts(self) -> Sequence[Conflict]:
        return self._call(search.CONFLICTS)

    def resolve(self, conflict: Conflict | str, keep: str) -> Conflict:
        conflict_id = conflict.id if isinstance(conflict, Conflict) else conflict
        return self._call(search.RESOLVE, id=conflict_id, keep=keep)

    def search(self, request: SearchRequest) -> list[Hit]:
        return self._call(search.SEARCH, **_explicit_values(request))

    def recall(self, request: SearchRequest) -> list[Hit]:
        explicit_values = _explicit_values(request) | {"limit": request.limit}  # a recall's default is another
        return self._call(search.RECALL, **explicit_values)

    def context(self, request: BriefRequest) -> Brief:
        return self._call(search.CONTEXT, **_explicit_values(request))

    def timeline(self, memory_id: str, window: int) -> list[TimelineEntry]:
        return self._call(memories.TIMELINE, id=memory_id, window=window)

    def get(self, ids: Sequence[str]) -> list[Memory]:
        return self._call(memories.GET_MANY, ids=ids)

    def quotes(self, ids: Sequence[str]) -> list[Quote]:
        return self._call(sessions.QUOTES, ids=ids)

    def history(self, memory_id: str) -> Sequence[Memory]:
        return self._call(memories.HISTORY, id=memory_id)

    def start_session(self, agent: str, at: Moment | None, ref: str | None) -> Session:
        return self._call(sessions.START_SESSION, agent=agent, at=at, ref=ref)

    def record(self, session_id: str, message: Message) -> Turn:
        return self._call(sessions.RECORD, id=session_id, **_explicit_values(message))

    def checkpoint(self, session_id: str) -> Session:
        return self._call(sessions.CHECKPOINT, id=session_id)

    def fork_session(self, session_id: str) -> Session:
        return self._call(sessions.FORK_SESSION, id=session_id)

    def end_session(self, session_id: str) -> Session:
        return self._call(sessions.END_SESSION, id=session_id)

    def findings(self, session_id: str) -> Sequence[Finding]:
        return self._call(sessions.FINDINGS, id=session_id)

    def session(self, session_id: str) -> Session:
        return self._call(sessions.SESSION, id=session_id)

    def sessions(self, limit: int) -> Sequence[Session]:
        return self._call(sessions.SESSIONS, limit=limit)

    def turns(self, session_id: str) -> Sequence[Turn]:
        return self._call(sessions.TURNS, id=session_id)

    def accesses(self, days: int) -> AccessReport:
        return self._call(upkeep.ACCESSES, days=days)

    def peek(self, memory_id: str) -> Memory | None:
        known_memories = self._call(memories.PEEK, ids=[memory_id])
        return known_memories[0] if known_memories else None

    def stats(self) -> Stats:
        return self._call(upkeep.STATS)

    def cleanup(self, *, dry_run: bool = False) -> Cleanup:
        return self._call(upkeep.CLEANUP, dry_run=dry_run)

    def prune(self, request: PruneRequest) -> Prune:
        return self._call(upkeep.PRUNE, **_explicit_values(request))

    def flush(self, progress: Progress | None = None) -> None:
        """Finish everything pending over there; how far it is, is not told."""
        self._call(upkeep.FLUSH)

    def reindex(self, progress: Progress | None = None, scope: str = "project") -> None:
        """The same with every vector made anew."""
        self._call(upkeep.REINDEX, scope=scope)

    def list(self, filters: Filters, limit: int) -> "Sequence[Memory]":
        kind = filters.kinds[0] if filters.kinds else None
        return self._call(memories.LIST, limit=limit, kind=kind)


class RemoteReview:
    """What waits for a person over there."""

    def __init__(self, call: RemoteCalls) -> None:
        self._call = call

    def inbox(self, limit: int = 50, sorts: Sequence[str] = (), *, imported: bool = False) -> Inbox:
        arguments = {"limit": limit, "sort": sorts[0] if sorts else None, "imported": imported}
        return self._call(inbox.REVIEW, **arguments)

    def item(self, item_id: str) -> InboxItem:
        return self._call(inbox.REVIEW_ITEM, id=item_id)

    def waiting(self) -> Sequence[Proposal]:
        return self._call(inbox.PROPOSALS)

    def accept(self, item_id: str) -> Settlement:
        return self._call(inbox.ACCEPT, id=item_id)

    def edit(self, item_id: str, content: str) -> Settlement:
        return self._call(inbox.EDIT, id=item_id, content=content)

    def drop(self, item_id: str) -> Settlement:
        return self._call(inbox.DROP, id=item_id)

    def keep(self, conflict_id: str, side: str) -> Settlement:
        return self._call(inbox.KEEP, id=conflict_id, keep=side)

    def undo(self, item_id: str | None = None) -> Settlement:
        return self._call(inbox.UNDO_REVIEW, id=item_id)


def _explicit_values(value: Value) -> dict[str, object]:
    """Return what a caller said: what is not as it is by itself, and so may be more than an older server knows."""
    values = {field.name: getattr(value, field.name) for field in fields(value)}
    return {field.name: values[field.name] for field in fields(value) if values[field.name] != field.default}
