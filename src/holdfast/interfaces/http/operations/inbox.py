"""Operations on what waits for a person. Anybody who may read may look; only who administers decides."""

from holdfast.interfaces.http.operations import arguments as inputs
from holdfast.interfaces.http.operations.operation import Operation
from holdfast.model.actor import ADMIN, READ
from holdfast.model.inbox import Inbox, InboxItem, Proposal, Settlement
from holdfast.service.service import Service


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
