"""Is the value behind a name a secret?

That depends on how much the name promises (`keys`), on who owns it (`owners`), on how the value is given to
it and on what the value looks like (`shape`, `placeholders`). Entropy is only ever used here, behind a
name. Where values are found in a text is not decided here.
"""

from holdfast.capture.redact.keys import LIKELY, STRONG, strength
from holdfast.capture.redact.owners import owner_of
from holdfast.capture.redact.placeholders import is_placeholder
from holdfast.capture.redact.shape import entropy, is_gibberish, is_random, kinds_of, words_of

_DIGITS = frozenset("0123456789")
_PROSE = ("is", "was", "to")
_CODE_MARKS = ("(", "->", "::", "=>", "&&", "||", "\\n", "!=", "==", "+=", "/*", "//")
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


def _verdict(key: str, operator: str, value: str, quoted: bool) -> str:
    level, name = strength(key)
    if not level or len(value) < 4:
        return ""
    if not quoted and value.isalpha() and operator.strip(" \t:") in _PROSE:
        return ""
    owner = owner_of(key.lower(), value)
    if owner and _looks_issued(value) and not is_placeholder(value, key):
        return owner
    if level == STRONG:
        accepted = _is_password(key, operator, value, quoted)
    elif level == LIKELY:
        accepted = _is_token(value) or (quoted and len(value) >= 12 and _is_punctuated(value))
    else:
        accepted = len(value) >= 16 and _is_token(value) and entropy(value) > 3.0
    return name if accepted and not _repeats(key, value) and not is_placeholder(value, key) else ""


def _repeats(key: str, value: str) -> bool:
    """Recognise `"CreateSecret": "secretsmanager:CreateSecret"`."""
    told_twice = len(key) > 5 and key.lower() in value.lower()
    return told_twice and (_DIGITS.isdisjoint(value) or len(words_of(key)) > 1)


def _looks_issued(value: str) -> bool:
    return entropy(value) > 2.2 and (kinds_of(value)[0] or is_gibberish(value))


def _is_token(value: str) -> bool:
    """Accept what a machine issued: long enough, random, and no path, version or expression."""
    if len(value) < 8 or len(value.split()) > 1 or _is_code(value) or _is_path(value):
        return False
    if value.isdigit():
        return len(value) >= 14
    return is_random(value)


def _is_password(key: str, operator: str, value: str, quoted: bool) -> bool:
    """Accept what a person may have chosen, depending on how plainly the form shows a literal value."""
    if len(value.split()) > 1:
        return quoted and is_gibberish(value) and not _is_code(value)
    if quoted and not operator.startswith(","):
        return not _is_reference(value)
    if _is_code(value) or _is_path(value):
        return False
    if operator == "=" and key.isupper():
        return not _is_reference(value)
    if key.startswith("-") and not operator.strip(" ="):
        return not _is_reference(value)
    digits, small, capitals = kinds_of(value)
    mixed = digits and (small or capitals) and len(value) >= 6
    return is_random(value) or is_gibberish(value) or (mixed and not _is_reference(value))


def _is_reference(value: str) -> bool:
    """Recognise names of things: `secretsmanager:Get`, `user.password`, `/run/secrets/db`."""
    if value.startswith(("/", "./", "../", "~/", "http://", "https://", "#", "--", "arn:")) and not is_random(
        value
    ):
        return True
    if _is_path(value) or value.endswith(("()", ");")):
        return True
    separated = any(c in value for c in "._:-/") or len(words_of(value)) > 1
    return separated and _DIGITS.isdisjoint(value) and _is_plain(value) and not is_gibberish(value)


def _is_punctuated(value: str) -> bool:
    """Recognise a password full of signs, which only looks like code: three kinds of sign and few of each."""
    signs = {c for c in value if not c.isalnum() and c not in "._-/:,"}
    return len(signs) >= 3 and " " not in value and not value.endswith((")", ");")) and "${{" not in value


def _is_plain(value: str) -> bool:
    return all(c.isalnum() or c in "._:-/" for c in value)


def _is_code(value: str) -> bool:
    return any(mark in value.rstrip("=") for mark in _CODE_MARKS) or value.startswith(("{", "[", "&", "*", "!"))


def _is_path(value: str) -> bool:
    """Recognise `a/b/c` and `a.b.c` whose parts are words."""
    if value.count("/") >= 2 and "+" not in value and not is_gibberish(value.rpartition("/")[2]):
        return not is_random(value.replace("/", ""))
    parts = value.split(".")
    dotted = len(parts) > 1 and all(part.replace("_", "").isalpha() for part in parts)
    return dotted and not is_gibberish(value)
