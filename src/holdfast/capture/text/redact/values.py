"""Is the value behind a name a secret?

That depends on how much the name promises and on who owns it (`keys`), on how the value is given to it and on what
the value looks like (`shape`). Entropy is only ever used here, behind a name. Where values are found in a text is
not decided here.
"""

from holdfast.capture.text.redact.keys import LIKELY, STRONG, owner_of, strength
from holdfast.capture.text.redact.prefilter import VERBS
from holdfast.capture.text.redact.shape import (
    entropy,
    is_gibberish,
    is_placeholder,
    is_random,
    is_variable,
    is_word,
    kinds_of,
    odd_pairs,
    words_of,
)

_DIGITS = frozenset("0123456789")
_MOST_NUMBERED = 2  # digits behind a name, as in `worker12`
_NUMBER_CHARS = 10  # of a 32-bit number in hexadecimal
_CODE_MARKS = ("(", "->", "::", "=>", "&&", "||", "\\n", "!=", "==", "+=", "/*", "//")
_PATTERN_MARKS = ("]+", "]*", "[^", "a-z", "A-Z", "0-9", "\\w", "\\d")
# The first characters of a value tell what it is.
_MOST_JUDGED = 120
# Verdicts on the text at hand, for text that repeats itself; forgotten after each text, so no secret stays.
_verdicts: dict[tuple[str, str, str, bool], str] = {}
_MOST_VERDICTS = 4_000


def forget() -> None:
    """Drop the verdicts, and with them the values that were judged."""
    _verdicts.clear()


def rule_for(key: str, operator: str, value: str, quoted: bool) -> str:
    """Return the rule under which the value is a secret, or nothing."""
    question = (key, operator, value, quoted)
    verdict = _verdicts.get(question)
    if verdict is None:
        if len(_verdicts) >= _MOST_VERDICTS:
            _verdicts.clear()
        verdict = _verdicts[question] = _verdict(key, operator, value.strip()[:_MOST_JUDGED], quoted)
    return verdict


def _verdict(key: str, operator: str, value: str, is_quoted: bool) -> str:
    level, name = strength(key)
    if not level or len(value) < 4:
        return ""
    if _is_verb(key, operator) or (not is_quoted and _is_said(key, operator, value)):
        return ""
    if value[0] + value[-1] == "{}" and not is_variable(value):
        value = value[1:-1]
    owner = owner_of(key.lower(), value)
    if owner and _looks_issued(value) and not is_placeholder(value, key):
        return owner
    if level == STRONG:
        is_secret = _is_password(key, operator, value, is_quoted)
    elif level == LIKELY:
        is_secret = _is_token(value) or (is_quoted and len(value) >= 12 and _is_punctuated(value))
    else:
        is_secret = len(value) >= 16 and _is_token(value) and entropy(value) > 3.0
    return name if is_secret and not _repeats(key, value) and not is_placeholder(value, key) else ""


def _is_verb(key: str, operator: str) -> bool:
    """Recognise the verb, as in: pass `check=True` to it."""
    return key.lower() == "pass" and operator.strip(" \t\"'`") in ("", "to")


def _is_said(key: str, operator: str, value: str) -> bool:
    """Recognise prose (`the password is required`), test results (`PASS: TestX`) and name spaces (`pw:api`)."""
    if value.isalpha() and operator.strip(" \t:") in VERBS:
        return True
    may_be_name = (key, operator[:1]) == ("PASS", ":") or (key, operator) == ("pw", ":")
    return may_be_name and _is_name(value)


def _is_name(value: str) -> bool:
    """Recognise the name of a test or of a part of a program: `test_login`, `src/a.test.ts`, `webserver7`."""
    parts = value.replace("-", "_").split("_")
    has_word_parts = len(parts) > 2 and all(is_word(part) or len(part) <= _MOST_NUMBERED + 1 for part in parts)
    if _is_identifier(value) or _is_path(value) or (has_word_parts and not is_gibberish(value)):
        return True
    stem = value.rstrip("0123456789")
    is_numbered = is_word(stem) and (stem.islower() or stem.istitle()) and len(value) - len(stem) <= _MOST_NUMBERED
    return is_numbered and not is_gibberish(stem)


def _repeats(key: str, value: str) -> bool:
    """Recognise `"CreateSecret": "secretsmanager:CreateSecret"`."""
    told_twice = len(key) > 5 and key.lower() in value.lower()
    return told_twice and (_DIGITS.isdisjoint(value) or len(words_of(key)) > 1)


def _looks_issued(value: str) -> bool:
    return entropy(value) > 2.2 and (kinds_of(value)[0] or is_gibberish(value))


