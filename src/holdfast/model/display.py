"""Remembered text as it is shown: its title, shortened, and without what nobody would see.

What a person would not see, a model reads and a terminal obeys.
"""

from holdfast.model.limits import TITLE_CHARS
from holdfast.model.patterns import regex

_SENTENCE_END = regex(r"[.!?…](?=\s|$)|[。！？]")
_MARKUP = regex(r"^(?:#{1,6}\s+|[-*+>]\s+|\d{1,3}[.)]\s+)+")
_HIDDEN = regex(
    "\x1b\\[[0-?]*[ -/]*[@-~]"  # terminal sequences
    "|[\x00-\x08\x0b-\x1f\x7f-\x9f]"  # control
    "|[\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]"  # zero width, bidi
    "|[\U000e0000-\U000e007f]"  # tags, which spell text that nobody sees
)


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


def clean(text: str) -> str:
    """Return text without control, bidi, zero-width and tag characters; line ends and tabs stay."""
    return _HIDDEN.sub("", text)


def line(text: str) -> str:
    """Return text on one line."""
    return " ".join(clean(text).split())
