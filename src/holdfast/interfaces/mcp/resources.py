"""Resources: one memory by its id, and the brief, for clients that let a person attach them."""

from mcp_types import Resource, ResourceTemplate

from holdfast.errors import UnknownId
from holdfast.interfaces.mcp import texts
from holdfast.interfaces.mcp.results import MemoriesResult
from holdfast.interfaces.mcp.tools.look import full
from holdfast.interfaces.mcp.verbs import has
from holdfast.service import Service

SCHEME = "memory://"
BRIEF = "memory://brief"
PLAIN = "text/plain"


def offered() -> list[Resource]:
    """Return the fixed resources; the brief is one where briefs can be made."""
    brief = Resource(
        uri=BRIEF,
        name="brief",
        description="What a session should know at its start: pinned memories and what was learnt lately.",
        mime_type=PLAIN,
    )
    return [brief] if has("context") else []


def templates() -> list[ResourceTemplate]:
    """Return the resources with a gap to fill."""
    memory = ResourceTemplate(
        uri_template=f"{SCHEME}{{id}}", name="memory", description="One memory in full.", mime_type=PLAIN
    )
    return [memory]


def read(service: Service, uri: str) -> str:
    """Return a resource's text. Attaching a memory by its id is asking for it, so it counts as a read."""
    if uri == BRIEF and has("context"):
        text: str = service.context("").text  # type: ignore[attr-defined]  # asked for just now
        return text
    memory_id = uri.removeprefix(SCHEME) if uri.startswith(SCHEME) else ""
    found = service.get([memory_id])
    if not found:
        raise UnknownId(noun="memory", id=memory_id or uri, near=service.near_id(memory_id))
    return texts.memories(MemoriesResult(memories=(full(service, found[0]),)))
