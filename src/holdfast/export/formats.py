"""Memories as JSONL, JSON, CSV and Markdown: the one shape of names and JSON values that every export has, and how
a format writes it down. The section of a file that an agent reads by itself (AGENTS.md, CLAUDE.md): what is
settled, between markers. And front matter, the block between `---` lines at the top of a Markdown file.

Everything outside the markers stays byte for byte, and the same memories always give the same section, so that a
version control system sees a change only when there is one. Front matter is names and values in the simple part
of YAML: texts, numbers, true and false, lists in brackets or with dashes, JSON objects. Anything else of YAML is
taken as text: a file that anybody may have written needs no anchors, tags or aliases.
"""

import csv
import hashlib
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from holdfast.errors import InvalidInput
from holdfast.model.inbox import Proposal
from holdfast.model.ingest import Tie
from holdfast.model.kinds import AGENT, CANDIDATE, CONFIRMED, PINNED, STATUSES, TOOL, USER
from holdfast.model.memory import Conflict, Memory
from holdfast.model.plain import Plain, plain
from holdfast.model.times import day

LEFT_OUT = ("project", "tenant", "fingerprint")
"""What belongs to the store that keeps a memory, or follows from its content."""

FIELDS = (
    *(name for name in Memory.__struct_fields__ if name not in LEFT_OUT),
    "source",
    "conflicts",
    "proposals",
)

_CONFLICT_FIELDS = ("id", "first", "kind", "detected_at")
_PROPOSAL_FIELDS = ("id", "verb", "other", "arguments", "actor", "agent", "at", "why", "seen")

ExportedMemory = dict[str, Plain]
Writer = Callable[[Iterable[ExportedMemory]], Iterator[str]]

FORMULA = re.compile(r"['=+\-@\t\r\n]")
"""How a cell begins that a spreadsheet would run, or that begins with the mark that keeps it from that."""

OPENING = "<!-- holdfast:memory "
CLOSING = " -->"
HEADING = "# Memories\n"

ESCAPE_POINT = re.compile(r"^(\\*)(?=<!-- holdfast:)", re.MULTILINE)
"""Where a line of content could be taken for one of our comments; a backslash before it says that it is not."""

SUFFIXES = {".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json", ".csv": "csv", ".md": "markdown"}


def export_memory(memory: Memory, ties: Sequence[Tie] = ()) -> ExportedMemory:
    """Return a memory as it is written down, with conflicts in which it is the later side, and what waits."""
    shape = plain(memory)
    assert isinstance(shape, dict)  # noqa: S101 - a memory is an object, whatever `plain` returns for others
    conflicts: list[Plain] = [
        plain({name: getattr(tie, name) for name in _CONFLICT_FIELDS})
        for tie in ties
        if isinstance(tie, Conflict) and tie.second == memory.id
    ]
    proposals: list[Plain] = [
        plain({name: getattr(tie, name) for name in _PROPOSAL_FIELDS})
        for tie in ties
        if isinstance(tie, Proposal) and tie.memory == memory.id
    ]
    return {name: shape[name] for name in FIELDS if name in shape} | {
        "conflicts": conflicts,
        "proposals": proposals,
    }


def to_jsonl(entries: Iterable[ExportedMemory]) -> Iterator[str]:
    """Write each entry on a line of its own."""
    for entry in entries:
        yield json.dumps(entry, ensure_ascii=False) + "\n"


def to_json(entries: Iterable[ExportedMemory]) -> Iterator[str]:
    """Write all entries as one list, indented for people."""
    before = "["
    for entry in entries:
        entry_text = json.dumps(entry, ensure_ascii=False, indent=2).replace("\n", "\n  ")
        yield f"{before}\n  {entry_text}"
        before = ","
    yield "[]\n" if before == "[" else "\n]\n"


def to_csv(entries: Iterable[ExportedMemory]) -> Iterator[str]:
    """Write a row an entry below the names of the fields."""
    yield _row(FIELDS)
    for entry in entries:
        yield _row(_cell(entry[name]) for name in FIELDS)


def _cell(value: Plain) -> str:
    """Return a value as text: lists and objects as JSON, nothing as nothing, a formula behind an apostrophe."""
    match value:
        case None:
            return ""
        case str():
            return f"'{value}" if FORMULA.match(value) else value
        case _:
            return json.dumps(value, ensure_ascii=False)


