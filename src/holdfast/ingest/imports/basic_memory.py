"""Notes of basic-memory: observations, relations and prose in Markdown."""

import re
from pathlib import PurePosixPath

from holdfast.export import frontmatter
from holdfast.ingest.imports.outcome import Left, Read, source_label, unusable
from holdfast.ingest.markdown import sections
from holdfast.ingest.part import Part
from holdfast.model.entry import Entry
from holdfast.model.kinds import KINDS
from holdfast.model.limits import NAME_CHARS, TAGS
from holdfast.model.memory import Draft

OBSERVATION = re.compile(r"^\s*[-*] \[(?P<category>[^\[\]()]+)\] (?P<text>\S.*)$")
RELATION = re.compile(r"^\s*[-*] (?P<relation>[^\[\]]+?)\s+\[\[(?P<target>[^\]]+)\]\]")
_TASK = re.compile(r"[ xX-]?")
_TAG = re.compile(r"(?<!\S)#(?P<tag>[\w/-]+)")
_CONTEXT = re.compile(r"\s*\((?P<context>[^()]*)\)\s*$")


def recognises(text: str) -> bool:
    """Say whether a file is such a note: by its permalink, or by observations or relations in it."""
    values, body = frontmatter.split(text)
    lines = body.split("\n")
    return "permalink" in values or any(_observed(line) or RELATION.match(line) for line in lines)


def read(part: Part) -> Read:
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

    def observations(self) -> Read:
        for number, line in enumerate(self._text.split("\n"), 1):
            if found := _observed(line):
                yield self._observation(found, number)

    def prose(self) -> Read:
        for section in sections(self._text):
            lines = [one for one in section.body.split("\n") if not (_observed(one) or RELATION.match(one))]
            said = "\n".join(lines).strip()
            if said:
                trail = " › ".join(dict.fromkeys((self._title, *section.trail)))
                yield self._fact(said, trail, section.line)

    def relations(self) -> Read:
        found = [one for line in self._text.split("\n") if not _observed(line) and (one := RELATION.match(line))]
        if found:
            ends = [f"{one['relation'].replace('_', ' ')} {one['target']}" for one in found]
            yield self._fact(f"{self._title}: " + "; ".join(ends), self._title, 1)

    def _observation(self, found: re.Match[str], number: int) -> Entry | Left:
        category, text = found["category"].strip().lower(), found["text"].strip()
        context = _CONTEXT.search(text)
        said = _CONTEXT.sub("", text) if context else text
        tags = (*self._tags, *(one["tag"] for one in _TAG.finditer(said)), category)
        said = _TAG.sub("", said).strip()
        where = f"{self._title} ({context['context']})" if context and context["context"] else self._title
        draft = Draft(
            content=said,
            kind=category if category in KINDS else None,
            context=where,
            tags=tuple(dict.fromkeys(tag[:NAME_CHARS] for tag in tags))[:TAGS],
            source=source_label(self._name),
        )
        return unusable(said) or Entry(draft=draft, where=f"{self._name}, line {number}")

    def _fact(self, content: str, context: str, line: int) -> Entry | Left:
        draft = Draft(
            content=content, kind="fact", context=context, tags=self._tags, source=source_label(self._name)
        )
        return unusable(content) or Entry(draft=draft, where=f"{self._name}, line {line}")


def _observed(line: str) -> re.Match[str] | None:
    """Return the observation on a line; a task's box and a link are none."""
    found = OBSERVATION.match(line)
    return found if found and not _TASK.fullmatch(found["category"]) else None


def _tags(given: frontmatter.Value) -> tuple[str, ...]:
    named = given if isinstance(given, list) else str(given).split(",") if given else []
    return tuple(dict.fromkeys(one.strip().lstrip("#")[:NAME_CHARS] for one in named if one.strip()))[:TAGS]
