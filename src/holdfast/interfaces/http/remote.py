"""The verbs over HTTP, for Python: what `Holdfast` calls when it was opened with the address of a server.

The declarations that the server is made of say where each verb is and what comes back, so both sides agree. An
error of the server is raised here as the embedded API raises it.
"""

import json
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import fields
from datetime import date
from typing import Any, cast
from urllib.parse import SplitResult, quote, urlsplit

import httpx2
from pydantic import ValidationError

from holdfast import errors
from holdfast.interfaces.http.decode import adapter
from holdfast.interfaces.http.operations.operation import Operation
from holdfast.interfaces.http.operations.table import OPERATIONS
from holdfast.interfaces.http.token_proof import ConnectionProof
from holdfast.model.brief import Brief
from holdfast.model.conflict import Conflict
from holdfast.model.finding import Finding
from holdfast.model.inbox import Inbox, InboxItem, Settlement
from holdfast.model.memory import Added, Changes, Draft, Forgotten, Memory, Reach, TimelineEntry
from holdfast.model.proposal import Proposal
from holdfast.model.quote import Quote
from holdfast.model.records import AccessReport, Stats
from holdfast.model.search import Filters, Hit, Query
from holdfast.model.session import Session, Turn
from holdfast.model.times import Moment, parse_past
from holdfast.model.upkeep import Cleanup, Prune
from holdfast.ports import Progress
from holdfast.service.briefs import BriefRequest

