"""Operations on sessions, and on what waits for a person: readers look, administrators decide."""

from collections.abc import Sequence

from holdfast.interfaces.arguments import request_of
from holdfast.interfaces.http.operations import arguments as inputs
from holdfast.interfaces.http.operations.arguments import Nothing, operation
from holdfast.model.actor import ADMIN, READ, WRITE
from holdfast.model.finding import Finding
from holdfast.model.inbox import Inbox, InboxItem, Proposal, Settlement
from holdfast.model.requests import Message
from holdfast.model.session import Quote, Session, Turn
from holdfast.service.service import Service


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
    return service.record(arguments.id, request_of(Message, arguments))


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
