"""Take identifiers apart: camelCase, snake_case and dotted paths into words.

Must not live here: tokenising for an index, or knowing where the words go. FTS5's tokenizer splits at `_` and
`.` but not inside camelCase; a sentence model reads a name it never saw as letters.
"""

from __future__ import annotations

import re

_NAME = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_JOINT = re.compile(r"(?<=\w)[_.](?=\w)|(?<=[a-z0-9])(?=[A-Z])")
_SEAM = re.compile(r"[_.]+")


def name_words(text: str) -> str:
    """Return the words inside the text's compound names, in order: what the identifiers column holds."""
    found: list[str] = []
    for name in _NAME.findall(text):
        parts = [part for seam in _SEAM.split(name) for part in _HUMP.split(seam) if part]
        if len(parts) > 1:
            found += parts
    return " ".join(found)


def spaced(text: str) -> str:
    """Return the text with its compound names written as separate words."""
    return _JOINT.sub(" ", text)
