"""Resources: one memory by its id, and the brief, for clients that let a person attach them."""

from mcp.types import Resource, ResourceTemplate

from holdfast.errors import StoreError, UnknownId
from holdfast.interfaces.mcp.tools import full
from holdfast.interfaces.mcp.verbs import ServiceRunner
from holdfast.machine import failures
from holdfast.model.requests import BriefRequest
from holdfast.service.service import Service
from holdfast.slash import inbox_lines

SCHEME = "memory://"
BRIEF = "memory://brief"
INBOX = "memory://review"
PLAIN = "text/plain"
READER = "mcp"
"""Who reads the brief: some client, in plain text."""


RESOURCES = [
    Resource(
        uri=BRIEF,
        name="brief",
        description="What a session should know at its start: pinned memories and what was learnt lately.",
        mime_type=PLAIN,
    ),
    Resource(
        uri=INBOX,
        name="inbox",
        description="What waits for the user: conflicts, proposals, unconfirmed notes. Only they settle it.",
        mime_type=PLAIN,
    ),
]
TEMPLATES = [
    ResourceTemplate(
        uri_template=f"{SCHEME}{{id}}", name="memory", description="One memory in full.", mime_type=PLAIN
    )
]


def read_resource(verbs: ServiceRunner, uri: str, agent: str | None) -> str:
    """Return a resource's text; a brief that cannot be made is empty, and leaves a trace."""
    if uri == INBOX:
        return verbs.run(_inbox, agent=agent)
    if uri != BRIEF:
        return verbs.run(lambda service: _memory(service, uri), agent=agent)
    try:
        return verbs.run(lambda service: service.context(BriefRequest(agent=READER)).text, agent=agent)
    except StoreError as error:
        failures.leave("brief", verbs.place, error)
        return ""


def _inbox(service: Service) -> str:
    """Say what waits; whoever reads it may tell the user, and settles nothing."""
    inbox = service.review.inbox()
    if not inbox.items:
        return "Nothing waits for the user."
    return "\n".join([*inbox_lines(inbox), "The user settles these with `holdfast review` or /memory review."])


def _memory(service: Service, uri: str) -> str:
    """Attaching a memory by its id is asking for it, so it counts as a read."""
    memory_id = uri.removeprefix(SCHEME) if uri.startswith(SCHEME) else ""
    memories = service.get([memory_id])
    if not memories:
        raise UnknownId(noun="memory", id=memory_id or uri, near=service.near_id(memory_id))
    return full(service, memories[0]).text
