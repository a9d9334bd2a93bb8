"""The Python API: `Holdfast` and the sessions it starts. Keyword arguments in, values of the model out."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

from msgspec import Struct

from holdfast.capture.text.clean import echo
from holdfast.errors import InvalidInput
from holdfast.machine.server_url import is_address
from holdfast.model.brief import Brief
from holdfast.model.finding import Finding
from holdfast.model.inbox import Inbox, Proposal, Settlement
from holdfast.model.kinds import KINDS
from holdfast.model.memory import Added, Conflict, Forgotten, Json, Memory, TimelineEntry
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
from holdfast.ports import Reranker
from holdfast.service.service import Service
from holdfast.storage.open import open_on_server, open_service

if TYPE_CHECKING:
    from holdfast.interfaces.http.remote import Remote

__all__ = ["Holdfast", "SessionHandle"]

_LISTS = ("kinds", "tags", "files")
"""Arguments that are several texts."""

R = TypeVar("R", bound=Struct)


class Holdfast:
    """Memory of one project, and the user's own beside it. Open it with `Holdfast.open`."""

    def __init__(self, service: "Service | Remote") -> None:
        self._service = service

    @classmethod
    def open(
        cls,
        target: str | Path = ".",
        *,
        project: str | None = None,
        tenant: str | None = None,
        token: str | None = None,
        insecure: bool = False,
        reranker: Reranker | None = None,
    ) -> Self:
        """Open the memory of a project directory, of a project in a database (`postgresql://…`), or of a server.

        A store is made if there is none. In a database `tenant` says whose it is; `project` is, unless given, the
        id of the project that the current directory belongs to. A server (`https://…`) needs a token, which also
        says whose memory it is. Plain `http://` is for this machine, unless `insecure` says otherwise.
        A reranker is any object with `rerank(query, texts)`, which says how well each text answers, from 0 to 1;
        `recall` asks it.
        """
        _check_target(target, project)
        _check_reranker(reranker)
        scheme, separator, _ = str(target).partition("://")
        if scheme.lower() in ("https", "http") and separator:
            _check_decided_there(tenant, reranker)
            from holdfast.interfaces.http.remote import connect  # who embeds memory needs no client

            return cls(connect(str(target), token, project, insecure=insecure))
        if token is not None:
            raise InvalidInput(field="token", problem="is for https:// only; a store opened directly takes none.")
        if isinstance(target, str) and is_address(target):
            return cls(open_on_server(target, tenant=tenant, project_id=project, reranker=reranker))
        if separator:
            problem = f"{scheme}:// is not supported here; give a directory, https://… or postgresql://…."
            raise InvalidInput(field="target", problem=problem)
        return cls(open_service(Path(target), project_id=project, tenant=tenant, reranker=reranker))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Write what is pending and let go of the store."""
        self._service.close()

    def flush(self, progress: Callable[[int], None] | None = None) -> None:
        """Finish everything pending, vectors included; `progress` is told how many more rows have theirs."""
        self._service.flush(progress)

    def reindex(self, progress: Callable[[int], None] | None = None, scope: str = "project") -> None:
        """Make every vector of a scope anew, or go on where that was interrupted."""
        self._service.reindex(progress, scope)

    def add(
        self,
        content: str,
        kind: str | None = None,
        title: str | None = None,
        context: str | None = None,
        tags: Iterable[str] = (),
        files: Iterable[str] = (),
        importance: float | None = None,
        confidence: float = 1.0,
        source: str = "manual",
        trust: str = "agent",
        scope: str = "project",
        expires: Moment | None = None,
        supersedes: str | None = None,
        session: str | None = None,
        metadata: Json | None = None,
        at: Moment | None = None,
        quote: str | None = None,
    ) -> Added:
        """Remember something. A duplicate is not an error: the entry there is gains by it.

        With the user's exact words as `quote` it is the user's word, if they said them in a session that runs.
        """
        return self._service.add(_request(Draft, locals()))

    def add_many(self, items: Iterable[Mapping[str, object]]) -> list[Added]:
        """Remember many things, each a mapping of `add`'s arguments by name; results in the same order."""
        if isinstance(items, str | Mapping) or not isinstance(items, Iterable):
            raise InvalidInput(field="items", problem="must be a list of mappings of add's arguments.")
        return self._service.add_many([_draft(item, f"items[{place}].") for place, item in enumerate(items)])

    def search(
        self,
        query: str,
        limit: int = 10,
        mode: str = "hybrid",
        within: str | None = None,
        kinds: Iterable[str] = (),
        tags: Iterable[str] = (),
        file: str | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        status: str | None = None,
        min_importance: float | None = None,
        contains: str | None = None,
    ) -> list[Hit]:
        """Find memories and what was said, or what `within` names: titles, snippets and scores, not contents."""
        status = status or None
        return self._service.search(_request(SearchRequest, locals()))

    def get(self, ids: str | Sequence[str]) -> list[Memory]:
        """Return full memories, in the order asked; counts as a read. Unknown ids are left out."""
        return self._service.get([ids] if isinstance(ids, str) else _texts("ids", ids))

    def quotes(self, ids: str | Sequence[str]) -> list[Quote]:
        """Return turns, findings and summaries of sessions in full, by the ids that briefs and searches show."""
        return self._service.quotes([ids] if isinstance(ids, str) else _texts("ids", ids))

    def timeline(self, id: str, window: int = 5) -> list[TimelineEntry]:  # noqa: A002 - the API's word
        """Return what was remembered just before and after a memory."""
        return self._service.timeline(id, window)

    def cleanup(self, *, dry_run: bool = False) -> Cleanup:
        """Keep every limit, delete what expired or faded, merge what says the same; or say what that would do."""
        return self._service.cleanup(dry_run=dry_run)

    def prune(
        self,
        *,
        days: int | None = None,
        max_score: float | None = None,
        source: str | None = None,
        mine: bool = False,
        dry_run: bool = False,
    ) -> Prune:
        """Delete by age, decayed importance or source; what a person asked to remember only with `mine`."""
        return self._service.prune(_request(PruneRequest, locals()))

    def list(self, limit: int = 50, kind: str | None = None) -> Sequence[Memory]:
        """Return current memories, newest first."""
        return self._service.list(Filters(kinds=(kind,) if kind else ()), limit)

    def history(self, id: str) -> Sequence[Memory]:  # noqa: A002 - the API's word
        """Return a memory with what it superseded and what superseded it, oldest first."""
        return self._service.history(id)

    def update(self, id: str, **changes: object) -> Memory:  # noqa: A002 - the API's word
        """Change fields: content, kind, title, context, tags, files, importance, confidence, expires, metadata."""
        _refuse_unknown(changes, Changes, "")
        for name in ("tags", "files"):
            if name in changes:
                changes[name] = _texts(name, changes[name])
        return self._service.update(id, Changes(**changes))  # type: ignore[arg-type]  # checked by the service

    def pin(self, id: str) -> Memory:  # noqa: A002 - the API's word
        """Put a memory into every brief."""
        return self._service.pin(id)

    def unpin(self, id: str) -> Memory:  # noqa: A002 - the API's word
        """Take a memory out of the always-carried ones."""
        return self._service.unpin(id)

    def confirm(self, id: str) -> Memory:  # noqa: A002 - the API's word
        """Say that a memory holds."""
        return self._service.confirm(id)

    def supersede(self, old: str, new: str) -> Memory:
        """Let one memory take another's place; returns the old one, now history."""
        return self._service.supersede(old, new)

    def reinstate(self, id: str) -> Memory:  # noqa: A002 - the API's word
        """Undo a supersession: the memory holds again."""
        return self._service.reinstate(id)

    def conflicts(self) -> Sequence[Conflict]:
        """Return the conflicts that nobody has resolved, newest first."""
        return self._service.conflicts()

    def resolve(self, conflict: Conflict | str, keep: str) -> Conflict:
        """Settle a conflict: keep the memory with this id, or "both"."""
        return self._service.resolve(conflict, keep)

    def review(self, limit: int = 50, sort: str | None = None, imported: bool = False) -> Inbox:
        """Return what waits for a person: conflicts, proposals and candidates, what matters first."""
        return self._service.review.inbox(limit, (sort,) if sort else (), imported=imported)

    def proposals(self) -> Sequence[Proposal]:
        """Return what agents asked for and only a person can grant, the oldest first."""
        return self._service.review.waiting()

    def accept(self, id: str) -> Settlement:  # noqa: A002 - the API's word
        """Say yes to something that waits: confirm a candidate, do what an agent proposed."""
        return self._service.review.accept(id)

    def edit(self, id: str, content: str) -> Settlement:  # noqa: A002 - the API's word
        """Settle something that waits in other words, which are the person's own."""
        return self._service.review.edit(id, content)

    def drop(self, id: str) -> Settlement:  # noqa: A002 - the API's word
        """Say no to something that waits: it becomes history, or is not proposed again."""
        return self._service.review.drop(id)

    def keep(self, conflict: str, which: str) -> Settlement:
        """Settle a conflict: "newer", "older", "both", or the id of the memory that holds."""
        return self._service.review.keep(conflict, which)

    def undo_review(self, id: str | None = None) -> Settlement:  # noqa: A002 - the API's word
        """Take back what was settled last, or lately about one item; it waits again."""
        return self._service.review.undo(id)

    def forget(
        self,
        id: str,  # noqa: A002 - the API's word
        *,
        dry_run: bool = False,
        backups: bool = False,
    ) -> Forgotten:
        """Retract a memory for good, with what was said of it; with `backups`, from the copies too."""
        return self._service.forget(id, Reach(dry_run=dry_run, backups=backups))

    def forget_where(
        self,
        *,
        source: str | None = None,
        session: str | None = None,
        matching: str | None = None,
        dry_run: bool = False,
        backups: bool = False,
    ) -> Forgotten:
        """Retract everything from a source, from a session with its turns, or that holds a text.

        With `backups` alone: take what was forgotten before out of the backups.
        """
        return self._service.forget_where(_request(ForgetRequest, locals()))

    def context(
        self,
        prompt: str | None = None,
        budget: int | None = None,
        remaining: int | None = None,
        agent: str = "codex",
        files: Iterable[str] = (),
        bridge: Iterable[str] | None = None,
        session: str | None = None,
    ) -> Brief:
        """Return what an agent is to know for a prompt or, without one, when a session starts.

        The budget is in tokens: by default 1,500 and, at a session's start, what `brief.start_budget` says.
        A recall that fails raises nothing: the brief is empty, and `failure` says why.
        """
        bridge = None if bridge is None else _texts("bridge", bridge)
        return self._service.context(_request(BriefRequest, locals()))

    def start_session(
        self, agent: str = "python", at: Moment | None = None, ref: str | None = None
    ) -> "SessionHandle":
        """Begin a session of an agent, or go on with the one that has this ref."""
        return SessionHandle(self._service, self._service.start_session(agent, at, ref))

    def sessions(self, limit: int = 50) -> Sequence[Session]:
        """Return sessions, newest first."""
        return self._service.sessions(limit)

    def recall(self, query: str, k: int = 5, contains: str | None = None) -> Sequence[Memory | Quote]:
        """Return the k best answers in full: memories, and what was said. A reranker, if set, orders them."""
        hits = self._service.recall(SearchRequest(query=query, limit=k, contains=contains))
        return [full for hit in hits if (full := self._in_full(hit))]

    def _in_full(self, hit: Hit) -> Memory | Quote | None:
        """Return what a hit stands for; nobody asked for it by name, so that is no read."""
        if hit.kind in KINDS:
            return self._service.peek(hit.id)
        return next(iter(self._service.quotes([hit.id])), None)

    def accesses(self, days: int = 30) -> AccessReport:
        """Say what was searched in the last days, what was found, and what never is found or read."""
        return self._service.accesses(days)

    def stats(self) -> Stats:
        """Count what there is and say how the store is doing."""
        return self._service.stats()


