"""Files that people and agents keep for agents to read: CLAUDE.md, AGENTS.md, MEMORY.md and the like.

Each list item and each paragraph is one memory; the headings above it are its context. The section that
`holdfast export --into` wrote is left out: memory must not feed on itself.
"""

import re
from collections.abc import Set
from pathlib import PurePosixPath

from holdfast.export import frontmatter
from holdfast.export.context_file import SECTION
from holdfast.ingest.markdown import Block, Section, blocks, sections, without_comments
from holdfast.ingest.part import EntryStream, Omission, Part, source_label, unusable
from holdfast.model.ingest import Entry
from holdfast.model.limits import NAME_CHARS
from holdfast.model.requests import Draft

MEMORY_TYPES = {"user": "preference", "feedback": "preference", "project": "fact", "reference": "fact"}
"""What Claude calls its memories in the files beside MEMORY.md, and the kinds they become."""

_POINTER = re.compile(r"\[[^\]]*\]\((?P<target>[^)#?\s]+)[^)]*\)")
_INCLUDE_LINE = re.compile(r"@[\w./~-]+")


def read_entries(part: Part, names: Set[str]) -> EntryStream:
    """Read one such file; `names` are the files beside it, which an index only points at."""
    values, text = frontmatter.split(part.text().replace("\r\n", "\n"))
    if isinstance(values.get("description"), str) and isinstance(values.get("name"), str):
        yield _topic(values, text, part)
        return
    plain_text = without_comments(SECTION.sub(lambda match: "\n" * match[0].count("\n"), text))
    for section in sections(plain_text):
        for block in blocks(section):
            yield _entry(section, block, part, names)


def _topic(values: dict[str, frontmatter.Value], text: str, part: Part) -> Entry | Omission:
    """Read a file that is one memory as a whole, as Claude writes them."""
    content = text.strip() or str(values["description"])
    draft = Draft(
        content=content,
        kind=MEMORY_TYPES.get(str(values.get("type"))),
        title=str(values["description"]),
        tags=(str(values["name"])[:NAME_CHARS],),
        source=source_label(part.name),
    )
    return unusable(content) or Entry(draft=draft, where=part.name)


def _entry(section: Section, block: Block, part: Part, names: Set[str]) -> Entry | Omission:
    where = f"{part.name}, line {block.line}"
    if _points_elsewhere(block, part, names):
        return Omission("a pointer to another file")
    if not re.search(r"\w", block.text):
        return Omission("without text")
    draft = Draft(content=block.text, context=" › ".join(section.trail) or None, source=source_label(part.name))
    return unusable(block.text) or Entry(draft=draft, where=where)


def _points_elsewhere(block: Block, part: Part, names: Set[str]) -> bool:
    """Say whether a line only leads to a file that is read itself, or that an agent would include."""
    match = _POINTER.search(block.text) if block.bullet else None
    beside = (PurePosixPath(part.name).parent / match["target"]).as_posix() if match else None
    return beside in names or bool(_INCLUDE_LINE.fullmatch(block.text.strip()))
