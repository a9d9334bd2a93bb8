"""Writing: add, update (edit, pin, confirm, supersede, resolve), delete. What an agent says has its trust."""

from typing import assert_never

from holdfast.errors import InvalidInput, Proposed
from holdfast.interfaces.arguments import request_of
from holdfast.interfaces.mcp import catalogue, texts
from holdfast.interfaces.mcp.arguments import EDITABLE, AddArguments, DeleteArguments, UpdateArguments
from holdfast.interfaces.mcp.results import AddResult, DeleteResult, UpdateResult
from holdfast.interfaces.mcp.tools.look import conflicts
from holdfast.interfaces.mcp.tools.tool import Hints, Tool
from holdfast.model.kinds import AGENT
from holdfast.model.memory import BOTH, Memory, line
from holdfast.model.requests import Changes, Draft
from holdfast.service.service import Service

SOURCE = "mcp"
PROVEN = "proven: this is the user's word, confirmed"


def add(service: Service, arguments: AddArguments) -> AddResult:
    """Remember something."""
    result = service.add(request_of(Draft, arguments, source=SOURCE, trust=AGENT))
    return AddResult(
        id=service.short_id(result.id) if result.id else None,
        created=result.created,
        duplicate=result.duplicate,
        rejected=result.rejected,
        conflicts=conflicts(service, [result.id]) if result.id and result.conflicts else None,
        similar_to=tuple(map(service.short_id, result.similar_to)) or None,
        proposal=result.proposal[-8:] if result.proposal else None,
        quote=PROVEN if result.proven else f"unproven: it {result.unproven}" if result.unproven else None,
    )


def update(service: Service, arguments: UpdateArguments) -> UpdateResult:
    """Change a memory, or how far it counts; what is the user's becomes a proposal."""
    try:
        return _apply_update(service, arguments)
    except Proposed as waits:
        return UpdateResult(**_proposal_facts(waits), id=str(waits.facts["id"]))


def _apply_update(service: Service, arguments: UpdateArguments) -> UpdateResult:
    match arguments.action:
        case "edit":
            return _update_result(service, _edit(service, arguments))
        case "pin":
            return _update_result(service, service.pin(arguments.id))
        case "unpin":
            return _update_result(service, service.unpin(arguments.id))
        case "confirm":
            return _update_result(service, service.confirm(arguments.id))
        case "supersede":
            return _update_result(service, service.supersede(arguments.id, _require("by", arguments.by)))
        case "reinstate":
            return _update_result(service, service.reinstate(arguments.id))
        case "resolve":
            return _resolve(service, arguments)
    assert_never(arguments.action)


def delete(service: Service, arguments: DeleteArguments) -> DeleteResult:
    """Forget a memory for good; what is the user's becomes a proposal."""
    memory = service.peek(arguments.id)
    short = service.short_id(memory.id) if memory else arguments.id
    try:
        result = service.forget(arguments.id)
    except Proposed as waits:
        proposal_facts = _proposal_facts(waits)
        return DeleteResult(
            ids=(),
            account="nothing",
            pending=False,
            proposal=proposal_facts["proposal"],
            why=proposal_facts["why"],
        )
    backup_text = f"; {len(result.backups)} backups still hold it" if result.backups else ""
    return DeleteResult(ids=(short,), account=f"{result.account}{backup_text}", pending=result.pending)


def _proposal_facts(waits: Proposed) -> dict[str, str]:
    return {name: str(waits.facts[name]) for name in ("proposal", "why")}


def _edit(service: Service, arguments: UpdateArguments) -> Memory:
    changes = request_of(Changes, arguments, trust=AGENT)
    if changes == Changes(trust=AGENT):
        raise InvalidInput(field="action", problem=f"edit needs one of {', '.join(EDITABLE)}.")
    return service.update(arguments.id, changes)


def _resolve(service: Service, arguments: UpdateArguments) -> UpdateResult:
    conflict = service.resolve(arguments.id, _require("keep", arguments.keep))
    kept_id = conflict.kept or BOTH
    return UpdateResult(id=conflict.id[-8:], kept=kept_id if kept_id == BOTH else service.short_id(kept_id))


def _require(field: str, value: str | None) -> str:
    if value is None:
        raise InvalidInput(field=field, problem="is needed for this action.")
    return value


def _update_result(service: Service, memory: Memory) -> UpdateResult:
    return UpdateResult(
        id=service.short_id(memory.id),
        title=line(memory.title),
        kind=memory.kind,
        status=memory.status,
        trust=memory.trust,
        superseded_by=service.short_id(memory.superseded_by) if memory.superseded_by else None,
    )


TOOLS = (
    Tool(
        name=catalogue.ADD,
        verb="add",
        description="Remember something for later sessions.",
        arguments=AddArguments,
        result=AddResult,
        hints=Hints(),
        act=add,
        text=texts.added,
    ),
    Tool(
        name=catalogue.UPDATE,
        verb="update",
        description="Change a memory: edit, supersede, resolve. The user's own, pin and confirm: a proposal.",
        arguments=UpdateArguments,
        result=UpdateResult,
        hints=Hints(destructive=True, idempotent=True),
        act=update,
        text=texts.updated,
    ),
    Tool(
        name=catalogue.DELETE,
        verb="forget",
        description="Forget a memory for good, with its words in turns. The user's own: a proposal.",
        arguments=DeleteArguments,
        result=DeleteResult,
        hints=Hints(destructive=True, idempotent=True),
        act=delete,
        text=texts.deleted,
    ),
)
