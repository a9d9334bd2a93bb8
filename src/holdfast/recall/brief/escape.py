"""Recorded text made safe to hand to an agent: nothing invisible, nothing that opens or closes a tag.

The one routine that every renderer uses. What is removed only a machine would read, or would turn what a person
reads around: control characters, terminal escapes, bidi controls, zero-width and tag characters. Light: shared
with hooks; `unicodedata` is loaded when a text is not ASCII.
"""

import re

_ESCAPE = (
    r"(?:\x1b\[|\x9b)[0-?]*+[ -/]*+[@-~]"  # CSI
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])(?:[^\x07\x1b\x9c\r\n]*+(?:\x07|\x1b\\|\x9c))?"  # OSC, DCS …
    r"|\x1b(?:[ -/]*+[0-~])?"  # the other escapes
)
_LINE_ENDS = r"\r\n|[\r\x0b\x0c\x85\u2028\u2029]"
_CONTROLS = r"[\x00-\x08\x0e-\x1f\x7f-\x9f]"

_INVISIBLE = frozenset((0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0))
"""Letters and marks without a shape; what has the category of a format character is found by that."""


def clean(text: str) -> str:
    """Return a text without anything invisible; lines end in a newline, blanks are blanks. Never raises."""
    visible = re.sub(_CONTROLS, "", re.sub(_LINE_ENDS, "\n", re.sub(_ESCAPE, "", text)))
    return visible if visible.isascii() else _visible_text(visible)


def escape_text(text: str) -> str:
    """Return a clean text in which no tag and no entity can begin, and no CDATA section end."""
    return clean(text).replace("&", "&amp;").replace("<", "&lt;").replace("]]>", "]]&gt;")


def one_line(text: str) -> str:
    """Return an escaped text on one line."""
    return " ".join(escape_text(text).split())


def _visible_text(text: str) -> str:
    from unicodedata import category

    return "".join(_visible_char(char, category(char)) for char in text)


def _visible_char(char: str, kind: str) -> str:
    if char.isascii():
        return char
    if kind == "Zs":
        return " "
    if kind in ("Cc", "Cf", "Cs") or _nothing(ord(char)):
        return ""
    return char


def _nothing(code: int) -> bool:
    """Say whether a code point shows nothing, or is no character at all."""
    return (
        code in _INVISIBLE
        or 0x180B <= code <= 0x180F
        or 0xFE00 <= code <= 0xFE0F
        or 0xE0000 <= code <= 0xE0FFF
        or 0xFDD0 <= code <= 0xFDEF
        or code & 0xFFFE == 0xFFFE
    )
