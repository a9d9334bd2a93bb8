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
    kept_places: set[int] = set()
    used_tokens = estimate(GAP)
    for place in sorted(range(len(pieces)), key=lambda index: (-_worth(pieces[index], stems), index)):
        cost = estimate(pieces[place]) + 1
        if used_tokens + cost <= room:
            kept_places.add(place)
            used_tokens += cost
    return _join_pieces(pieces, kept_places) if kept_places else cut_text(text, room)


def cut_text(text: str, room: int) -> str:
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
    pieces: list[str] = []
    for block in _BLOCK.findall(text):
        pieces.extend([block] if block.startswith("```") else _SENTENCE_END.split(block))
    return [piece for piece in pieces if piece.strip()]


def _worth(piece: str, stems: Collection[str]) -> float:
    piece_stems = {term.stem for term in terms_of(piece)}
    overlap = len(piece_stems.intersection(stems)) / max(4, len(piece_stems))
    code = 0.4 if piece.startswith("```") else 0.0
    return statement(piece) + overlap - code


def _join_pieces(pieces: list[str], kept_places: set[int]) -> str:
    text = ""
    last = -1
    for place in sorted(kept_places):
        gap = f" {GAP} " if place - last > 1 else " "
        text += (gap if text or place else "") + pieces[place].strip()
        last = place
    return (text + (f" {GAP}" if last + 1 < len(pieces) else "")).strip()
