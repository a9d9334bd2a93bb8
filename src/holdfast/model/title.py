"""The title a text gets when the caller gives none, and how a text is shortened for show."""

from holdfast.model.limits import TITLE_CHARS
from holdfast.model.patterns import regex

_SENTENCE_END = regex(r"[.!?…](?=\s|$)|[。！？]")
_MARKUP = regex(r"^(?:#{1,6}\s+|[-*+>]\s+|\d{1,3}[.)]\s+)+")


def title_of(content: str) -> str:
    """Return the first sentence, without Markdown's marks, at most 80 characters."""
    first = next((line for line in map(str.strip, content.splitlines()) if line), "")
    line = _MARKUP.sub("", first).strip() or first
    end = _SENTENCE_END.search(line)
    return shorten(line[: end.start()] if end and end.start() else line, TITLE_CHARS)


def shorten(text: str, most: int) -> str:
    """Cut a text to a length at a word's end, with a mark that says so; line breaks become blanks."""
    flat = " ".join(text.split())
    if len(flat) <= most:
        return flat
    head = flat[: most - 1]
    blank = head.rfind(" ")
    return (head[:blank] if blank > most // 2 else head).rstrip() + "…"
