r"""Turn any text into clean text: what a person can see, and nothing that only a machine reads.

Repair of broken code points, line ends, removal of terminal escapes and invisible characters, canonical
composition. Not here: privacy (`strip`), secrets (`redact`), case and white space (`fingerprint`). Light: shared
with hooks; `unicodedata` is loaded when a text is not ASCII.

What was decided, and why:

- **NFC, not NFKC.** One spelling per character, but `x²`, `ﬁ` and full-width forms keep their meaning in
  code.
- **Zero-width joiners go too**, and with them variation selectors: a joined emoji falls apart into its
  visible parts. Both can carry hidden text, and no memory needs them. The cost is borne knowingly: scripts
  that use joiners (Persian, several Indic ones) lose a hint about letter shape, not a letter.
- **Tabs and newlines stay.** CR, CRLF, VT, FF, NEL and the Unicode line and paragraph separators become
  `\n`; every other Unicode space becomes a plain space, so that no rule is dodged by an exotic blank.
- **Escapes** (CSI, OSC and the other string sequences, 7 and 8 bit) go with their parameters. A string
  sequence ends at its terminator; when that is missing on the same line only the introducer goes, so that
  nothing can hide the rest.
- **A lone surrogate becomes U+FFFD**; a pair that was written as two halves is joined.
- **At most 30 combining marks in a row** stay (the limit of the Stream-Safe Text Format): composition takes
  quadratic time on longer rows, and nobody can read them.

The result is stable: normalising it again changes nothing.
"""

import re

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
