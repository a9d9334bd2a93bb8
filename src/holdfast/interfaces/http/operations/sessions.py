"""Sessions, their turns, and what was found in them."""

from holdfast.interfaces.arguments import request_of
from holdfast.interfaces.http.operations import arguments as inputs
from holdfast.interfaces.http.operations.operation import Operation
from holdfast.model.actor import READ, WRITE
from holdfast.model.finding import Finding
from holdfast.model.requests import Message
from holdfast.model.session import Quote, Session, Turn

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