VARIABLE = "HOLDFAST_TOKEN"
TIMEOUT_S = 60.0
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_NOUNS = {
    "sessions": "session",
    "conflicts": "conflict",
    "proposals": "proposal",
    "review": "item of the inbox",
}
_WAITS = 202
"""The status of what was not done, but waits for a person as a proposal."""


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
    remote = Remote(client, url)
    try:
        remote.greet()
    except BaseException:
        client.close()
        raise
    return remote


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

    def __init__(self, client: httpx2.Client, url: str) -> None:
        self._client = client
        self._url = url
        self.review = RemoteReview(self._call)

    # ── the connection ───────────────────────────────────────────────────────────────────────────────────

    def greet(self) -> None:
        """Make sure that the token is good."""
        self._content_of(self._send("GET", "/api/whoami"))

    def close(self) -> None:
        """Let go of the connections."""
        self._client.close()

    def _send(self, method: str, path: str, **options: Any) -> httpx2.Response:
        try:
            return self._client.request(method, path, **options)
        except (httpx2.TransportError, httpx2.InvalidURL) as error:
            problem = str(error) or type(error).__name__
            raise errors.ServerUnreachable(url=self._url, problem=problem) from error

    def _content_of(self, response: httpx2.Response) -> bytes:
        if response.is_success and response.status_code != _WAITS:
            return response.content
        try:
            problem = response.json()
            kind, detail = problem["error"], problem["detail"]
        except (ValueError, KeyError, TypeError):
            mismatch = f"status {response.status_code}, which is not an answer of holdfast"
            raise errors.ServerUnreachable(url=self._url, problem=mismatch) from None
        raise _error(str(kind), str(detail), problem.get("facts", {}), response.status_code)

    def _call(self, name: str, **arguments: object) -> Any:
        """Do one operation; what is None is left out."""
        operation = OPERATIONS[name]
        path = _filled_path(operation, arguments)
        rest = {
            key: _sendable(value)
            for key, value in arguments.items()
            if key not in operation.in_path and value is not None
        }
        options = {"content": _json(rest), "headers": _JSON} if operation.in_body else {"params": rest}
        content = self._content_of(self._send(operation.method, f"/api{path}", **options))
        try:
            return adapter(operation.result).validate_json(content) if operation.result else None
        except ValidationError:
            raise errors.ServerError(
                problem=f"its answer to {name} is none that this version understands"
            ) from None

    # ── the verbs ────────────────────────────────────────────────────────────────────────────────────────

    def add(self, draft: Draft) -> Added:
        return cast(Added, self._call("add", **_explicit_values(draft)))

    def add_many(self, drafts: Sequence[Draft]) -> list[Added]:
        items = [{key: _sendable(value) for key, value in _explicit_values(draft).items()} for draft in drafts]
        return cast("list[Added]", self._call("add_many", items=items))

    def update(self, memory_id: str, changes: Changes) -> Memory:
        return cast(Memory, self._call("update", id=memory_id, **_explicit_values(changes)))

    def forget(self, memory_id: str, reach: Reach | None = None) -> Forgotten:
        return cast(Forgotten, self._call("forget", id=memory_id, **_reach(reach)))

    def forget_where(self, filters: Filters, reach: Reach | None = None) -> Forgotten:
        criteria = {
            "source": filters.sources[0] if filters.sources else None,
            "session": filters.session,
            "matching": filters.contains,
        }
        return cast(Forgotten, self._call("forget_where", **criteria, **_reach(reach)))

    def pin(self, memory_id: str) -> Memory:
        return cast(Memory, self._call("pin", id=memory_id))

    def unpin(self, memory_id: str) -> Memory:
        return cast(Memory, self._call("unpin", id=memory_id))

    def confirm(self, memory_id: str) -> Memory:
        return cast(Memory, self._call("confirm", id=memory_id))

    def supersede(self, old_id: str, new_id: str) -> Memory:
        return cast(Memory, self._call("supersede", id=old_id, new=new_id))

    def reinstate(self, memory_id: str) -> Memory:
        return cast(Memory, self._call("reinstate", id=memory_id))

    def conflicts(self) -> Sequence[Conflict]:
        return cast("list[Conflict]", self._call("conflicts"))

    def resolve(self, conflict: Conflict | str, keep: str) -> Conflict:
        conflict_id = conflict.id if isinstance(conflict, Conflict) else conflict
        return cast(Conflict, self._call("resolve", id=conflict_id, keep=keep))

    def search(self, query: Query) -> list[Hit]:
        filters = query.filters
        return cast(
            "list[Hit]",
            self._call(
                "search",
                query=query.text,
                limit=query.limit,
                mode=query.mode,
                within=query.within,
                kinds=filters.kinds or None,
                tags=filters.tags or None,
                file=filters.file,
                since=filters.since,
                until=filters.until,
                status=filters.statuses[0] if filters.statuses else None,
                min_importance=filters.min_importance,
                contains=filters.contains,
            ),
        )

    def context(self, prompt: str | None, wish: BriefRequest) -> Brief:
        return cast(Brief, self._call("context", **_explicit_values(wish) | {"prompt": prompt}))

    def timeline(self, memory_id: str, window: int) -> list[TimelineEntry]:
        return cast("list[TimelineEntry]", self._call("timeline", id=memory_id, window=window))

    def get(self, ids: Sequence[str]) -> list[Memory]:
        return cast("list[Memory]", self._call("get", ids=ids))

    def quotes(self, ids: Sequence[str]) -> list[Quote]:
        return cast("list[Quote]", self._call("quotes", ids=ids))

    def list(self, filters: Filters, limit: int) -> "Sequence[Memory]":
        kind = filters.kinds[0] if filters.kinds else None
        return cast("Sequence[Memory]", self._call("list", limit=limit, kind=kind))

    def history(self, memory_id: str) -> Sequence[Memory]:
        return cast("Sequence[Memory]", self._call("history", id=memory_id))

    def start_session(self, agent: str, at: Moment | None, ref: str | None) -> Session:
        return cast(Session, self._call("start_session", agent=agent, at=at, ref=ref))

    def record(
        self,
        session_id: str,
        role: str,
        text: str,
        *,
        at: Moment | None = None,
        ref: str | None = None,
        tool: str | None = None,
        files: Sequence[str] = (),
    ) -> Turn:
        return cast(
            Turn,
            self._call("record", id=session_id, role=role, text=text, at=at, ref=ref, tool=tool, files=files),
        )

    def checkpoint(self, session_id: str) -> Session:
        return cast(Session, self._call("checkpoint", id=session_id))

    def fork_session(self, session_id: str) -> Session:
        return cast(Session, self._call("fork_session", id=session_id))

    def end_session(self, session_id: str) -> Session:
        return cast(Session, self._call("end_session", id=session_id))

    def findings(self, session_id: str) -> Sequence[Finding]:
        return cast("Sequence[Finding]", self._call("findings", id=session_id))

    def session(self, session_id: str) -> Session:
        return cast(Session, self._call("session", id=session_id))

    def sessions(self, limit: int) -> Sequence[Session]:
        return cast("Sequence[Session]", self._call("sessions", limit=limit))

    def turns(self, session_id: str) -> Sequence[Turn]:
        return cast("Sequence[Turn]", self._call("turns", id=session_id))

    def recall(self, query: Query) -> "Sequence[Hit]":
        hits = self._call("recall", query=query.text, limit=query.limit, contains=query.filters.contains)
        return cast("Sequence[Hit]", hits)

    def accesses(self, days: int) -> AccessReport:
        return cast(AccessReport, self._call("accesses", days=days))

    def peek(self, memory_id: str) -> Memory | None:
        """Return one memory; over HTTP every look at a whole one counts as a read."""
        return next(iter(self.get([memory_id])), None)

    def stats(self) -> Stats:
        return cast(Stats, self._call("stats"))

    def cleanup(self, *, dry_run: bool = False) -> Cleanup:
        return cast(Cleanup, self._call("cleanup", dry_run=dry_run))

    def prune(
        self,
        *,
        days: int | None = None,
        max_score: float | None = None,
        source: str | None = None,
        mine: bool = False,
        dry_run: bool = False,
    ) -> Prune:
        return cast(
            Prune,
            self._call("prune", days=days, max_score=max_score, source=source, mine=mine, dry_run=dry_run),
        )

    def moment(self, value: Moment | None, field: str) -> int | None:
        """Read a time as a caller writes it, by the clock of this machine."""
        return parse_past(value, field, time.time_ns() // 1_000_000)

    def flush(self, progress: Progress | None = None) -> None:
        """Finish everything pending over there; how far it is, is not told."""
        self._call("flush")

    def reindex(self, progress: Progress | None = None, scope: str = "project") -> None:
        """The same with every vector made anew."""
        self._call("reindex", scope=scope)


class RemoteReview:
    """What waits for a person over there."""

    def __init__(self, call: Callable[..., Any]) -> None:
        self._call = call

    def inbox(self, limit: int = 50, sorts: Sequence[str] = (), *, imported: bool = False) -> Inbox:
        arguments = {"limit": limit, "sort": sorts[0] if sorts else None, "imported": imported}
        return cast(Inbox, self._call("review", **arguments))

    def item(self, item_id: str) -> InboxItem:
        return cast(InboxItem, self._call("review_item", id=item_id))

    def waiting(self) -> Sequence[Proposal]:
        return cast("list[Proposal]", self._call("proposals"))

    def accept(self, item_id: str) -> Settlement:
        return cast(Settlement, self._call("accept", id=item_id))

    def edit(self, item_id: str, content: str) -> Settlement:
        return cast(Settlement, self._call("edit", id=item_id, content=content))

    def drop(self, item_id: str) -> Settlement:
        return cast(Settlement, self._call("drop", id=item_id))

    def keep(self, conflict_id: str, side: str) -> Settlement:
        return cast(Settlement, self._call("keep", id=conflict_id, keep=side))

    def undo(self, item_id: str | None = None) -> Settlement:
        return cast(Settlement, self._call("undo_review", id=item_id))


_JSON = {"Content-Type": "application/json"}


def _explicit_values(value: Draft | Changes | BriefRequest) -> dict[str, object]:
    """Return what a caller said: what is not as it is by itself."""
    values = {field.name: getattr(value, field.name) for field in fields(value)}
    return {field.name: values[field.name] for field in fields(value) if values[field.name] != field.default}


def _filled_path(operation: Operation, arguments: dict[str, object]) -> str:
    """Return an operation's path with its gaps filled."""
    path = operation.path
    for name in operation.in_path:
        value = arguments[name]
        if not isinstance(value, str):
            raise errors.InvalidInput(field=name, problem=f"must be an id as text, not {type(value).__name__}.")
        if not value.strip("."):
            raise errors.UnknownId(noun=_NOUNS.get(path.split("/")[1], "memory"), id=value)
        path = path.replace(f"{{{name}}}", quote(value, safe="", errors="replace"))
    return path


def _reach(reach: Reach | None) -> dict[str, bool]:
    """Return how far forgetting goes, where that is further than an older server knows."""
    flags = {"dry_run": reach.dry_run, "backups": reach.backups} if reach else {}
    return {name: True for name, flag in flags.items() if flag}


def _sendable(value: object) -> object:
    return value.isoformat() if isinstance(value, date) else value


def _json(values: dict[str, object]) -> bytes:
    for name, value in values.items():
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError, RecursionError):
            raise errors.InvalidInput(field=name, problem="cannot be sent: it is not JSON.") from None
    return json.dumps(values, ensure_ascii=False).encode(errors="replace")


def _error(kind: str, detail: str, facts: object, status: int) -> errors.HoldfastError:
    """Return a server's error as the class that it is here; its message is the server's."""
    error_class = getattr(errors, kind, None)
    cls = (
        error_class
        if isinstance(error_class, type) and issubclass(error_class, errors.HoldfastError)
        else errors.HoldfastError
    )
    error = cls.__new__(cls)
    Exception.__init__(error, detail)
    error.facts = {**(facts if isinstance(facts, dict) else {}), "status": status}
    return error