def _is_token(value: str) -> bool:
    """Accept what a machine issued: long enough, random, and no path, name, version or expression."""
    if len(value) < 8 or len(value.split()) > 1 or _is_code(value) or _is_path(value) or _is_identifier(value):
        return False
    if value.isdigit():
        return len(value) >= 14
    if is_word(value) and value.istitle():
        return False
    return is_random(value)


def _is_password(key: str, operator: str, value: str, is_quoted: bool) -> bool:
    """Accept what a person may have chosen, depending on how plainly the form shows a literal value."""
    if len(value.split()) > 1:
        return is_quoted and is_gibberish(value) and not _is_code(value)
    if _is_label(value):
        return False
    if is_quoted and not operator.startswith(","):
        return not _is_reference(value)
    if _is_code(value) or _is_path(value) or _is_identifier(value):
        return False
    if operator == "=" and key.isupper():
        return not _is_reference(value)
    if key.startswith("-") and not operator.strip(" ="):
        return not _is_reference(value)
    digits, small, capitals = kinds_of(value)
    is_mixed = digits and (small or capitals) and len(value) >= 6
    return is_random(value) or is_gibberish(value) or (is_mixed and not _is_reference(value))


def _is_label(value: str) -> bool:
    """Recognise a word of a user interface: `Passwort`, `Has\u0142o:`. Bytes beyond ASCII are letters here."""
    word = value.rstrip(":*?!. ")
    if not is_word(word):
        return False
    return not word.isascii() or (word.istitle() and not is_gibberish(word))


def _is_identifier(value: str) -> bool:
    """Recognise the name of a type or a variable: `StorageKey`, `token_kind`, `x25519.PrivateKey`.

    Its words are of some length and it has more than one; the letters of a token change case more often.
    """
    words = words_of(value)
    if not all(c.isalnum() or c in "_.:" for c in value) or len(words) < 2:
        return False
    if value.isupper():
        return "_" in value and not is_gibberish(value)
    size = sum(map(len, words))
    if _DIGITS.isdisjoint(value):
        return size >= 4 * len(words) and 3 * sum(odd_pairs(word)[0] for word in words) < size
    long = [word for word in words if len(word) > 2 and word.title() in value and not odd_pairs(word)[0]]
    return len(long) > 1 and 5 * sum(map(len, long)) >= 3 * size


def _is_reference(value: str) -> bool:
    """Recognise names of things: `secretsmanager:Get`, `user.password`, `/run/secrets/db`."""
    if value.startswith(("/", "./", "../", "~/", "http://", "https://", "#", "--", "arn:")) and not is_random(
        value
    ):
        return True
    if _is_path(value) or value.endswith(("()", ");")):
        return True
    is_separated = any(c in value for c in "._:-/") or len(words_of(value)) > 1
    return is_separated and _DIGITS.isdisjoint(value) and _is_plain(value) and not is_gibberish(value)


def _is_punctuated(value: str) -> bool:
    """Recognise a password full of signs, which only looks like code: three kinds of sign and few of each."""
    signs = {c for c in value if not c.isalnum() and c not in "._-/:,"}
    code = value.endswith((")", ");")) or "${{" in value or _is_pattern(value)
    return len(signs) >= 3 and " " not in value and not code


def _is_plain(value: str) -> bool:
    return all(c.isalnum() or c in "._:-/" for c in value)


def _is_code(value: str) -> bool:
    """Recognise expressions: calls, operators, `names[0]`, regular expressions."""
    if any(mark in value.rstrip("=") for mark in _CODE_MARKS) or value.startswith(
        ("{", "[", "&", "*", "!", "}", "]", ")")
    ):
        return True
    if value.startswith("0x") and len(value) <= _NUMBER_CHARS:
        return True
    if value.endswith("]") and value.partition("[")[0].replace("_", "").replace(".", "").isalnum():
        return True
    return _is_pattern(value)


def _is_pattern(value: str) -> bool:
    """Recognise a regular expression by its sets: `[-a-z0-9]+`."""
    return "[" in value and any(mark in value for mark in _PATTERN_MARKS)


def _is_path(value: str) -> bool:
    """Recognise `a/b/c` and `a.b.c` whose parts are words."""
    if value.count("/") >= 2 and "+" not in value and not is_gibberish(value.rpartition("/")[2]):
        return not is_random(value.replace("/", ""))
    parts = value.split(".")
    is_dotted = len(parts) > 1 and all(part.replace("_", "").isalpha() for part in parts)
    return is_dotted and not is_gibberish(value)
