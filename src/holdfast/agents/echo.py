"""Sentences that an agent was told and repeats: they are not its own words. Light."""

import re

from holdfast.model.ids import digest

_END = r"(?<=[.!?;])\s+|\n+"
_DIGITS = 16
_LEAST_CHARS = 20
"""Shorter sentences are anybody's."""


def sentences(text: str) -> "list[str]":
    """Return the fingerprints of the sentences of a text that one can recognise."""
    return [_print(sentence) for sentence in re.split(_END, text) if _long(sentence)]


def without_echo(text: str, echo_prints: "frozenset[str]") -> str:
    """Return a reply without the sentences that the agent was told."""
    if not echo_prints:
        return text
    pieces = re.split(f"({_END})", text)
    remaining_pieces = [piece for piece in pieces if not (_long(piece) and _print(piece) in echo_prints)]
    return "".join(remaining_pieces).strip()


def _long(sentence: str) -> bool:
    return len(sentence.strip()) >= _LEAST_CHARS


def _print(sentence: str) -> str:
    """Return what two tellings of one sentence have in common: letters and digits, in lower case."""
    return digest(" ".join(re.findall(r"\w+", sentence.lower())))[:_DIGITS]