def _check_target(target: object, project: object) -> None:
    if not isinstance(target, str | Path):
        problem = f"must be a directory, https://… or postgresql://…, not {type(target).__name__}."
        raise InvalidInput(field="target", problem=problem)
    if project is not None and not (isinstance(project, str) and project.strip()):
        raise InvalidInput(field="project", problem="must be the project's id as text.")


def _check_decided_there(tenant: str | None, reranker: Reranker | None) -> None:
    """Refuse what a server decides for all of its clients."""
    if tenant is not None:
        raise InvalidInput(field="tenant", problem="is decided by the token on a server.")
    if reranker is not None:
        raise InvalidInput(field="reranker", problem="is set where the server runs.")


def _check_reranker(reranker: object) -> None:
    if reranker is not None and not callable(getattr(reranker, "rerank", None)):
        raise InvalidInput(field="reranker", problem="must have a method rerank(query, texts).")


class SessionHandle:
    """A session under way. As a context manager it ends when the block does."""

    def __init__(self, service: "Service | Remote", session: Session) -> None:
        self._service = service
        self._session = session

    @property
    def id(self) -> str:
        """The session's id."""
        return self._session.id

    @property
    def session(self) -> Session:
        """The session as the store has it now."""
        return self._service.session(self.id)

    def record(
        self,
        role: str,
        text: str,
        at: Moment | None = None,
        ref: str | None = None,
        tool: str | None = None,
        files: Iterable[str] = (),
    ) -> Turn:
        """Keep one message; the same ref twice is one turn."""
        return self._service.record(self.id, _request(Message, locals()))

    def turns(self) -> Sequence[Turn]:
        """Return the messages kept so far."""
        return self._service.turns(self.id)

    def checkpoint(self) -> Session:
        """Read what was said so far, as before a client compacts its context; every tenth message does it."""
        return self._service.checkpoint(self.id)

    def findings(self) -> Sequence[Finding]:
        """Return what was found in the messages read so far."""
        return self._service.findings(self.id)

    def fork(self) -> "SessionHandle":
        """Go on as two: the new session gets a copy of what was found here, and knows its parent."""
        return SessionHandle(self._service, self._service.fork_session(self.id))

    def end(self) -> Session:
        """Complete the session: find the rest, sum it up, and promote what deserves it."""
        return self._service.end_session(self.id)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()


