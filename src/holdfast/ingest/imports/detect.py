"""Which format a part has: by what is in it, not by its name, wherever that can be told."""

from codecs import BOM_UTF8

from holdfast.export.formats import OPENING
from holdfast.ingest.bundle import SQLITE
from holdfast.ingest.imports import basic_memory, mcp_memory, mem0, own
from holdfast.ingest.imports.outcome import EntryStream
from holdfast.ingest.part import Part, unusable_file
from holdfast.ingest.records import records_of

HOLDFAST, MEM0, CLAUDE_MEM, BASIC_MEMORY, MCP_MEMORY, AGENT_FILE = FORMATS = (
    "holdfast",
    "mem0",
    "claude-mem",
    "basic-memory",
    "mcp-memory",
    "agent-file",
)

_MARKDOWN = (".md", ".markdown", ".mdc")
_LOOKED_AT = 65_536


def format_of(part: Part) -> str:
    """Return the name of a part's format."""
    if part.head(len(SQLITE)) == SQLITE:
        return CLAUDE_MEM
    name = part.name.lower()
    if name.endswith(_MARKDOWN):
        return _markdown_format(part.text())
    if name.endswith(".csv"):
        return HOLDFAST
    start = part.head(_LOOKED_AT).removeprefix(BOM_UTF8).lstrip()[:1]
    if start not in (b"[", b"{") and not name.endswith((".json", ".jsonl", ".ndjson")):
        raise unusable_file(
            part.name, f"has no format that can be told. Name it with --format: {', '.join(FORMATS)}."
        )
    return _json_format(part)


def read_own(part: Part) -> EntryStream:
    """Read one of our own exports, whichever way it is written."""
    name = part.name.lower()
    if name.endswith(".csv"):
        return own.read_csv(part)
    return own.read_markdown(part) if name.endswith(_MARKDOWN) else own.read_json(part)


def _markdown_format(text: str) -> str:
    if f"\n{OPENING}" in text:
        return HOLDFAST
    return BASIC_MEMORY if basic_memory.recognises(text.replace("\r\n", "\n")) else AGENT_FILE


def _json_format(part: Part) -> str:
    first = next(records_of(part), None)
    if first is None:
        return HOLDFAST
    if mcp_memory.recognises(first):
        return MCP_MEMORY
    if mem0.recognises(first):
        return MEM0
    if first.has("content") or first.has("text"):
        return HOLDFAST
    raise unusable_file(first.where, f"has no content, and is no entry of: {', '.join(FORMATS)}.")