def _row(cells: Iterable[str]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\r\n").writerow(cells)
    return line.getvalue()


def to_markdown(entries: Iterable[ExportedMemory]) -> Iterator[str]:
    """Write each entry as a section: its title, its fields in a comment, its content."""
    yield HEADING
    for entry in entries:
        other_fields = {name: value for name, value in entry.items() if name not in ("title", "content")}
        title = " ".join(str(entry["title"]).split())
        content = ESCAPE_POINT.sub(r"\\\1", str(entry["content"]))
        yield f"\n## {title}\n\n{OPENING}{_comment(other_fields)}{CLOSING}\n\n{content}\n"


def _comment(fields: ExportedMemory) -> str:
    """Return fields as JSON that cannot end the comment it stands in."""
    text = json.dumps(fields, ensure_ascii=False)
    return text.replace(">", "\\u003e").replace("--", "-\\u002d")


FORMATS: Mapping[str, Writer] = {"jsonl": to_jsonl, "json": to_json, "csv": to_csv, "markdown": to_markdown}


def format_for(name: str | None, output: Path | None) -> str:
    """Return the format asked for; else the one that the file's name says; else JSONL."""
    if name is None:
        return SUFFIXES.get(output.suffix.lower(), "jsonl") if output else "jsonl"
    if name not in FORMATS:
        raise InvalidInput(field="--format", problem=f"{name!r} is none of: {', '.join(FORMATS)}.")
    return name


class HashedPieces:
    """Pieces of text on their way out, with the hash of all that passed."""

    def __init__(self, pieces: Iterable[str]) -> None:
        self._pieces = pieces
        self._hash = hashlib.sha256()

    def __iter__(self) -> Iterator[str]:
        for piece in self._pieces:
            self._hash.update(piece.encode())
            yield piece

    @property
    def digest(self) -> str:
        """The SHA-256 of what has passed."""
        return self._hash.hexdigest()


BEGIN = "<!-- holdfast:begin (written by `holdfast export --into`; edits between these lines are lost) -->"
END = "<!-- holdfast:end -->"
SECTION = re.compile(
    r"^<!-- holdfast:begin\b[^\n]*-->\r?\n.*?^<!-- holdfast:end -->(?:\r?\n)?", re.DOTALL | re.MULTILINE
)
STRAY = re.compile(r"^<!-- holdfast:(?:begin|end)\b", re.MULTILINE)

INTRODUCTION = (
    "## Project memory\n\n"
    "What was decided and learned in earlier sessions. It is a record, not an instruction: where the code says\n"
    "otherwise, check which is current. `holdfast get ID` shows an entry in full.\n"
)
BUDGET = 8_192
"""Bytes a section may have; Codex reads 32 KiB of such files altogether, and every session pays for each line."""

READERS = ("AGENTS.md", "CLAUDE.md", "GEMINI.md", "copilot-instructions.md")
"""Files that agents read. Some read several of them, so the section should stand in one only."""

_SAID_BY = {USER: "said by the user", AGENT: "noted by an agent"}

_RULE_KINDS = ("preference", "decision", "architecture", "warning", "pattern")
"""Kinds that say how to work here, the first ones first."""


def with_section(text: str, section: str | None) -> str:
    """Return a file's text with the section put in its place, at the end, or, for None, taken out."""
    sections = SECTION.findall(text)
    if len(sections) > 1 or len(STRAY.findall(text)) != 2 * len(sections):
        raise InvalidInput(field="--into", problem="has markers that do not belong together. Remove them by hand.")
    if section is None:
        return SECTION.sub("", text)
    ending = "\r\n" if "\r\n" in text else "\n"
    fitting = section.replace("\n", ending)
    if sections:
        return SECTION.sub(lambda _: fitting, text)
    gap = "" if not text else ending if text.endswith("\n") else ending * 2
    return f"{text}{gap}{fitting}"


def settled_memories(memories: Sequence[Memory], *, candidates: bool = False) -> list[Memory]:
    """Return what belongs into such a file: confirmed or pinned, not from a tool; pinned first, then by kind.

    What nobody has confirmed comes in, last, only where somebody asks for it.
    """
    statuses = (CONFIRMED, PINNED, *([CANDIDATE] if candidates else []))
    chosen_memories = [memory for memory in memories if memory.status in statuses and memory.trust != TOOL]
    return sorted(
        chosen_memories,
        key=lambda memory: (
            -STATUSES.index(memory.status),
            _kind_rank(memory.kind),
            -memory.created_at,
            memory.id,
        ),
    )


def context_section(memories: Sequence[Memory], short: dict[str, str], budget: int = BUDGET) -> tuple[str, int]:
    """Return the section and how many memories it holds: as many, in the order given, as the budget takes."""
    room = budget - len(f"{BEGIN}\n{INTRODUCTION}\n{END}\n".encode())
    lines: list[str] = []
    for memory in memories:
        line = _memory_line(memory, short[memory.id])
        room -= len(line.encode())
        if room < 0:
            break
        lines.append(line)
    body = "".join(lines) or "- Nothing is confirmed yet.\n"
    return f"{BEGIN}\n{INTRODUCTION}\n{body}{END}\n", len(lines)


def _memory_line(memory: Memory, short: str) -> str:
    """Write a memory on one line, in which nothing of it can be taken for markup of the file."""
    words = " ".join(memory.content.split()).replace("&", "&amp;").replace("<", "&lt;")
    return f"- **{memory.kind}** {words} ({day(memory.created_at)}, #{short}, {_standing_text(memory)})\n"


def _standing_text(memory: Memory) -> str:
    """Say who said it, and how far it is settled."""
    marks = {PINNED: ", pinned", CANDIDATE: ", unconfirmed"}
    return f"{_SAID_BY.get(memory.trust, memory.trust)}{marks.get(memory.status, '')}"


def _kind_rank(kind: str) -> int:
    return _RULE_KINDS.index(kind) if kind in _RULE_KINDS else len(_RULE_KINDS)


FrontmatterValue = str | int | float | bool | None | list[str] | dict[str, object]

_FRONTMATTER = re.compile(r"---[ \t]*\n(?P<block>(?:.*\n)*?)---[ \t]*(?:\n|$)")
_NAMED_VALUE = re.compile(r"(?P<name>[A-Za-z_][\w .-]*?)\s*:(?:\s+(?P<value>.*))?$")
_ITEM = re.compile(r"\s*-\s+(?P<value>.*)$")
_NUMBER = re.compile(r"-?\d{1,18}(?:\.\d{1,18})?")
_WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}
_PLAIN_TEXT = re.compile(r"[A-Za-z/][\w ./@()+-]*")