def _draft(item: Mapping[str, object], where: str = "") -> Draft:
    """Read a mapping of add's arguments; wrong values are left for the service to name."""
    if not isinstance(item, Mapping):
        raise InvalidInput(field=where.rstrip(".") or "item", problem="must be a mapping of add's arguments.")
    _refuse_unknown(item, Draft, where)
    if "content" not in item:
        raise InvalidInput(field=f"{where}content", problem="is missing.")
    values = dict(item)
    for name in ("tags", "files"):
        if name in values:
            values[name] = _texts(f"{where}{name}", values[name])
    return Draft(**values)  # type: ignore[arg-type]  # checked by the service


def _request(kind: type[R], arguments: Mapping[str, object]) -> R:
    """Make a request of what a method was called with: its arguments are named after the fields."""
    values = {name: value for name, value in arguments.items() if name in kind.__struct_fields__}
    lists = {name: _texts(name, values[name]) for name in _LISTS if name in values}
    return kind(**values | lists)


def _texts(field: str, values: object) -> tuple[str, ...]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InvalidInput(field=field, problem="must be a list of texts, such as ['a', 'b'].")
    return tuple(values)


def _refuse_unknown(names: Iterable[str], request: type[Struct], where: str) -> None:
    for name in names:
        if name not in request.__struct_fields__:
            problem = f"is unknown. Known: {', '.join(sorted(request.__struct_fields__))}."
            raise InvalidInput(field=f"{where}{echo(name)}", problem=problem)
