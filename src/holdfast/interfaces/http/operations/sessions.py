"""Operations on sessions, and on what waits for a person: readers look, administrators decide."""

from holdfast.interfaces.arguments import request_of
from holdfast.interfaces.http.operations import arguments as inputs
from holdfast.interfaces.http.operations.arguments import Operation
from holdfast.model.actor import ADMIN, READ, WRITE
from holdfast.model.finding import Finding
from holdfast.model.inbox import Inbox, InboxItem, Proposal, Settlement
from holdfast.model.requests import Message
from holdfast.model.session import Quote, Session, Turn
from holdfast.service.service import Service

SESSIONS = Operation(
    name="sessions",
    route="GET /sessions",
    scope=READ,
    summary="Sessions, newest first.",
    act=lambda service, arguments: service.sessions(arguments.limit),
    arguments=inputs.Amount,
    result=list[Session],
)
START_SESSION = Operation(
    name="start_session",
    route="POST /sessions",
    scope=WRITE,
    summary="Begin a session of an agent, or go on with the one that has this ref.",
    act=lambda service, arguments: service.start_session(arguments.agent, arguments.at, arguments.ref),
    arguments=inputs.StartSession,
    result=Session,
)
QUOTES = Operation(
    name="quotes",
    route="POST /quotes",
    scope=READ,
    summary="Turns, findings and summaries in full, by the ids that briefs show. Unknown ids are left out.",
    act=lambda service, arguments: service.quotes(arguments.ids),
    arguments=inputs.GetMany,
    result=list[Quote],
)
SESSION = Operation(
    name="session",
    route="GET /sessions/{id}",
    scope=READ,
    summary="One session.",
    act=lambda service, arguments: service.session(arguments.id),
    arguments=inputs.ById,
    result=Session,
)
TURNS = Operation(
    name="turns",
    route="GET /sessions/{id}/turns",
    scope=READ,
    summary="The messages of a session, as recorded.",
    act=lambda service, arguments: service.turns(arguments.id),
    arguments=inputs.ById,
    result=list[Turn],
)
RECORD = Operation(
    name="record",
    route="POST /sessions/{id}/turns",
    scope=WRITE,
    summary="Keep one message; the same ref twice is one turn.",
    act=lambda service, arguments: service.record(arguments.id, request_of(Message, arguments)),
    arguments=inputs.Record,
    result=Turn,
)
FINDINGS = Operation(
    name="findings",
    route="GET /sessions/{id}/findings",
    scope=READ,
    summary="What was found in the messages read so far.",
    act=lambda service, arguments: service.findings(arguments.id),
    arguments=inputs.ById,
    result=list[Finding],
)
CHECKPOINT = Operation(
    name="checkpoint",
    route="POST /sessions/{id}/checkpoint",
    scope=WRITE,
    summary="Read what was said so far.",
    act=lambda service, arguments: service.checkpoint(arguments.id),
    arguments=inputs.ById,
    result=Session,
)
FORK_SESSION = Operation(
    name="fork_session",
    route="POST /sessions/{id}/fork",
    scope=WRITE,
    summary="Go on as two: the new session gets a copy of what was found.",
    act=lambda service, arguments: service.fork_session(arguments.id),
    arguments=inputs.ById,
    result=Session,
)
END_SESSION = Operation(
    name="end_session",
    route="POST /sessions/{id}/end",
    scope=WRITE,
    summary="Complete a session: find the rest, sum it up, and promote what deserves it.",
    act=lambda service, arguments: service.end_session(arguments.id),
    arguments=inputs.ById,
    result=Session,
)


def _accept_proposal(service: Service, arguments: inputs.ById) -> Proposal | None:
    return service.review.accept(service.review.proposal(arguments.id).id).proposal


def _drop_proposal(service: Service, arguments: inputs.ById) -> Proposal | None:
    return service.review.drop(service.review.proposal(arguments.id).id).proposal


REVIEW = Operation(
    name="review",
    route="GET /review",
    scope=READ,
    summary="What waits for a person: conflicts, proposals, candidates; what matters first.",
    act=lambda service, arguments: service.review.inbox(
        arguments.limit, (arguments.sort,) if arguments.sort else (), imported=arguments.imported
    ),
    arguments=inputs.InboxListing,
    result=Inbox,
)
REVIEW_ITEM = Operation(
    name="review_item",
    route="GET /review/{id}",
    scope=READ,
    summary="One thing that waits, with the words it comes from.",
    act=lambda service, arguments: service.review.item(arguments.id),
    arguments=inputs.ById,
    result=InboxItem,
)
ACCEPT = Operation(
    name="accept",
    route="POST /review/{id}/accept",
    scope=ADMIN,
    summary="Say yes: confirm a candidate, do what an agent proposed.",
    act=lambda service, arguments: service.review.accept(arguments.id),
    arguments=inputs.ById,
    result=Settlement,
)
EDIT = Operation(
    name="edit",
    route="POST /review/{id}/edit",
    scope=ADMIN,
    summary="Say it in other words, which are the person's own.",
    act=lambda service, arguments: service.review.edit(arguments.id, arguments.content),
    arguments=inputs.Reword,
    result=Settlement,
)
DROP = Operation(
    name="drop",
    route="POST /review/{id}/drop",
    scope=ADMIN,
    summary="Say no: it becomes history, or is not proposed again.",
    act=lambda service, arguments: service.review.drop(arguments.id),
    arguments=inputs.ById,
    result=Settlement,
)
KEEP = Operation(
    name="keep",
    route="POST /review/{id}/keep",
    scope=ADMIN,
    summary="Say which side of a conflict holds; it is confirmed, the other becomes history.",
    act=lambda service, arguments: service.review.keep(arguments.id, arguments.keep),
    arguments=inputs.Resolve,
    result=Settlement,
)
UNDO_REVIEW = Operation(
    name="undo_review",
    route="POST /undo-review",
    scope=ADMIN,
    summary="Take back what was decided last, or what was decided lately about one item.",
    act=lambda service, arguments: service.review.undo(arguments.id),
    arguments=inputs.Undo,
    result=Settlement,
)
PROPOSALS = Operation(
    name="proposals",
    route="GET /proposals",
    scope=READ,
    summary="Of what waits, what agents asked for and only a person can grant, the oldest first.",
    act=lambda service, arguments: list(service.review.waiting()),
    result=list[Proposal],
)
ACCEPT_PROPOSAL = Operation(
    name="accept_proposal",
    route="POST /proposals/{id}/accept",
    scope=ADMIN,
    summary="Do what an agent proposed.",
    act=_accept_proposal,
    arguments=inputs.ById,
    result=Proposal,
)
DROP_PROPOSAL = Operation(
    name="drop_proposal",
    route="POST /proposals/{id}/drop",
    scope=ADMIN,
    summary="Say no to what an agent proposed; it is not proposed again.",
    act=_drop_proposal,
    arguments=inputs.ById,
    result=Proposal,
)
