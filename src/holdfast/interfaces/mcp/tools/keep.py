"""Writing: add, update (edit, pin, confirm, supersede, resolve), delete. What an agent says has its trust."""

from typing import assert_never

from holdfast.errors import InvalidInput, Proposed
from holdfast.interfaces.mcp import catalogue, texts
from holdfast.interfaces.mcp.arguments import AddArguments, DeleteArguments, UpdateArguments
from holdfast.interfaces.mcp.results import AddResult, DeleteResult, UpdateResult
from holdfast.interfaces.mcp.tools.look import conflicts
from holdfast.interfaces.mcp.tools.tool import Hints, Tool, given
from holdfast.model.conflict import BOTH
from holdfast.model.kinds import AGENT
from holdfast.model.memory import Changes, Draft, Memory
from holdfast.model.visible import line
from holdfast.service.service import Service

SOURCE = "mcp"
PROVEN = "proven: this is the user's word, confirmed"
_EDITABLE = ("content", "kind", "title", "context", "tags", "files", "importance", "expires")


def add(service: Service, asked: AddArguments) -> AddResult:
    """Remember something."""
    added = service.add(
        Draft(
            content=asked.content,
            kind=asked.kind,
            title=asked.title,
            context=asked.context,
            tags=asked.tags,
            files=asked.files,
            importance=asked.importance,
            confidence=asked.confidence,
            metadata=asked.metadata,
            source=SOURCE,
            trust=AGENT,
            scope=asked.scope,
            expires=asked.expires,
            supersedes=asked.supersedes,
            quote=asked.quote,
        )
    )
    return AddResult(
        id=service.short_id(added.id) if added.id else None,
        created=added.created,
        duplicate=added.duplicate,
        rejected=added.rejected,
        conflicts=conflicts(service, [added.id]) if added.id and added.conflicts else None,
        similar_to=tuple(map(service.short_id, added.similar_to)) or None,
        proposal=added.proposal[-8:] if added.proposal else None,
        quote=PROVEN if added.proven else f"unproven: it {added.unproven}" if added.unproven else None,
    )


def update(service: Service, asked: UpdateArguments) -> UpdateResult:
    """Change a memory, or how far it counts; what is the user's becomes a proposal."""
    try:
        return _updated(service, asked)
    except Proposed as waits:
        return UpdateResult(**_waiting(waits), id=str(waits.facts["id"]))


def _updated(service: Service, asked: UpdateArguments) -> UpdateResult:
    match asked.action:
        case "edit":
            return _standing(service, _edited(service, asked))
        case "pin":
            return _standing(service, service.pin(asked.id))
        case "unpin":
            return _standing(service, service.unpin(asked.id))
        case "confirm":
            return _standing(service, service.confirm(asked.id))
        case "supersede":
            return _standing(service, service.supersede(asked.id, _needed("by", asked.by)))
        case "reinstate":
            return _standing(service, service.reinstate(asked.id))
        case "resolve":
            return _resolved(service, asked)
    assert_never(asked.action)


def delete(service: Service, asked: DeleteArguments) -> DeleteResult:
    """Forget a memory for good; what is the user's becomes a proposal."""
    memory = service.peek(asked.id)
    short = service.short_id(memory.id) if memory else asked.id
    try:
        gone = service.forget(asked.id)
    except Proposed as waits:
        waiting = _waiting(waits)
        return DeleteResult(
            ids=(), account="nothing", pending=False, proposal=waiting["proposal"], why=waiting["why"]
        )
    held = f"; {len(gone.backups)} backups still hold it" if gone.backups else ""
    return DeleteResult(ids=(short,), account=f"{gone.account}{held}", pending=gone.pending)


def _waiting(waits: Proposed) -> dict[str, str]:
    return {name: str(waits.facts[name]) for name in ("proposal", "why")}


def _edited(service: Service, asked: UpdateArguments) -> Memory:
    changes = given(asked, *_EDITABLE)
    if not changes:
        raise InvalidInput(field="action", problem=f"edit needs one of {', '.join(_EDITABLE)}.")
    return service.update(asked.id, Changes(**changes, trust=AGENT))  # type: ignore[arg-type]  # named after them


def _resolved(service: Service, asked: UpdateArguments) -> UpdateResult:
    settled = service.resolve(asked.id, _needed("keep", asked.keep))
    kept = settled.kept or BOTH
    return UpdateResult(id=settled.id[-8:], kept=kept if kept == BOTH else service.short_id(kept))


def _needed(field: str, value: str | None) -> str:
    if value is None:
        raise InvalidInput(field=field, problem="is needed for this action.")
    return value


def _standing(service: Service, memory: Memory) -> UpdateResult:
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
