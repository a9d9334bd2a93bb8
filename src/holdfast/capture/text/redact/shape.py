"""What a string looks like: random or written by a person.

Pure functions over short strings, used only behind a keyword, an assignment or a known prefix. Entropy alone
cannot tell a hex key (at most 4.0 bits a character) from a file path, so letters are also judged by the pairs
they form: "kz", "qf" and "xj" hardly occur in English or in identifiers, random letters are full of them.

No rule, keyword or token format belongs here.
"""

# For each letter, the letters that follow it at least three times in 10,000 pairs, counted over the distinct
# words of the standard library's source and documentation.
_USUAL_PAIRS = {
    "a": "bcdfgiklmnprstuvwxy", "b": "acdeijloprsuy", "c": "acdehiklmoprstuvy", "d": "abcdefilnoprstu",
    "e": "abcdefghiklmnopqrstuvwxy", "f": "adefilorstuy", "g": "aeghilmnorstu", "h": "aeilorstu",
    "i": "abcdefglmnoprstvxz", "j": "eou", "k": "aegilsw", "l": "acdefilnopstuvy", "m": "abdeilmopstu",
    "n": "acdefgiklmnopstuvy", "o": "abcdefgiklmnoprstuvwx", "p": "acdefhiloprstuy", "q": "u",
    "r": "abcdefgiklmnoprstuvy", "s": "acdefghiklmnoprstuwy", "t": "abcdefhilmnoprstuvwyz",
    "u": "abcdefgilmnoprst", "v": "aeio", "w": "aehinors", "x": "acefipt", "y": "eimnpst", "z": "aeio",
}  # fmt: skip
_ODD = frozenset(a + b for a in _USUAL_PAIRS for b in _USUAL_PAIRS if b not in _USUAL_PAIRS[a])
_SMALL = frozenset("abcdefghijklmnopqrstuvwxyz")
_CAPITALS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_LETTERS = _SMALL | _CAPITALS
_DIGITS = frozenset("0123456789")
_TO_SPACES = {code: " " for code in range(256) if chr(code) not in _LETTERS}
# Every character as its kind: 9 for a digit, a for a letter, - for the rest.
_KINDS = (
    dict.fromkeys(_TO_SPACES, "-") | dict.fromkeys(map(ord, _DIGITS), "9") | dict.fromkeys(map(ord, _LETTERS), "a")
)
_HEX = frozenset("0123456789abcdefABCDEF")
_UUID_DASHES = (8, 13, 18, 23)


def entropy(text: str) -> float:
    """Return the Shannon entropy of the text's characters, in bits per character."""
    from math import log2

    size = len(text)
    return -sum(n / size * log2(n / size) for n in map(text.count, set(text))) if size else 0.0


def words_of(text: str) -> list[str]:
    """Split an identifier into lower-case words; a capital after a small letter starts a new one."""
    words = text.translate(_TO_SPACES).split()
    if text.islower() or text.isupper():
        return [word.lower() for word in words]
    return [part.lower() for word in words for part in _humps(word)]


def _humps(word: str) -> list[str]:
    parts: list[str] = []
    start = 0
    for place in range(1, len(word)):
        if word[place] in _CAPITALS and word[place - 1] in _SMALL:
            parts.append(word[start:place])
            start = place
    return [*parts, word[start:]]


def odd_pairs(word: str) -> tuple[int, int]:
    """Count the letter pairs of a lower-case word that people hardly ever write, and all its pairs."""
    pairs = list(map(str.__add__, word, word[1:]))
    return len([pair for pair in pairs if pair in _ODD]), len(pairs)


def is_gibberish(text: str) -> bool:
    """Say whether the letters of the text look drawn at random rather than written."""
    odd = pairs = 0
    for word in words_of(text):
        word_odd, word_pairs = odd_pairs(word)
        odd, pairs = odd + word_odd, pairs + word_pairs
    return odd >= 2 and odd * 4 >= pairs


def is_word(text: str) -> bool:
    """Say whether there are letters only; bytes beyond ASCII, decoded one by one, are parts of letters."""
    return all(c in _LETTERS or c > "\x7f" for c in text)


def is_hex(text: str) -> bool:
    """Say whether only hexadecimal digits occur."""
    return _HEX.issuperset(text)


def is_uuid(text: str) -> bool:
    """Say whether the text has the 8-4-4-4-12 form of a UUID."""
    return len(text) == 36 and all(text[i] == "-" for i in _UUID_DASHES) and is_hex(text.replace("-", ""))


def kinds_of(text: str) -> tuple[bool, bool, bool]:
    """Report whether digits, small letters and capitals occur."""
    return not _DIGITS.isdisjoint(text), not _SMALL.isdisjoint(text), not _CAPITALS.isdisjoint(text)


def is_random(text: str) -> bool:
    """Say whether the text looks generated: hex, a UUID, digits mixed into letters, or gibberish."""
    digits, small, capitals = kinds_of(text)
    if is_uuid(text):
        return entropy(text) > 2.5
    if is_hex(text) and len(text) >= (12 if digits and (small or capitals) else 16):
        return entropy(text) > 2.5
    if digits and (small or capitals):
        return _digits_are_mixed_in(text) and entropy(text) > 2.7
    if small and capitals and len(text) >= 20 and entropy(text) > 3.8:
        return is_gibberish(text)
    return len(text) >= 8 and is_gibberish(text)


def _digits_are_mixed_in(text: str) -> bool:
    """Tell `x7fq2z` from `version2`, `utf8_test` and `2024-01-02T10`."""
    kinds = text.translate(_KINDS)
    turns = kinds.replace("9a", "9 a").replace("a9", "a 9").count(" ")
    return turns >= 3 or is_gibberish(text) or (turns == 2 and entropy(text) > 3.2)
