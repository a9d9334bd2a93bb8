"""Every operation of the REST interface: on memories, sessions, what waits for a person, and a memory as a whole.

Readers look, writers remember and change, administrators decide and clean up.
"""

import tempfile
from collections.abc import Mapping, Sequence
from itertools import starmap
from pathlib import Path

from msgspec.structs import replace

from holdfast.errors import InvalidInput, UnknownId
from holdfast.interfaces.http import arguments as inputs
from holdfast.interfaces.http.arguments import Nothing, operation
from holdfast.model.actor import ADMIN, READ, WRITE
from holdfast.model.brief import Brief, Receipt
from holdfast.model.finding import Finding
from holdfast.model.inbox import Inbox, InboxItem, Proposal, Settlement
from holdfast.model.ingest import Imported
from holdfast.model.memory import Added, Conflict, Forgotten, Memory, TimelineEntry
from holdfast.model.plain import filled
from holdfast.model.records import AccessReport, Event, EventFilters, LogCheck, Stats
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
from holdfast.model.upkeep import Cleanup, Prune
from holdfast.service.service import Service


@operation("GET /memories", READ, name="list")
def list_memories(service: Service, arguments: inputs.Listing) -> list[Memory]:
    """Current memories, newest first."""
    return service.list(Filters(kinds=(arguments.kind,) if arguments.kind else ()), arguments.limit)


@operation("POST /memories", WRITE)
def add(service: Service, arguments: inputs.Add) -> Added:
    """Remember something. A duplicate is not an error: the entry there is gains by it."""
    return service.add(filled(Draft, arguments))


@operation("POST /memories/batch", WRITE)
def add_many(service: Service, arguments: inputs.AddMany) -> list[Added]:
    """Remember many things, once all of them can be; results in the same order."""
    return service.add_many([filled(Draft, item) for item in arguments.items])


@operation("POST /memories/get", READ)
def get(service: Service, arguments: inputs.GetMany) -> list[Memory]:
    """Memories in full, in the order asked; counts as a read. Unknown ids are left out."""
    return service.get(arguments.ids)


@operation("POST /memories/peek", READ)
def peek(service: Service, arguments: inputs.GetMany) -> list[Memory]:
    """The same, for showing what was found: it does not count as a read."""
    return [memory for memory_id in arguments.ids if (memory := service.peek(memory_id)) is not None]


@operation("POST /memories/forget", ADMIN)
def forget_where(service: Service, arguments: inputs.ForgetWhere) -> Forgotten:
    """Retract everything from a source, from a session with its turns, or that holds a text."""
    return service.forget_where(filled(ForgetRequest, arguments))


@operation("GET /memories/{id}", READ)
def get_one(service: Service, arguments: inputs.ById) -> Memory:
    """One memory in full; counts as a read."""
    memories = service.get([arguments.id])
    if not memories:
        raise UnknownId(noun="memory", id=arguments.id, near=service.near_id(arguments.id))
    return memories[0]


@operation("PATCH /memories/{id}", WRITE)
def update(service: Service, arguments: inputs.Update) -> Memory:
    """Change fields of a memory."""
    return service.update(arguments.id, filled(Changes, arguments))


@operation("DELETE /memories/{id}", WRITE)
def forget(service: Service, arguments: inputs.Forget) -> Forgotten:
    """Retract a memory for good, with what was said of it."""
    return service.forget(arguments.id, filled(Reach, arguments))


@operation("POST /memories/{id}/pin", WRITE)
def pin(service: Service, arguments: inputs.ById) -> Memory:
    """Put a memory into every brief."""
    return service.pin(arguments.id)


@operation("POST /memories/{id}/unpin", WRITE)
def unpin(service: Service, arguments: inputs.ById) -> Memory:
    """Take a memory out of every brief."""
    return service.unpin(arguments.id)


@operation("POST /memories/{id}/confirm", WRITE)
def confirm(service: Service, arguments: inputs.ById) -> Memory:
    """Say that a memory holds."""
    return service.confirm(arguments.id)


@operation("POST /memories/{id}/supersede", WRITE)
def supersede(service: Service, arguments: inputs.Supersede) -> Memory:
    """Let another memory take this one's place; returns this one, now history."""
    return service.supersede(arguments.id, arguments.new)


@operation("POST /memories/{id}/reinstate", WRITE)
def reinstate(service: Service, arguments: inputs.ById) -> Memory:
    """Undo a supersession: the memory holds again."""
    return service.reinstate(arguments.id)


@operation("GET /memories/{id}/timeline", READ)
def timeline(service: Service, arguments: inputs.Timeline) -> list[TimelineEntry]:
    """What was remembered just before and after a memory."""
    return service.timeline(arguments.id, arguments.window)


@operation("GET /memories/{id}/history", READ)
def history(service: Service, arguments: inputs.ById) -> Sequence[Memory]:
    """A memory with what it superseded and what superseded it, oldest first."""
    return service.history(arguments.id)


@operation("GET /search", READ, renamed={"query": "q"})
def search_for(service: Service, arguments: inputs.Search) -> list[Hit]:
    """Find memories, turns or sessions; titles and scores, not contents."""
    return service.search(filled(SearchRequest, arguments))