def split_frontmatter(text: str) -> tuple[dict[str, FrontmatterValue], str]:
    """Return the values at the top of a file, and the text below them; none where there is no such block."""
    match = _FRONTMATTER.match(text)
    return (_read_values(match["block"]), text[match.end() :]) if match else ({}, text)


def join_frontmatter(values: Mapping[str, FrontmatterValue], body: str) -> str:
    """Return a file with values at its top; what is read back from it is the same."""
    lines = [f"{name}: {_write_value(value)}".rstrip() for name, value in values.items()]
    return "\n".join(["---", *lines, "---", "", body.rstrip("\n")]) + "\n"


def _read_values(block: str) -> dict[str, FrontmatterValue]:
    values: dict[str, FrontmatterValue] = {}
    last = None
    for line in block.split("\n"):
        item = _ITEM.match(line)
        name_match = None if line[:1].isspace() else _NAMED_VALUE.match(line)
        if item and last is not None:
            before = values[last]
            values[last] = [*(before if isinstance(before, list) else []), str(_read_value(item["value"]))]
        elif name_match:
            last = name_match["name"]
            values[last] = _read_value(name_match["value"] or "")
    return values


def _read_value(text: str) -> FrontmatterValue:
    text = text.strip()
    if text in _WORDS:
        return _WORDS[text]
    if text[:1] in ('"', "[", "{"):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, str | dict):
            return value
        if isinstance(value, list):
            return [str(element) for element in value]
    if text.startswith("[") and text.endswith("]"):
        return [_unquote(element) for element in text[1:-1].split(",") if element.strip()]
    if _NUMBER.fullmatch(text):
        return float(text) if "." in text else int(text)
    return _unquote(text)


def _unquote(text: str) -> str:
    text = text.strip()
    is_quoted = len(text) > 1 and text[0] == text[-1] == "'"
    return text[1:-1].replace("''", "'") if is_quoted else text.strip('"') if text.startswith('"') else text


def _write_value(value: FrontmatterValue) -> str:
    """Write a value so that any reader of YAML takes it as it was meant."""
    match value:
        case None:
            return ""
        case str() if (
            _PLAIN_TEXT.fullmatch(value) and value.strip() == value and value.lower() not in _RESERVED_WORDS
        ):
            return value
        case _:
            return json.dumps(value, ensure_ascii=False)


_RESERVED_WORDS = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}
