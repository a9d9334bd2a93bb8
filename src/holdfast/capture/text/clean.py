"""A caller's text as it may be kept: without private blocks, normalised, without secrets.

The one door between what was said and what is stored: every field of every write goes through a `Cleaner`. When
the redactor fails the text is refused, never kept as it was. Light: shared with hooks.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from holdfast.capture.text.redact import cut, redact
from holdfast.errors import NotRedacted
from holdfast.model.ids import digest_bytes
from holdfast.model.limits import NAME_CHARS

Redactor = Callable[[str, tuple[str, ...]], tuple[str, tuple[tuple[str, int], ...]]]

# A string, which `re` compiles and keeps on first use: a process that sees no `<` never needs it.
_TAG = r"(?i)<\s*+(?P<closing>/\s*+)?private(?![\w.-])[^<>]*+(?P<end>>)?"


def strip_from(text: str, depth: int) -> tuple[str, int]:
    """Strip a text that begins `depth` blocks deep; also return how deep it ends.

    For text that arrives in pieces (turns, stream chunks): pass the depth on to the next piece.
    """
    if "<" not in text:
        return ("" if depth else text), depth
    parts, depth = _outside(normalise(text), depth)
    return _without_tags("".join(parts)), depth


def _outside(text: str, depth: int) -> tuple[list[str], int]:
    parts: list[str] = []
    position = 0
    for tag in re.finditer(_TAG, text):
        if depth == 0:
            parts.append(text[position : tag.start()])
        if not tag["closing"]:
            depth += 1
        elif depth == 0:
            parts.clear()
        elif tag["end"]:
            depth -= 1
        position = tag.end()
    if depth == 0:
        parts.append(text[position:])
    return parts, depth


def _without_tags(text: str) -> str:
    """Keep the stretch after the last closer and before the next opener; without tags that is everything."""
    start, end = 0, len(text)
    for tag in re.finditer(_TAG, text):
        if tag["closing"]:
            start, end = tag.end(), len(text)
        else:
            end = min(end, tag.start())
    return text[start:end]


def depth_after(text: str, start: int, depth: int) -> int:
    """Return how many blocks are open at the end of a text that is `depth` deep at `start`, copying none of it."""
    last = text.rfind("<", 0, start)
    if last >= 0 and not re.compile(_TAG).match(text, last, start):
        start = last  # a tag may lie across the start
    for tag in re.compile(_TAG).finditer(text, start):
        if not tag["closing"]:
            depth += 1
        elif depth and tag["end"]:
            depth -= 1
    return depth


MARKS_IN_A_ROW = 30

# Patterns stay strings: `re` compiles and keeps them on first use, and most hook processes never need them.
# One pass, and every introducer is itself unwanted, so what is left cannot form a new sequence.
_ESCAPE = (
    r"(?:\x1b\[|\x9b)[0-?]*+[ -/]*+[@-~]"  # CSI
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])(?:[^\x07\x1b\x9c\r\n]*+(?:\x07|\x1b\\|\x9c))?"  # OSC, DCS …
    r"|\x1b(?:[ -/]*+[0-~])?"  # the other escapes
)
_LONE_SURROGATE = "[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]"
_LONG_ROW = f"[\u0300-\U0010ffff]{{{MARKS_IN_A_ROW + 1},}}"
_EXCESS = rb"[^\0]{%d}(?P<excess>[^\0]+)" % MARKS_IN_A_ROW  # over combining classes; 0: not a mark

# First and last code point of what is invisible, turns the direction of text, or is no character at all.
# Not in it: visible format characters such as Arabic number signs.
_UNWANTED_RANGES = (
    (0x7F, 0x84), (0x86, 0x9F), (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160),
    (0x17B4, 0x17B5), (0x180B, 0x180F), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F),
    (0x3164, 0x3164), (0xFDD0, 0xFDEF), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFFB),
    (0x13430, 0x1345F), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
    *((plane + 0xFFFE, plane + 0xFFFF) for plane in range(0, 0x110000, 0x10000)),
)  # fmt: skip
_SPACES = "\xa0\u1680\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))

_ascii: dict[int, str | None] = dict.fromkeys((*range(9), *range(14, 32), 127)) | dict.fromkeys((11, 12, 13), "\n")
_unicode: dict[int, str | None] = {}


def as_words(text: str) -> str:
    """Return the words of a text with one blank between them: what two tellings of the same share."""
    if not text.isascii():
        import unicodedata

        text = unicodedata.normalize("NFKC", text)
    return " ".join(re.findall(r"\w+", text.casefold()))


def normalise(text: str) -> str:
    """Return `text` without anything invisible, in NFC, with `\\n` line ends. Never raises."""
    text = text.replace("\r\n", "\n")
    if text.isascii():
        return _without_escapes(text).translate(_ascii)
    return _compose(_without_escapes(_repair(text)).translate(_table()))


def _without_escapes(text: str) -> str:
    return re.sub(_ESCAPE, "", text) if "\x1b" in text or not text.isascii() else text


def _repair(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        whole = re.sub(_LONE_SURROGATE, "\ufffd", text)
        return whole.encode("utf-16-le", "surrogatepass").decode("utf-16-le")  # joins the halves of pairs
    return text


def _table() -> dict[int, str | None]:
    if not _unicode:
        _unicode.update(_ascii)
        for first, last in _UNWANTED_RANGES:
            _unicode.update(dict.fromkeys(range(first, last + 1)))
        _unicode.update(dict.fromkeys(map(ord, "\x85\u2028\u2029"), "\n"))
        _unicode.update(dict.fromkeys(map(ord, _SPACES), " "))
    return _unicode


def _compose(text: str) -> str:
    from unicodedata import normalize  # here: ASCII text, the common case in a hook, does without

    # Cut twice: before, to bound the time; after, because a few marks decompose into two.
    return _cut_rows(normalize("NFC", _cut_rows(text)))


def _cut_rows(text: str) -> str:
    return re.sub(_LONG_ROW, _cut_row, text)


def _cut_row(match: re.Match[str]) -> str:
    from unicodedata import combining

    row, parts, position = match.group(), [], 0
    for excess in re.finditer(_EXCESS, bytes(map(combining, row))):
        parts.append(row[position : excess.start("excess")])
        position = excess.end()
    parts.append(row[position:])
    return "".join(parts)


WORD_CHARS = 15
"""A word of up to so many letters has no room for a secret, and most labels are one."""

ECHO_CHARS = 60
_MOST_LABELS = 256
_READ_FOR_ECHO = 4_096
_LONG_NUMBER = 9  # digits of the shortest number that is personal data


class Cleaner:
    """strip → normalise → redact, for every shape that texts come in."""

    def __init__(self, allow: Iterable[str] = (), redactor: Redactor = redact) -> None:
        self._allow = tuple(allow)
        self._redactor = redactor
        self._known_labels: dict[str, str] = {}

    def text(self, text: str) -> str:
        """Clean a text."""
        return self.piece(text, 0)[0]

    def piece(self, text: str, depth: int) -> tuple[str, int]:
        """Clean a text that begins inside so many private blocks; also return inside how many it ends."""
        public, depth = strip_from(text, depth)
        return self.redacted(normalise(public)).strip(), depth

    def redacted(self, text: str) -> str:
        """Put placeholders in place of secrets."""
        return text if _is_word(text) else self.found(text)[0]

    def found(self, text: str) -> tuple[str, tuple[tuple[str, int], ...]]:
        """Put placeholders in place of secrets, and say how many of each sort there were."""
        try:
            return self._redactor(text, self._allow)
        except Exception as error:
            # The cause is cut off: its message or its frames may hold the text.
            raise NotRedacted(problem=type(error).__name__) from None

    def label(self, name: str) -> str:
        """Clean a short text and put it on one line; the same ones come with every entry of a file."""
        known_label = self._known_labels.get(name)
        if known_label is not None:
            return known_label
        label = " ".join(self.text(name).split("\n")).replace("\t", " ").strip()
        if len(name) <= NAME_CHARS:
            if len(self._known_labels) >= _MOST_LABELS:
                self._known_labels.clear()
            self._known_labels[name] = label
        return label

    def labels(self, names: Iterable[str]) -> tuple[str, ...]:
        """Clean short texts; each comes once, in the order given, and what has nothing left goes."""
        return tuple(dict.fromkeys(name for name in map(self.label, names) if name))

    def ref(self, ref: str) -> str:
        """Clean a caller's own key. Keys that differ in a secret only stay apart by two bytes of a hash."""
        clean = self.label(ref)
        if clean == ref.strip():
            return clean
        return f"{clean}#{digest_bytes(ref.encode(errors='replace'))[:4]}"

    def json(self, value: Mapping[Any, Any]) -> dict[str, object]:
        """Clean an object: its names, its values, and its values in the light of their names."""
        named_values = [(self.text(str(name)), item) for name, item in value.items()]
        return {name: self._value(name, item) for name, item in named_values if name}

    def _value(self, name: str, value: object) -> object:
        match value:
            case str():
                return self._redact_named(name, self.text(value))
            case dict():
                return self.json(value)
            case list() | tuple():
                return [self._value(name, item) for item in value]
            case int() if len(str(value)) >= _LONG_NUMBER:
                clean = self.redacted(str(value))
                return value if clean == str(value) else clean
            case _:
                return value

    def _redact_named(self, name: str, value: str) -> str:
        """Redact a value that only its name gives away, as in {"password": "tulip"}."""
        before, after = f'{name} = "', '"'
        redacted_text, rule_counts = self.found(f"{before}{value}{after}") if value else ("", ())
        if not rule_counts:
            return value
        if redacted_text.startswith(before) and redacted_text.endswith(after):
            return redacted_text[len(before) : -len(after)]
        return f"[REDACTED:{rule_counts[0][0]}]"


def echo(value: object, most: int = ECHO_CHARS) -> object:
    """Return a caller's value as an error may show it: short, and without what may not be kept."""
    if value is None or isinstance(value, bool | int | float):
        return value
    try:
        text = cut(value if isinstance(value, str) else repr(value), max(_READ_FOR_ECHO, most))[0]
        safe_text = redact(normalise(strip_from(text, 0)[0]))[0]
    except Exception:  # an error is being told already: it is told without the value
        return type(value).__name__
    return safe_text if len(safe_text) <= most else safe_text[: most - 1] + "…"


def quote(value: object) -> str:
    """Return a caller's value in quotes, where it is a text, as an error may show it."""
    return repr(echo(value)) if isinstance(value, str) else str(echo(value))


def _is_word(text: str) -> bool:
    return len(text) <= WORD_CHARS and text.isalpha()
