"""What a text becomes in an index: FTS5's own tokenizer, and the parts of joined identifiers.

Every backend uses this one analyser, so that they rank alike. Light: shared with hooks.
"""

from collections.abc import Iterable

import apsw

from holdfast.model.patterns import regex

TOKENIZER = ("porter", "unicode61")

_ENDINGS = ("", "e", "l", "ness")
"""What a stem needs to be a word that has this stem: of 13,000 English ones 12,764 nothing, the rest an e."""

_WORD = regex(r"[^\W_]+")
_PART = regex(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")

_tokenize = apsw.Connection(":memory:").fts5_tokenizer(TOKENIZER[0], [TOKENIZER[1]])
_fold = apsw.Connection(":memory:").fts5_tokenizer(TOKENIZER[1], [])


def tokens(text: str) -> list[str]:
    """Return the index forms (case folded, accents off, stemmed) of a text's words, in order."""
    return _tokenize(  # type: ignore[return-value]  # without offsets and colocated forms: plain texts
        text.encode(), apsw.FTS5_TOKENIZE_DOCUMENT, None, include_offsets=False, include_colocated=False
    )


def words(text: str) -> list[tuple[str, str]]:
    """Return each word of a text with its index form, a joined identifier followed by its parts."""
    raw = text.encode()
    pairs = []
    spans: Iterable[tuple[int, int, str]] = _tokenize(  # type: ignore[assignment]  # one form for each place
        raw, apsw.FTS5_TOKENIZE_DOCUMENT, None
    )
    for start, end, stem in spans:
        word = raw[start:end].decode()
        pairs.append((word, stem))
        for part in parts(word):
            pairs.extend((part, form) for form in tokens(part))
    return pairs


def fold_word(word: str) -> str:
    """Return a word as the index would hold it if it did not stem: case folded, accents off."""
    forms: Iterable[str] = _fold(  # type: ignore[assignment]  # plain texts, as above
        word.encode(), apsw.FTS5_TOKENIZE_DOCUMENT, None, include_offsets=False, include_colocated=False
    )
    return "".join(forms)


def spelt(form: str) -> str | None:
    """Return a word that has this index form. The form itself may have another: stemming twice is not stemming."""
    spellings = [form + ending for ending in _ENDINGS]
    return next((word for word in spellings if tokens(word) == [form]), None)


def parts(word: str) -> list[str]:
    """Split camelCase, PascalCase and letter-digit joints of an ASCII word; nothing for a plain one."""
    if _plain(word) or not word.isascii():
        return []
    pieces = _PART.findall(word)
    return pieces if len(pieces) > 1 else []


def identifiers(*texts: str) -> str:
    """Return the parts of every joined identifier in the texts, once each: what the index adds to them."""
    identifier_parts: dict[str, None] = {}
    for text in texts:
        for word in dict.fromkeys(_WORD.findall(text)):
            if not _plain(word):
                identifier_parts.update(dict.fromkeys(parts(word)))
    return " ".join(identifier_parts)


def _plain(word: str) -> bool:
    """Say whether a word has no joint: letters only, none of them a capital inside."""
    return word.isalpha() and (word[1:].islower() or word.isupper() or len(word) == 1)
