"""`/remember`, `/forget`, `/pin`: what a person says about single memories, with a person's trust."""

from holdfast.capture.text.clean import echo, quote
from holdfast.errors import InvalidInput, UnknownId
from holdfast.model.display import line
from holdfast.model.ids import is_full_id, tail_of
from holdfast.model.kinds import CANDIDATE, PINNED, USER
from holdfast.model.memory import Memory
from holdfast.model.requests import Draft, SearchRequest
from holdfast.model.search import Filters
from holdfast.model.times import day
from holdfast.service.service import Service

SOURCE = "slash"
MOST_SHOWN = 5


def remember(service: Service, text: str) -> str:
    """Keep a text, confirmed at once."""
    if not text:
        raise InvalidInput(field="text", problem="is missing. Say what to remember: /remember TEXT.")
    result = service.add(Draft(content=text, source=SOURCE, trust=USER))
    if result.id is None:
        return f"Not remembered: {result.rejected}."
    memory, short = service.peek(result.id), service.short_id(result.id)
    if memory and memory.status == CANDIDATE:
        return (
            f"Noted as {short}, unconfirmed, because an agent asked for it. `holdfast confirm {short}` settles it."
        )
    return f"{'Remembered as' if result.created else 'Known already as'} {short}."


def forget(service: Service, text: str) -> str:
    """Remove the one memory with an id, or that holds a text."""
    memory = _resolve_memory(service, text, "forget")
    if isinstance(memory, str):
        return memory
    short = service.short_id(memory.id)
    result = service.forget(memory.id)
    backup_note = (
        " Backups still hold it: `holdfast forget --backups` takes it out of them." if result.backups else ""
    )
    also = f" Said too by {', '.join(map(service.short_id, result.similar))}." if result.similar else ""
    waits = " Its last bytes go when another process stops reading." if result.pending else ""
    # not its words: what is said here is recorded
    return f"Forgotten {short}: {result.account}.{also}{backup_note}{waits}"


def pin(service: Service, text: str) -> str:
    """Put the one memory with an id, or that holds a text, into every brief; or take it out again."""
    memory = _resolve_memory(service, text, "pin")
    if isinstance(memory, str):
        return memory
    is_pinned = memory.status == PINNED
    result = service.unpin(memory.id) if is_pinned else service.pin(memory.id)
    return f"{'Unpinned' if is_pinned else 'Pinned'} {service.short_id(result.id)}: {line(result.title)}"


def _resolve_memory(service: Service, text: str, command: str) -> Memory | str:
    """Return the memory that is meant, or what to say when that is not certain: nothing is done on a guess."""
    if not text:
        raise InvalidInput(field="id", problem=f"is missing. Say which: /{command} ID, or words that it holds.")
    if is_full_id(text) or tail_of(text):
        memory = service.peek(text)
        if memory is None:
            raise UnknownId(noun="memory", id=echo(text), near=service.near_id(text))
        return memory
    holding = service.list(Filters(contains=text), MOST_SHOWN)
    if len(holding) == 1:
        return holding[0]
    candidates = holding or _similar_memories(service, text)
    if not candidates:
        return f"No memory is about {quote(text)}. Nothing was changed."
    choices = "\n".join(
        f"{service.short_id(candidate.id)} {candidate.kind} {day(candidate.created_at)} {line(candidate.title)}"
        for candidate in candidates
    )
    return f"Which one? Nothing was changed; say /{command} ID.\n{choices}"


def _similar_memories(service: Service, text: str) -> list[Memory]:
    hits = service.search(SearchRequest(query=text, limit=MOST_SHOWN))
    return [memory for hit in hits if (memory := service.peek(hit.id))]
