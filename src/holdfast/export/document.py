"""Exports as Markdown: a document for people, whose comments hold what its text does not show."""

import json
import re
from collections.abc import Iterable, Iterator

from holdfast.export.fields import ExportedMemory

OPENING = "<!-- holdfast:memory "
CLOSING = " -->"
HEADING = "# Memories\n"

ESCAPE_POINT = re.compile(r"^(\\*)(?=<!-- holdfast:)", re.MULTILINE)
"""Where a line of content could be taken for one of our comments; a backslash before it says that it is not."""


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
