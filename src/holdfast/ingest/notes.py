"""Markdown notes as entries: those of basic-memory (observations, relations and prose), and files that people and
agents keep for agents to read (CLAUDE.md, AGENTS.md, MEMORY.md and the like).

Of the latter each list item and each paragraph is one memory; the headings above it are its context. The section
that `holdfast export --into` wrote is left out: memory must not feed on itself.
"""

import re
from collections.abc import Set
from pathlib import PurePosixPath

from msgspec import Struct

from holdfast.export.formats import SECTION, FrontmatterValue, split_frontmatter
from holdfast.ingest.bundle import EntryStream, Omission, Part, entry_of, source_label
from holdfast.ingest.markdown import Block, Section, blocks, sections, without_comments
from holdfast.model.ingest import Entry
from holdfast.model.kinds import KINDS
from holdfast.model.limits import NAME_CHARS, TAGS
from holdfast.model.requests import Draft

OBSERVATION = re.compile(r"^\s*[-*] \[(?P<category>[^\[\]()]+)\] (?P<text>\S.*)$")
RELATION = re.compile(r"^\s*[-*] (?P<relation>[^\[\]]+?)\s+\[\[(?P<target>[^\]]+)\]\]")
_TASK = re.compile(r"[ xX-]?")
_TAG = re.compile(r"(?<!\S)#(?P<tag>[\w/-]+)")
_CONTEXT = re.compile(r"\s*\((?P<context>[^()]*)\)\s*$")


def recognises_basic_memory(text: str) -> bool:
    """Say whether a file is such a note: by its permalink, or by observations or relations in it."""
    values, body = split_frontmatter(text)
    lines = body.split("\n")
    return "permalink" in values or any(_observation_match(line) or RELATION.match(line) for line in lines)


def read_basic_memory(part: Part) -> EntryStream:
    """Read a note: each observation, the prose of each section, and the relations together."""
    values, text = split_frontmatter(part.text().replace("\r\n", "\n"))
    title = str(values.get("title") or PurePosixPath(part.name).stem)
    note = _Note(part.name, title, _tags(values.get("tags")), text)
    yield from note.observations()
    yield from note.prose()
    yield from note.relations()


class _Note(Struct, frozen=True):
    name: str
    title: str
    tags: tuple[str, ...]
    text: str

    def observations(self) -> EntryStream:
        for number, line in enumerate(self.text.split("\n"), 1):
            if match := _observation_match(line):
                yield self._observation(match, number)

    def prose(self) -> EntryStream:
        for section in sections(self.text):
            lines = [
                line for line in section.body.split("\n") if not (_observation_match(line) or RELATION.match(line))
            ]
            text = "\n".join(lines).strip()
            if text:
                trail = " › ".join(dict.fromkeys((self.title, *section.trail)))
                yield self._fact(text, trail, section.line)

    def relations(self) -> EntryStream:
        matches = [
            match
            for line in self.text.split("\n")
            if not _observation_match(line) and (match := RELATION.match(line))
        ]
        if matches:
            ends = [f"{match['relation'].replace('_', ' ')} {match['target']}" for match in matches]
            yield self._fact(f"{self.title}: " + "; ".join(ends), self.title, 1)

    def _observation(self, match: re.Match[str], number: int) -> Entry | Omission:
        category, text = match["category"].strip().lower(), match["text"].strip()
        context = _CONTEXT.search(text)
        content = _CONTEXT.sub("", text) if context else text
        tags = (*self.tags, *(tag_match["tag"] for tag_match in _TAG.finditer(content)), category)
        content = _TAG.sub("", content).strip()
        where = f"{self.title} ({context['context']})" if context and context["context"] else self.title
        draft = Draft(
            content=content,
            kind=category if category in KINDS else None,
            context=where,
            tags=tuple(dict.fromkeys(tag[:NAME_CHARS] for tag in tags))[:TAGS],
            source=source_label(self.name),
        )
        return entry_of(draft, f"{self.name}, line {number}")

    def _fact(self, content: str, context: str, line: int) -> Entry | Omission:
        source = source_label(self.name)
        draft = Draft(content=content, kind="fact", context=context, tags=self.tags, source=source)
        return entry_of(draft, f"{self.name}, line {line}")


def _observation_match(line: str) -> re.Match[str] | None:
    """Return the observation on a line; a task's box and a link are none."""
    match = OBSERVATION.match(line)
    return match if match and not _TASK.fullmatch(match["category"]) else None


def _tags(value: FrontmatterValue) -> tuple[str, ...]:
    names = value if isinstance(value, list) else str(value).split(",") if value else []
    return tuple(dict.fromkeys(name.strip().lstrip("#")[:NAME_CHARS] for name in names if name.strip()))[:TAGS]


MEMORY_TYPES = {"user": "preference", "feedback": "preference", "project": "fact", "reference": "fact"}
"""What Claude calls its memories in the files beside MEMORY.md, and the kinds they become."""

_POINTER = re.compile(r"\[[^\]]*\]\((?P<target>[^)#?\s]+)[^)]*\)")
_INCLUDE_LINE = re.compile(r"@[\w./~-]+")


def read_agent_file(part: Part, names: Set[str]) -> EntryStream:
    """Read one such file; `names` are the files beside it, which an index only points at."""
    values, text = split_frontmatter(part.text().replace("\r\n", "\n"))
    if isinstance(values.get("description"), str) and isinstance(values.get("name"), str):
        yield _topic(values, text, part)
        return
    plain_text = without_comments(SECTION.sub(lambda match: "\n" * match[0].count("\n"), text))
    for section in sections(plain_text):
        for block in blocks(section):
            yield _entry(section, block, part, names)


def _topic(values: dict[str, FrontmatterValue], text: str, part: Part) -> Entry | Omission:
    """Read a file that is one memory as a whole, as Claude writes them."""
    content = text.strip() or str(values["description"])
    draft = Draft(
        content=content,
        kind=MEMORY_TYPES.get(str(values.get("type"))),
        title=str(values["description"]),
        tags=(str(values["name"])[:NAME_CHARS],),
        source=source_label(part.name),
    )
    return entry_of(draft, part.name)


def _entry(section: Section, block: Block, part: Part, names: Set[str]) -> Entry | Omission:
    where = f"{part.name}, line {block.line}"
    if _points_elsewhere(block, part, names):
        return Omission("a pointer to another file")
    if not re.search(r"\w", block.text):
        return Omission("without text")
    draft = Draft(content=block.text, context=" › ".join(section.trail) or None, source=source_label(part.name))
    return entry_of(draft, where)


def _points_elsewhere(block: Block, part: Part, names: Set[str]) -> bool:
    """Say whether a line only leads to a file that is read itself, or that an agent would include."""
    match = _POINTER.search(block.text) if block.bullet else None
    beside = (PurePosixPath(part.name).parent / match["target"]).as_posix() if match else None
    return beside in names or bool(_INCLUDE_LINE.fullmatch(block.text.strip()))
