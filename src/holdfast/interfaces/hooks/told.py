"""What a session was told: it is not told twice, nor taken for the agent's own words when repeated. Light."""

import re

from holdfast.digest import digest
from holdfast.interfaces.hooks import marks

_END = r"(?<=[.!?;])\s+|\n+"
_DIGITS = 16
_LEAST_CHARS = 20
"""Shorter sentences are anybody's."""


def note(folder: str, name: str, ids: "list[str]", texts: "list[str]") -> None:
    """Remember that a session was told these entries."""
    lines = [f"id {one}" for one in ids]
    lines += [f"said {_print(sentence)}" for text in texts for sentence in re.split(_END, text) if _long(sentence)]
    marks.add(folder, name, marks.TOLD, "".join(f"{line}\n" for line in lines))


def begin_anew(folder: str, name: str) -> None:
    """Forget what a session was told: its context was cleared or compacted. What it may repeat is still known."""
    said = sorted(echoes(folder, name))
    marks.write(folder, name, marks.TOLD, "".join(f"said {one}\n" for one in said))


def ids(folder: str, name: str) -> "frozenset[str]":
    """Return the short ids of what a session was told."""
    return _lines(folder, name, "id ")


def echoes(folder: str, name: str) -> "frozenset[str]":
    """Return the fingerprints of the sentences that a session was told."""
    return _lines(folder, name, "said ")


def without_echo(text: str, echoed: "frozenset[str]") -> str:
    """Return a reply without the sentences that the agent was told."""
    if not echoed:
        return text
    pieces = re.split(f"({_END})", text)
    kept = [piece for piece in pieces if not (_long(piece) and _print(piece) in echoed)]
    return "".join(kept).strip()


def _lines(folder: str, name: str, lead: str) -> "frozenset[str]":
    text = marks.read(folder, name, marks.TOLD)
    return frozenset(line.removeprefix(lead) for line in text.splitlines() if line.startswith(lead))


def _long(sentence: str) -> bool:
    return len(sentence.strip()) >= _LEAST_CHARS


def _print(sentence: str) -> str:
    """Return what two tellings of one sentence have in common: letters and digits, in lower case."""
    return digest(" ".join(re.findall(r"\w+", sentence.lower())))[:_DIGITS]
