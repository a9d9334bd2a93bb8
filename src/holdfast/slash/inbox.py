"""`/memory review`: what waits for the user, and what they say about it."""

from holdfast.capture.text.clean import quote
from holdfast.errors import InvalidInput
from holdfast.model.inbox import Settlement
from holdfast.service.service import Service
from holdfast.slash.inbox_text import inbox_lines, settlement_line

MOST_SHOWN = 10
"""Items shown in a chat; `holdfast review` goes through all of them."""

_FORMS = "accept ID, drop ID, edit ID TEXT, keep ID newer|older|both|ID, undo"
_HOW = "Settle them with /memory review accept|drop|edit|keep ID, or one by one in a terminal: holdfast review."


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
    inbox = service.review.inbox(MOST_SHOWN)
    if not inbox.items:
        return "Nothing waits for you."
    return "\n".join([*inbox_lines(inbox), _HOW])
