"""With which words a form of speech can begin: where a sentence has none, nobody compiles the form.

Compiling the forms takes twenty times as long as searching one prompt for them, and a hook's process lives for one
prompt. Read off the pattern itself, so that nothing has to be kept in step by hand. Light.
"""

from collections.abc import Iterator
from functools import lru_cache

from holdfast.model.patterns import regex

Leads = tuple[frozenset[str], tuple[str, ...]]
"""Whole words, and beginnings of words."""

_WORD = regex(r"\w+")
_SIGN = regex(r"\\.|\[\^?\]?[^\]]*\]|[(|)]")
"""What parts a pattern, and what must not be taken for it: an escaped sign, a class of signs."""

_OPTIONAL = ("?", "*", "{")
"""Signs after which what stands before them may be missing."""


def leads_of(alternatives: str) -> Leads | None:
    """Return what a match of any of these alternatives begins with; None where that can be anything."""
    whole: set[str] = set()
    parts: set[str] = set()
    for letters, rest in _beginnings(alternatives, ""):
        if not letters:
            return None
        (whole if _is_word(rest) else parts).add(letters)
    return frozenset(whole), tuple(parts)


def may_begin(leads: Leads, text: str) -> bool:
    """Say whether a text has a word that a match can begin with."""
    words = _words(text)
    return not words.isdisjoint(leads[0]) or any(word.startswith(leads[1]) for word in words)


@lru_cache(maxsize=64)
def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text))


def _is_word(rest: str) -> bool:
    """Say whether letters are a whole word, by what follows them: nothing, or what no word goes on with."""
    if rest.startswith("(?:"):
        end = _closing(rest)
        times, following = _times(rest[end + 1 :])
        return all(map(_is_word, _alternatives(rest[3:end]))) and (times not in _OPTIONAL or _is_word(following))
    sign = rest[:1] in (" ", "'") and rest[1:2] not in _OPTIONAL
    return rest == "" or sign or rest.startswith(r"\b")


def _beginnings(pattern: str, after: str) -> Iterator[tuple[str, str]]:
    """Yield the letters that each alternative begins with, and what follows them; no letters: anything may."""
    for alternative in _alternatives(pattern):
        if not alternative.startswith("(?"):
            yield from _leading_letters(alternative, after)
            continue
        end = _closing(alternative)
        times, rest = _times(alternative[end + 1 :])
        if alternative.startswith("(?:"):
            yield from _beginnings(alternative[3:end], rest + after)
        if not alternative.startswith("(?:") or times in _OPTIONAL:  # what only looks, or may be left out
            yield from _beginnings(rest, after)


def _times(rest: str) -> tuple[str, str]:
    """Part what stands behind a group: the sign that says how often it comes, if there is one, and the rest."""
    if rest[:1] == "{":
        return "{", rest.partition("}")[2].removeprefix("?")
    return (rest[0], rest[1:].removeprefix("?")) if rest[:1] in ("?", "*", "+") else ("", rest)


def _leading_letters(pattern: str, after: str) -> Iterator[tuple[str, str]]:
    """Yield the letters that a pattern begins with; with and without the last of them where it is optional."""
    size = next((place for place, sign in enumerate(pattern) if not ("a" <= sign <= "z")), len(pattern))
    letters, rest = pattern[:size], pattern[size:] + after
    if rest[:1] in _OPTIONAL:
        yield letters[:-1], rest[1:] if rest[0] == "?" else rest
    if rest[:1] not in ("*", "{"):
        yield letters, rest.removeprefix("?")


def _alternatives(pattern: str) -> Iterator[str]:
    """Yield the alternatives of a pattern."""
    start = depth = 0
    for place, sign in _signs(pattern):
        depth += (sign == "(") - (sign == ")")
        if sign == "|" and depth == 0:
            yield pattern[start:place]
            start = place + 1
    yield pattern[start:]


def _closing(pattern: str) -> int:
    """Return where the group ends that a pattern begins with."""
    depth = 0
    for place, sign in _signs(pattern):
        depth += (sign == "(") - (sign == ")")
        if depth == 0:
            return place
    raise ValueError(f"no group: {pattern}")


def _signs(pattern: str) -> Iterator[tuple[int, str]]:
    """Yield the brackets and bars of a pattern with their places; none that is escaped or in a class."""
    return ((match.start(), match[0]) for match in _SIGN.finditer(pattern) if match[0] in "(|)")
