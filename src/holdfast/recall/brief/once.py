"""Each thing once: no saying, no thread and no summary repeats a rule.

Lives here: telling that one sentence repeats another, word for word but for its frame ("please remember that …").
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from holdfast.model.memory import Memory
from holdfast.model.patterns import regex

if TYPE_CHECKING:
    from holdfast.recall.brief.notes import BriefNote

LEAST_WORDS = 3
"""Words below which a sentence that stands within another one is a coincidence."""

FRAME = 0.35
"""The share of a sentence's words that may stand around what was told already: "please remember that …"."""

FILES = "Changed"
"""The line of a summary that names files: they are no statements."""

BETWEEN = " · "
"""What stands between the entries of one line of a summary."""

DENIALS = frozenset(
    "no not never don don't dont doesn't without stop avoid quit neither nor but except only".split()
)
"""Words that turn a statement round: a frame that holds one says something else."""

_WORD = regex(r"\w+(?:['’]\w+)?|[#+<>=≤≥%€$]+")
_COUNT = regex(r"\(\d+ more\)")


def unrepeated_memories(memories: Sequence[Memory], earlier_memories: Iterable[Memory]) -> list[Memory]:
    """Return memories without those that say word for word what another one before them says."""
    told_plain = {_plain(memory.content) for memory in earlier_memories}
    unique_memories: list[Memory] = []
    for memory in memories:
        plain = _plain(memory.content)
        if plain not in told_plain:
            unique_memories.append(memory)
            told_plain.add(plain)
    return unique_memories


def unrepeated_summaries(summaries: "Sequence[BriefNote]", told_texts: Sequence[str]) -> "list[BriefNote]":
    """Return summaries without entries that were told already or stand in an earlier line; drop the empty ones."""
    told_plain = [_plain(text) for text in told_texts]
    shortened = [replace(note, text=_unrepeated(note.text, told_plain)) for note in summaries]
    return [note for note in shortened if note.text]


def repeats_any(text: str, told_texts: Iterable[str]) -> bool:
    """Return whether a text says, word for word, no more than one that was told."""
    plain = _plain(text)
    return any(_repeats(plain, _plain(told)) for told in told_texts)


def _unrepeated(text: str, told_plain: list[str]) -> str:
    told_plain = list(told_plain)
    lines = []
    for line in text.splitlines():
        name, colon, rest = line.partition(": ")
        if not colon or name == FILES:
            lines.append(line)
            continue
        entries = []
        for entry in rest.split(BETWEEN):
            plain = _plain(entry.rpartition(" ")[0] if entry.endswith("…") else entry)  # cut within a word
            if not any(_repeats(plain, told) for told in told_plain):
                entries.append(entry)
                told_plain.append(plain)
        if any(not _COUNT.fullmatch(entry) for entry in entries):
            lines.append(f"{name}: {BETWEEN.join(entries)}")
    return "\n".join(lines)


def _repeats(plain: str, told: str) -> bool:
    """Return whether a sentence stands in what was told, or frames it in a few words; a denial is no frame."""
    shorter, longer = sorted((plain, told), key=len)
    before, match, after = f" {longer} ".partition(f" {shorter} ")
    if not match or not DENIALS.isdisjoint(f"{before} {after}".split()):
        return False
    words, told_words = plain.count(" ") + 1, told.count(" ") + 1
    if shorter == plain:
        return words >= LEAST_WORDS
    return LEAST_WORDS <= told_words >= words * (1 - FRAME)


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(text.lower().replace("’", "'")))
