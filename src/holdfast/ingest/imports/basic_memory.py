"""Notes of basic-memory: observations, relations and prose in Markdown."""

import re
from pathlib import PurePosixPath

from holdfast.export import frontmatter
from holdfast.ingest.markdown import sections
from holdfast.ingest.part import EntryStream, Omission, Part, source_label, unusable
from holdfast.model.ingest import Entry
from holdfast.model.kinds import KINDS
from holdfast.model.limits import NAME_CHARS, TAGS
from holdfast.model.requests import Draft

OBSERVATION = re.compile(r"^\s*[-*] \[(?P<category>[^\[\]()]+)\] (?P<text>\S.*)$")
RELATION = re.compile(r"^\s*[-*] (?P<relation>[^\[\]]+?)\s+\[\[(?P<target>[^\]]+)\]\]")
_TASK = re.compile(r"[ xX-]?")
_TAG = re.compile(r"(?<!\S)#(?P<tag>[\w/-]+)")
_CONTEXT = re.compile(r"\s*\((?P<context>[^()]*)\)\s*$")


def recognises(text: str) -> bool:
    """Say whether a file is such a note: by its permalink, or by observations or relations in it."""
    values, body = frontmatter.split(text)
    lines = body.split("\n")
    return "permalink" in values or any(_observation_match(line) or RELATION.match(line) for line in lines)


def read_entries(part: Part) -> EntryStream:
    """Read a note: each observation, the prose of each section, and the relations together."""
    values, text = frontmatter.split(part.text().replace("\r\n", "\n"))
    title = str(values.get("title") or PurePosixPath(part.name).stem)
    note = _Note(part.name, title, _tags(values.get("tags")), text)
    yield from note.observations()
    yield from note.prose()
    yield from note.relations()


class _Note:
    def __init__(self, name: str, title: str, tags: tuple[str, ...], text: str) -> None:
        self._name = name
        self._title = title
        self._tags = tags
        self._text = text

    def observations(self) -> EntryStream:
        for number, line in enumerate(self._text.split("\n"), 1):
            if match := _observation_match(line):
                yield self._observation(match, number)

    def prose(self) -> EntryStream:
        for section in sections(self._text):
            lines = [
                line for line in section.body.split("\n") if not (_observation_match(line) or RELATION.match(line))
            ]
            text = "\n".join(lines).strip()
            if text:
                trail = " › ".join(dict.fromkeys((self._title, *section.trail)))
                yield self._fact(text, trail, section.line)

    def relations(self) -> EntryStream:
        matches = [
            match
            for line in self._text.split("\n")
            if not _observation_match(line) and (match := RELATION.match(line))
        ]
        if matches:
            ends = [f"{match['relation'].replace('_', ' ')} {match['target']}" for match in matches]
            yield self._fact(f"{self._title}: " + "; ".join(ends), self._title, 1)

    def _observation(self, match: re.Match[str], number: int) -> Entry | Omission:
        category, text = match["category"].strip().lower(), match["text"].strip()
        context = _CONTEXT.search(text)
        content = _CONTEXT.sub("", text) if context else text
        tags = (*self._tags, *(tag_match["tag"] for tag_match in _TAG.finditer(content)), category)
        content = _TAG.sub("", content).strip()
        where = f"{self._title} ({context['context']})" if context and context["context"] else self._title
        draft = Draft(
            content=content,
            kind=category if category in KINDS else None,
            context=where,
            tags=tuple(dict.fromkeys(tag[:NAME_CHARS] for tag in tags))[:TAGS],
            source=source_label(self._name),
        )
        return unusable(content) or Entry(draft=draft, where=f"{self._name}, line {number}")

    def _fact(self, content: str, context: str, line: int) -> Entry | Omission:
        draft = Draft(
            content=content, kind="fact", context=context, tags=self._tags, source=source_label(self._name)
        )
        return unusable(content) or Entry(draft=draft, where=f"{self._name}, line {line}")


def _observation_match(line: str) -> re.Match[str] | None:
    """Return the observation on a line; a task's box and a link are none."""
    match = OBSERVATION.match(line)
    return match if match and not _TASK.fullmatch(match["category"]) else None


def _tags(value: frontmatter.Value) -> tuple[str, ...]:
    names = value if isinstance(value, list) else str(value).split(",") if value else []
    return tuple(dict.fromkeys(name.strip().lstrip("#")[:NAME_CHARS] for name in names if name.strip()))[:TAGS]