@operation("POST /search", READ)
def search(service: Service, arguments: inputs.Search) -> list[Hit]:
    """The same, for a question that should not stand in an address."""
    return service.search(filled(SearchRequest, arguments))


@operation("POST /recall", READ)
def recall(service: Service, arguments: inputs.Recall) -> list[Hit]:
    """The hits that answer a question best, with a second look where a reranker is set."""
    return service.recall(filled(SearchRequest, arguments))


@operation("GET /context", READ)
def context_for(service: Service, arguments: inputs.Context) -> Brief:
    """What an agent is to know for a prompt or, without one, when a session starts."""
    return service.briefs.context(filled(BriefRequest, arguments))


@operation("POST /context", READ)
def context(service: Service, arguments: inputs.Context) -> Brief:
    """The same, for a prompt that should not stand in an address."""
    return service.briefs.context(filled(BriefRequest, arguments))


@operation("GET /conflicts", READ)
def conflicts(service: Service, _: Nothing) -> Sequence[Conflict]:
    """The conflicts that nobody has resolved, newest first."""
    return service.conflicts()


@operation("POST /conflicts/{id}/resolve", WRITE)
def resolve(service: Service, arguments: inputs.Resolve) -> Conflict:
    """Settle a conflict: keep one of its memories, or both."""
    return service.resolve(arguments.id, arguments.keep)


@operation("GET /sessions", READ)
def sessions(service: Service, arguments: inputs.Amount) -> Sequence[Session]:
    """Sessions, newest first."""
    return service.sessions(arguments.limit)


@operation("POST /sessions", WRITE)
def start_session(service: Service, arguments: inputs.StartSession) -> Session:
    """Begin a session of an agent, or go on with the one that has this ref."""
    return service.start_session(arguments.agent, arguments.at, arguments.ref)


@operation("POST /quotes", READ)
def quotes(service: Service, arguments: inputs.GetMany) -> list[Quote]:
    """Turns, findings and summaries in full, by the ids that briefs show. Unknown ids are left out."""
    return service.quotes(arguments.ids)


@operation("GET /sessions/{id}", READ)
def session(service: Service, arguments: inputs.ById) -> Session:
    """One session."""
    return service.session(arguments.id)


@operation("GET /sessions/{id}/turns", READ)
def turns(service: Service, arguments: inputs.ById) -> Sequence[Turn]:
    """The messages of a session, as recorded."""
    return service.turns(arguments.id)


@operation("POST /sessions/{id}/turns", WRITE)
def record(service: Service, arguments: inputs.Record) -> Turn:
    """Keep one message; the same ref twice is one turn."""
    return service.record(arguments.id, filled(Message, arguments))


@operation("GET /sessions/{id}/findings", READ)
def findings(service: Service, arguments: inputs.ById) -> Sequence[Finding]:
    """What was found in the messages read so far."""
    return service.findings(arguments.id)


@operation("POST /sessions/{id}/checkpoint", WRITE)
def checkpoint(service: Service, arguments: inputs.ById) -> Session:
    """Read what was said so far."""
    return service.checkpoint(arguments.id)


@operation("POST /sessions/{id}/fork", WRITE)
def fork_session(service: Service, arguments: inputs.ById) -> Session:
    """Go on as two: the new session gets a copy of what was found."""
    return service.fork_session(arguments.id)


@operation("POST /sessions/{id}/end", WRITE)
def end_session(service: Service, arguments: inputs.ById) -> Session:
    """Complete a session: find the rest, sum it up, and promote what deserves it."""
    return service.end_session(arguments.id)


@operation("GET /review", READ)
def review(service: Service, arguments: inputs.InboxListing) -> Inbox:
    """What waits for a person: conflicts, proposals, candidates; what matters first."""
    return service.review.inbox(
        arguments.limit, (arguments.sort,) if arguments.sort else (), imported=arguments.imported
    )


@operation("GET /review/{id}", READ)
def review_item(service: Service, arguments: inputs.ById) -> InboxItem:
    """One thing that waits, with the words it comes from."""
    return service.review.item(arguments.id)


@operation("POST /review/{id}/accept", ADMIN)
def accept(service: Service, arguments: inputs.ById) -> Settlement:
    """Say yes: confirm a candidate, do what an agent proposed."""
    return service.review.accept(arguments.id)


@operation("POST /review/{id}/edit", ADMIN)
def edit(service: Service, arguments: inputs.Reword) -> Settlement:
    """Say it in other words, which are the person's own."""
    return service.review.edit(arguments.id, arguments.content)


@operation("POST /review/{id}/drop", ADMIN)
def drop(service: Service, arguments: inputs.ById) -> Settlement:
    """Say no: it becomes history, or is not proposed again."""
    return service.review.drop(arguments.id)


@operation("POST /review/{id}/keep", ADMIN)
def keep(service: Service, arguments: inputs.Resolve) -> Settlement:
    """Say which side of a conflict holds; it is confirmed, the other becomes history."""
    return service.review.keep(arguments.id, arguments.keep)


