"""`/memory review`: what waits for the user, and what they say about it; as lines of text that are the same at a
terminal, in a chat and for agents themselves."""

from collections.abc import Iterator

from holdfast.capture.text.clean import quote
from holdfast.errors import InvalidInput
from holdfast.model.inbox import (
    ACCEPTED,
    CANDIDATE,
    CONFLICT,
    DROPPED,
    EDITED,
    KEPT,
    PROPOSAL,
    RESOLVE,
    SUPERSEDE,
    UNDONE,
    Inbox,
    InboxItem,
    Quotation,
    Settlement,
    Side,
)
from holdfast.model.kinds import AGENT, IMPORTED, TOOL, USER
from holdfast.model.memory import BOTH, line, shorten
from holdfast.model.times import day
from holdfast.service.service import Service

MOST_ITEMS = 10
"""Items shown in a chat; `holdfast review` goes through all of them."""

_FORMS = "accept ID, drop ID, edit ID TEXT, keep ID newer|older|both|ID, undo"
_HOW = "Settle them with /memory review accept|drop|edit|keep ID, or one by one in a terminal: holdfast review."
CONTENT_CHARS = 600
"""Characters of a memory that are shown to decide about it; `holdfast get` shows all of it."""


def review(service: Service, text: str) -> str:
    """List what waits, or settle one thing of it."""
    verb, _, rest = text.partition(" ")
    if not verb:
        return _list_items(service)
    first, _, more = rest.strip().partition(" ")
    return f"{settlement_line(_settle(service, verb, first, more.strip()))}"


def _settle(service: Service, verb: str, item_id: str, more: str) -> Settlement:
    if verb == "undo":
        return service.review.undo(item_id or None)
    if item_id and verb in ("accept", "drop") and not more:
        return service.review.accept(item_id) if verb == "accept" else service.review.drop(item_id)
    if item_id and more and verb in ("edit", "keep"):
        return service.review.edit(item_id, more) if verb == "edit" else service.review.keep(item_id, more)
    problem = f"{quote(f'{verb} {item_id} {more}'.strip())} is not one of its forms. There are: {_FORMS}."
    raise InvalidInput(field="/memory review", problem=problem)


def _list_items(service: Service) -> str:
    inbox = service.review.inbox(MOST_ITEMS)
    if not inbox.items:
        return "Nothing waits for you."
    return "\n".join([*inbox_lines(inbox), _HOW])


def head(item: InboxItem) -> str:
    """Say in one line what waits and why."""
    asks = f"{item.by} asks to {item.verb} it" if item.sort == PROPOSAL else item.why
    why = f" ({item.why})" if item.sort == PROPOSAL else ""
    return line(f"{item.sort} {item.short}: {asks}{why}")


def details(item: InboxItem) -> Iterator[str]:
    """Say what it is about: each memory with who said it, when, and the words it was read from."""
    for number, side in enumerate(item.sides, 1):
        label = f"[{number}] " if item.sort == CONFLICT else ""
        age = (", the newer" if side.newer else ", the older") if item.sort == CONFLICT else ""
        yield line(
            f"{label}{_role(item, number)}{side.kind} #{side.short}, {speaker(side)} on {day(side.said_at)}{age}"
        )
        yield f"    {line(shorten(side.content, CONTENT_CHARS))}"
        yield from (f"    {_quotation_line(quotation)}" for quotation in side.quotations)
    yield from _proposal_lines(item)


def speaker(side: Side) -> str:
    """Say whose word a memory is."""
    names = {
        USER: f"said by {side.user}",
        AGENT: f"noted by {side.agent or 'an agent'}",
        TOOL: "from a tool's output",
        IMPORTED: f"taken in from {side.source}",
    }
    return names[side.trust]


def inbox_lines(inbox: Inbox) -> list[str]:
    """Return everything that is listed, and how much is not."""
    lines = [text for item in inbox.items for text in (head(item), *(f"  {detail}" for detail in details(item)))]
    remaining_count = inbox.total - len(inbox.items)
    more = [f"{remaining_count:,} more wait."] if remaining_count > 0 else []
    return lines + more


def settlement_line(settlement: Settlement) -> str:
    """Say in one line what came of a decision."""
    outcomes = {
        (CANDIDATE, ACCEPTED): "Confirmed",
        (CANDIDATE, EDITED): "Confirmed in your words",
        (CANDIDATE, DROPPED): "Dropped",
        (CONFLICT, KEPT): "Kept",
        (CONFLICT, EDITED): "Settled in your words",
        (CONFLICT, DROPPED): "Dropped both",
        (PROPOSAL, ACCEPTED): f"Done ({settlement.verb})",
        (PROPOSAL, EDITED): f"Done in your words ({settlement.verb})",
        (PROPOSAL, DROPPED): f"Not done ({settlement.verb})",
    }
    if settlement.kept == BOTH:
        return "Both stand."
    outcome = "Waits again" if settlement.outcome == UNDONE else outcomes[settlement.sort, settlement.outcome]
    return line(f"{outcome}: {settlement.title}" if settlement.title else f"{outcome}.")


def _role(item: InboxItem, number: int) -> str:
    if item.sort != PROPOSAL or len(item.sides) == 1:
        return ""
    return "of this: " if number == 1 else "and this: "


def _quotation_line(quotation: Quotation) -> str:
    where = f"{quotation.role}, {day(quotation.at)}, {quotation.agent} session {quotation.session_short}"
    return line(f"“{quotation.text}” ({where})")


def _proposal_lines(item: InboxItem) -> Iterator[str]:
    """Say what a proposal would do."""
    if item.verb == SUPERSEDE:
        yield "would become: the second takes the place of the first"
    elif item.verb == RESOLVE:
        keep = str(item.arguments.get("keep", ""))
        kept_title = next((side.title for side in item.sides if side.id == keep), BOTH)
        yield line(f"would become: keep {kept_title}")
    else:
        yield from (line(f"would become: {name}: {shown_value(value)}") for name, value in item.arguments.items())


def shown_value(value: object) -> str:
    """Return what a field would be, shortened."""
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return shorten(text, CONTENT_CHARS)
