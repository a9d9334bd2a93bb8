"""Remove what the user marked as private, before anything else sees the text.

The `<private>` block only; secrets are the business of `redact`. This step calls `normalise` itself, because a tag
with an invisible character in its middle becomes a tag once that character is gone. Light: shared with hooks.

The rule is *when in doubt, drop*:

- Tags count in any case, with blanks or attributes in them (`< Private reason="x" >`), and even without the
  final `>`. `<private-key>` and `<privateer>` are other words.
- Blocks nest; only the closer that belongs to the outermost opener ends it.
- A block that is never closed reaches to the end of the text. A self-closing tag counts as an opener.
- A closer without an opener ends a block that began before the text did: everything up to it goes.
- A tag in code or in quotes counts as well.
- What is left and would form a new tag where two pieces meet is cut away too.
"""

import re

from holdfast.capture.text.normalise import normalise

# A string, which `re` compiles and keeps on first use: a process that sees no `<` never needs it.
_TAG = r"(?i)<\s*+(?P<closing>/\s*+)?private(?![\w.-])[^<>]*+(?P<end>>)?"


def strip_from(text: str, depth: int) -> tuple[str, int]:
    """Strip a text that begins `depth` blocks deep; also return how deep it ends.

    For text that arrives in pieces (turns, stream chunks): pass the depth on to the next piece.
    """
    if "<" not in text:
        return ("" if depth else text), depth
    parts, depth = _outside(normalise(text), depth)
    return _without_tags("".join(parts)), depth


def _outside(text: str, depth: int) -> tuple[list[str], int]:
    parts: list[str] = []
    position = 0
    for tag in re.finditer(_TAG, text):
        if depth == 0:
            parts.append(text[position : tag.start()])
        if not tag["closing"]:
            depth += 1
        elif depth == 0:
            parts.clear()
        elif tag["end"]:
            depth -= 1
        position = tag.end()
    if depth == 0:
        parts.append(text[position:])
    return parts, depth


def _without_tags(text: str) -> str:
    """Keep the stretch after the last closer and before the next opener; without tags that is everything."""
    start, end = 0, len(text)
    for tag in re.finditer(_TAG, text):
        if tag["closing"]:
            start, end = tag.end(), len(text)
        else:
            end = min(end, tag.start())
    return text[start:end]


def depth_after(text: str, start: int, depth: int) -> int:
    """Return how many blocks are open at the end of a text that is `depth` deep at `start`, copying none of it."""
    last = text.rfind("<", 0, start)
    if last >= 0 and not re.compile(_TAG).match(text, last, start):
        start = last  # a tag may lie across the start
    for tag in re.compile(_TAG).finditer(text, start):
        if not tag["closing"]:
            depth += 1
        elif depth and tag["end"]:
            depth -= 1
    return depth