@operation("POST /undo-review", ADMIN)
def undo_review(service: Service, arguments: inputs.Undo) -> Settlement:
    """Take back what was decided last, or what was decided lately about one item."""
    return service.review.undo(arguments.id)


@operation("GET /proposals", READ)
def proposals(service: Service, _: Nothing) -> list[Proposal]:
    """Of what waits, what agents asked for and only a person can grant, the oldest first."""
    return list(service.review.waiting())


@operation("POST /proposals/{id}/accept", ADMIN)
def accept_proposal(service: Service, arguments: inputs.ById) -> Proposal:
    """Do what an agent proposed."""
    proposal = service.review.proposal(arguments.id)
    return service.review.accept(proposal.id).proposal or proposal


@operation("POST /proposals/{id}/drop", ADMIN)
def drop_proposal(service: Service, arguments: inputs.ById) -> Proposal:
    """Say no to what an agent proposed; it is not proposed again."""
    proposal = service.review.proposal(arguments.id)
    return service.review.drop(proposal.id).proposal or proposal


@operation("GET /stats", READ)
def stats(service: Service, _: Nothing) -> Stats:
    """Count what there is and say how the store is doing."""
    counts = service.stats()  # where the stores lie is nobody's business outside
    return replace(
        counts,
        project=replace(counts.project, place=""),
        user=counts.user and replace(counts.user, place=""),
        user_error=counts.user_error and "it cannot be used; who runs the server can see why",
    )


@operation("GET /stats/accesses", READ)
def accesses(service: Service, arguments: inputs.Accesses) -> AccessReport:
    """What was searched lately, what was found, and what never is found or read."""
    return service.accesses(arguments.days)


@operation("POST /cleanup", ADMIN)
def cleanup(service: Service, arguments: inputs.DryRun) -> Cleanup:
    """Keep every limit, delete what is over, merge what says the same; or say what that would do."""
    return service.cleanup(dry_run=arguments.dry_run)


@operation("POST /prune", ADMIN)
def prune(service: Service, arguments: inputs.PruneWhere) -> Prune:
    """Delete by age, decayed importance or source."""
    return service.prune(filled(PruneRequest, arguments))


@operation("POST /flush", WRITE)
def flush(service: Service, _: Nothing) -> None:
    """Finish everything pending, vectors included."""
    service.flush()


@operation("POST /reindex", ADMIN)
def reindex(service: Service, arguments: inputs.Reindex) -> None:
    """Make every vector of a scope anew, or go on where that was interrupted."""
    service.reindex(None, arguments.scope)


@operation("GET /aliases", READ)
def aliases(service: Service, _: Nothing) -> Mapping[str, tuple[str, ...]]:
    """Every word with what else it is called."""
    return service.aliases.all()


@operation("POST /aliases", WRITE)
def add_alias(service: Service, arguments: inputs.AddAlias) -> int:
    """Let a word also be called otherwise; returns how many of that is new."""
    return service.aliases.add(arguments.word, arguments.meanings)


@operation("DELETE /aliases/{word}", WRITE)
def remove_alias(service: Service, arguments: inputs.RemoveAlias) -> int:
    """Let go of what a word is also called, or of some of it; returns how many there were."""
    return service.aliases.remove(arguments.word, arguments.meanings)


@operation("GET /log", READ)
def log(service: Service, arguments: inputs.Log) -> list[Event]:
    """Who did what, newest first. It names entries by id and never holds their text."""
    since = service.moment(arguments.since, "since")
    return list(service.events(filled(EventFilters, arguments, since=since)))


@operation("GET /log/check", READ)
def verify_log(service: Service, _: Nothing) -> LogCheck:
    """Follow the chain of the log from its anchor to its end."""
    return service.verify_log()


@operation("GET /receipts", READ)
def receipts(service: Service, arguments: inputs.Amount) -> list[Receipt]:
    """What went into the latest briefs, and what was fetched afterwards."""
    return service.briefs.receipts(arguments.limit)


@operation("GET /export", READ, media_type="text/plain")
def export(service: Service, arguments: inputs.Export) -> str:
    """Every memory, history included, in the order of arrival."""
    from holdfast.export.formats import FORMATS, export_memory  # the Python client does without

    entries = starmap(export_memory, service.exchange.everything(arguments.scope))
    return "".join(FORMATS[arguments.format](entries))


@operation("POST /import", ADMIN, name="import")
def import_data(service: Service, arguments: inputs.Import) -> Imported:
    """Read an export, ours or another tool's; nothing is written unless all of it can be read."""
    from holdfast.ingest.import_entries import Importer, ImportOptions
    from holdfast.storage.ingest import read_table

    name = Path(arguments.name).name
    if not name or name != arguments.name or not name.isprintable() or not name.strip("."):
        raise InvalidInput(field="name", problem="must be the name of a file, without a folder.")
    importer = Importer(exchange=service.exchange, project="", tables=read_table)
    with tempfile.TemporaryDirectory(prefix="holdfast-") as folder:
        file = Path(folder) / f"data{Path(name).suffix[:10]}"
        file.write_text(arguments.data, encoding="utf-8", errors="replace")
        return importer.run(file, filled(ImportOptions, arguments))
