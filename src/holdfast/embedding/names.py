"""Take identifiers apart: camelCase, snake_case and dotted paths into words.

Must not live here: tokenising for an index, or knowing where the words go. A sentence model reads a name it never
saw as letters.
"""

from __future__ import annotations

from holdfast.model.patterns import regex

HUMP = regex(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
"""Between the words of camelCase, and between an abbreviation and the word after it."""

_JOINT = regex(r"(?<=\w)[_.](?=\w)|(?<=[a-z0-9])(?=[A-Z])")


def space_names(text: str) -> str:
    """Return the text with its compound names written as separate words."""
    return _JOINT.sub(" ", text)
