"""What a text keeps when there is less room than it takes: the sentences that settle and that fit the prompt.

A long answer ends in what was decided as often as it begins with it, so its beginning alone would be the wrong
part. Sentences keep their order, and what is left out is marked.
"""

import re
from collections.abc import Collection

from holdfast.capture.text.terms import terms_of
from holdfast.model.patterns import regex
from holdfast.recall.brief.deciding import statement
from holdfast.recall.brief.tokens import estimate

GAP = "…"
LEAST = 12
"""Tokens below which no excerpt says anything."""

_BLOCK = regex(r"```.*?(?:```|\Z)|[^\n]+", re.DOTALL)
_SENTENCE_END = regex(r"(?<=[.!?;])\s+|(?<=[。！？])")


def excerpt(text: str, room: int, stems: Collection[str] = ()) -> str:
    """Return a text that has at most so many tokens; stems are the words it is read for."""
    if estimate(text) <= room:
        return text
    pieces = _pieces(text)
    kept: set[int] = set()
    spent = estimate(GAP)
    for place in sorted(range(len(pieces)), key=lambda one: (-_worth(pieces[one], stems), one)):
        cost = estimate(pieces[place]) + 1
        if spent + cost <= room:
            kept.add(place)
            spent += cost
    return _joined(pieces, kept) if kept else cut(text, room)


def cut(text: str, room: int) -> str:
    """Return the beginning of a text, cut at a word's end with a mark that says so."""
    if room < 2:
        return ""
    if estimate(text) <= room:
        return text
    low, high = 0, min(len(text), room * 8)
    while low < high:
        middle = (low + high + 1) // 2
        if estimate(text[:middle]) < room:
            low = middle
        else:
            high = middle - 1
    blank = text.rfind(" ", low // 2, low)
    return text[: blank if blank > 0 else low].rstrip() + GAP


def _pieces(text: str) -> list[str]:
    found: list[str] = []
    for block in _BLOCK.findall(text):
        found.extend([block] if block.startswith("```") else _SENTENCE_END.split(block))
    return [piece for piece in found if piece.strip()]


def _worth(piece: str, stems: Collection[str]) -> float:
    held = {term.stem for term in terms_of(piece)}
    shared = len(held.intersection(stems)) / max(4, len(held))
    code = 0.4 if piece.startswith("```") else 0.0
    return statement(piece) + shared - code


def _joined(pieces: list[str], kept: set[int]) -> str:
    text = ""
    last = -1
    for place in sorted(kept):
        gap = f" {GAP} " if place - last > 1 else " "
        text += (gap if text or place else "") + pieces[place].strip()
        last = place
    return (text + (f" {GAP}" if last + 1 < len(pieces) else "")).strip()
