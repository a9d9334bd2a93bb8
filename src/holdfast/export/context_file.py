"""The section of a file that an agent reads by itself (AGENTS.md, CLAUDE.md): what is settled, between markers.

Everything outside the markers belongs to whoever wrote it and stays byte for byte. The same memories always give
the same section, so that a version control system sees a change only when there is one.
"""

import re
from collections.abc import Sequence

from holdfast.errors import InvalidInput
from holdfast.model.kinds import AGENT, CANDIDATE, CONFIRMED, PINNED, STATUSES, TOOL, USER
from holdfast.model.memory import Memory
from holdfast.model.times import day

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
        key=lambda memory: (-STATUSES.index(memory.status), _rank(memory.kind), -memory.created_at, memory.id),
    )


def render(memories: Sequence[Memory], short: dict[str, str], budget: int = BUDGET) -> tuple[str, int]:
    """Return the section and how many memories it holds: as many, in the order given, as the budget takes."""
    room = budget - len(f"{BEGIN}\n{INTRODUCTION}\n{END}\n".encode())
    lines: list[str] = []
    for memory in memories:
        line = _line(memory, short[memory.id])
        room -= len(line.encode())
        if room < 0:
            break
        lines.append(line)
    body = "".join(lines) or "- Nothing is confirmed yet.\n"
    return f"{BEGIN}\n{INTRODUCTION}\n{body}{END}\n", len(lines)


def _line(memory: Memory, short: str) -> str:
    """Write a memory on one line, in which nothing of it can be taken for markup of the file."""
    words = " ".join(memory.content.split()).replace("&", "&amp;").replace("<", "&lt;")
    return f"- **{memory.kind}** {words} ({day(memory.created_at)}, #{short}, {_standing_text(memory)})\n"


def _standing_text(memory: Memory) -> str:
    """Say who said it, and how far it is settled."""
    marks = {PINNED: ", pinned", CANDIDATE: ", unconfirmed"}
    return f"{_SAID_BY.get(memory.trust, memory.trust)}{marks.get(memory.status, '')}"


def _rank(kind: str) -> int:
    return _RULE_KINDS.index(kind) if kind in _RULE_KINDS else len(_RULE_KINDS)
