"""Secrets recognised by the name they are given: assignments, JSON, YAML, XML, headers, flags and prose.

One pattern finds `name <operator> value` in all these forms; `keys` says how much the name promises and
`values` whether the value keeps the promise. Formats with a mark of their own belong in `rules`.
"""

from holdfast.capture.text.redact.keys import strength
from holdfast.capture.text.redact.matching import GUTTER, Match, regex
from holdfast.capture.text.redact.prefilter import FRAGMENTS, VERBS
from holdfast.capture.text.redact.shape import is_word
from holdfast.capture.text.redact.values import forget, rule_for

NAMES = ("password", "secret", "token", "credential", "api-key", "auth-value")

_NAME = rf"[A-Za-z0-9_.$-]*(?:{'|'.join(FRAGMENTS)})[A-Za-z0-9_.-]*"
_CLOSE = r"(?:\\{0,2}[\"'`]|\[[0-9]*\]|\]|\)){0,3}"
_ASSIGNMENT = (
    r"(?:[ \t]*(?::[ \t]*[A-Za-z_]+[ \t]+|(?:string|str|text|bytes|char)[ \t]+)?"  # a type may stand between
    r"(?:[-:=!?.+|~]{0,3}[:=]=?|[=-]>|\xef\xbc\x9a)>?[ \t]*"  # name = value, "name": value
    rf"|[ \t]+(?:{'|'.join(VERBS)})[ \t]*:?[ \t]+"  # the password is value
    r"|[ \t]*/?>\s*"  # <name>value</name>
    rf"|,?\s*{GUTTER}\s*[\"']?value[\"']?[ \t]*[:=][ \t]*)"  # <add key="name" value="..."/>, name: X, value: ...
)
# set("name", "value"), name("value"), name "value"
_ARGUMENT = r"(?:[\"'`][ \t]*,[ \t]*|(?:\.(?:assign|set|equals))?\([ \t]*|[ \t]+)[\"'`]"
# --name value
_FLAG = r"(?:^|[\s\"'`(\[,])--?[a-z0-9_.-]*(?:pass|pwd|secret|token|key|auth|cred)[a-z0-9_.-]* "
# The pattern has no groups (which makes it several times faster) and ends where the value starts: how far the
# value reaches is found without it, within a bound, so that names in one long line cost only their number.
_PATTERN = rf"(?i){_NAME}(?:{_CLOSE}{_ASSIGNMENT}|{_ARGUMENT})|{_FLAG}"
_BEFORE_FLAG = b" \t\r\n\f\v\"'`([,"
_CLOSERS = b"\\\"'`[]0123456789)"
_CONCATENATION = r"[ \t]*\+?[ \t]*\\?\s*\+?[ \t]*[\"']([^\"'\n]+)[\"']"
# "use value as the admin password", "value is the token": what stands behind the value
_NAMED_AFTER = (
    r"(?i)[ \t](?:as|is)[ \t]+(?:(?:the|your|my|our|a|its|their)[ \t]+)?(?:[a-z0-9-]+[ \t]+){0,2}"
    r"(password|passphrase|passcode|token|secret)\b"
)
# The first string of a call or a tuple, the second, or a comma that another argument follows
_STRINGS = (
    r"^\(?[^\"'()\n]*[\"']([^\"'\n]*)[\"'][ \t]*"
    r"(?:,[ \t]*[A-Za-z_]*\(?[\"']([^\"'\n]*)[\"']|(,))?"
)
_COMPARISON = (
    r"(?i)[\"']([^\"'\n]{6,200})[\"'] ?[!=]==? ?([A-Za-z0-9_.]*(?:pass|pwd|secret|token|key)[A-Za-z0-9_]*)"
)
_ITEM = r"\\?[\"']([^\"'\\\n]+)\\?[\"']"
# How a runner begins the line of a result: `--- PASS: TestX`
_RESULTS = (b"--- ", b"=== ")
_LONGEST_VALUE = 400
_QUOTES = (b'"', b"'", b"`")


def find(data: bytes) -> list[Match]:
    """Return the spans of values that a name marks as secret."""
    spans: list[Match] = []
    for match in regex(_PATTERN).finditer(data):
        start, end = match.span()
        if data[end : end + 10] != b"[REDACTED:":
            _judge(data, start, end, spans)
    if b"== " in data or b"!= " in data:
        _judge_comparisons(data, spans)
    if b" as " in data or b" is " in data:
        _named_after(data, spans)
    forget()
    return spans


def _judge(data: bytes, start: int, end: int, spans: list[Match]) -> None:
    """Judge the value that stands behind the name and the operator in `data[start:end]`."""
    name, operator = _split_operator(data[start:end])
    if not name or (name == "PASS" and data.endswith(_RESULTS, max(start - 4, 0), start)):
        return
    if data[end - 1 : end] in _QUOTES:
        end -= 1
    raw = data[end : end + _LONGEST_VALUE].partition(b"\n")[0]
    if operator[:1] == "(" or raw[:1] == b"(":
        _arguments(data, end, raw, name, spans)
    elif (place := _string_prefix(raw)) >= 0:
        value = _string(raw[place:])
        rule = rule_for(name, operator, _text(value), quoted=True)
        _take_string(data, end + place + 1, value, rule, spans)
    elif place := _escaped_quote(raw):
        value = raw[place:].partition(raw[:place])[0]
        _take_string(data, end + place, value, rule_for(name, operator, _text(value), quoted=True), spans)
    elif raw[:1] == b"[":
        _items(data, end, len(raw.partition(b"]")[0]), name, spans)
    elif raw[:1].strip():
        bare = _trim_value(name, operator, raw, data[start - 1 : start] if start else b"")
        if not name.isupper() and _begins_a_sentence(bare, raw):
            return
        if rule := rule_for(name, operator, bare, quoted=False):
            spans.append((end, _end_of_run(data, end + len(bare), len(bare)), rule))


_parts: dict[bytes, tuple[str, str]] = {}
_MOST_PARTS = 2_000


def _split_operator(assignment: bytes) -> tuple[str, str]:
    """Part a name from the quotes, brackets and operator that follow it; no name if it can hold no secret."""
    parts = _parts.get(assignment)
    if parts is None:
        if len(_parts) >= _MOST_PARTS:
            _parts.clear()
        full = assignment.lstrip(_BEFORE_FLAG)
        match = regex(f"(?i){_NAME}").match(full)
        name = (match.group() if match else b"").rstrip(b".-")
        operator = _text(full[len(name) :].lstrip(_CLOSERS))
        name_text = name.decode("utf-8", "replace")
        parts = _parts[assignment] = (name_text if strength(name_text)[0] else "", operator)
    return parts


def _end_of_run(data: bytes, end: int, size: int) -> int:
    """Follow a value that is longer than what was judged to its end."""
    if size < _LONGEST_VALUE:
        return end
    return int(regex(r"[^\s\"'`]*").match(data, end).end())


def _string_prefix(raw: bytes) -> int:
    """Return where the quote of a string literal stands (`"`, `b"`, `rb\'`, `@"`), or -1."""
    for place in (0, 1, 2):
        if raw[place : place + 1] in _QUOTES:
            return place if raw[:place].isalpha() or raw[:place] in (b"", b"@") else -1
    return -1


def _escaped_quote(raw: bytes) -> int:
    """Return the place behind the escaped quote that starts a string inside a string, or 0."""
    after_slashes = raw.lstrip(b"\\")
    return len(raw) - len(after_slashes) + 1 if after_slashes[:1] in _QUOTES and after_slashes != raw else 0


def _string(raw: bytes) -> bytes:
    """Return the string up to its closing quote; without one, up to the next white space."""
    quote = raw[:1]
    end = raw.find(quote, 1)
    while end > 0 and raw[end - 1 : end] == b"\\" and quote != b"`":
        end = raw.find(quote, end + 1)
    return raw[1:end] if end > 0 else (raw[1:].split(None, 1) or [b""])[0]


def _take_string(data: bytes, start: int, value: bytes, rule: str, spans: list[Match]) -> None:
    if rule:
        end = _end_of_run(data, start + len(value), len(value) + 1)
        spans.append((start, end, rule))
        _continue(data, end + 1, rule, spans)


def _items(data: bytes, start: int, size: int, key: str, spans: list[Match]) -> None:
    """Judge each string of an array: `"tokens": ["...", "..."]`."""
    for item in regex(_ITEM).finditer(data, start, start + size):
        if rule := rule_for(key, "", _text(item.group(1)), quoted=True):
            spans.append((*item.span(1), rule))


def _arguments(data: bytes, start: int, raw: bytes, name: str, spans: list[Match]) -> None:
    """Judge the strings of a call or a tuple: `password("...")`, `login("name", "...")`, `auth=("name", "...")`.

    Of two strings the second is the secret; one beside other arguments must look like one.
    """
    match = regex(_STRINGS).match(raw)
    if not match:
        return
    first, second, comma = match.groups()
    place = 1 if second is None else 2
    if comma and first.isalpha():
        return  # check_password("name", value)
    alone = second is None and not comma
    key = name if second is None else "password"
    if rule := rule_for(key, "" if alone else ",", _text(match.group(place)), quoted=alone):
        spans.append((start + match.start(place), start + match.end(place), rule))


def _named_after(data: bytes, spans: list[Match]) -> None:
    """Judge the word before `as the password` or `is the password`."""
    for match in regex(_NAMED_AFTER).finditer(data):
        words = data[max(match.start() - _LONGEST_VALUE, 0) : match.start()].split()
        word = words[-1] if words else b""
        start = match.start() - len(word)
        value = word.strip(b"\"'`.,")
        if rule := rule_for(_text(match.group(1)), "is", _text(value), quoted=value != word):
            spans.append((start + word.find(value), start + word.find(value) + len(value), rule))


def _continue(data: bytes, position: int, name: str, spans: list[Match]) -> None:
    """Take the further strings of a secret that is concatenated: `"abc" + "def"`."""
    for _ in range(8):
        ahead = data[position : position + 400]
        if b"+" not in ahead[:40] and b"\\" not in ahead[:4]:
            return
        match = regex(_CONCATENATION).match(ahead)
        if not match or not (b"+" in ahead[: match.start(1)] or b"\\" in ahead[: match.start(1)]):
            return
        spans.append((position + match.start(1), position + match.end(1), name))
        position += match.end()


def _judge_comparisons(data: bytes, spans: list[Match]) -> None:
    """Look for the secret on the left: `"..." == password`."""
    for match in regex(_COMPARISON).finditer(data):
        if rule := rule_for(_text(match.group(2)), "", _text(match.group(1)), quoted=True):
            spans.append((*match.span(1), rule))


def _begins_a_sentence(value: str, raw: bytes) -> bool:
    """Say whether a word is followed by another, as in `change_password=Vaihda salasana`."""
    words = [_text(word).rstrip(".,:!?") for word in raw.split(None, 2)[:2]]
    return len(words) > 1 and value == words[0] and is_word(words[0]) and is_word(words[1])


def _trim_value(key: str, operator: str, raw: bytes, before: bytes) -> str:
    """Cut what follows an unquoted value: white space, the next parameter or field, closing brackets."""
    run = raw.split(None, 1)[0]
    first, _, after_equals = run.partition(b"=")
    if after_equals.strip(b"=") and first.isalpha():  # name: other=value
        return _text(first)
    value = _text(run)
    head, _, rest = value.partition("&")
    if before in (b"?", b"&") or "=" in rest:
        value = head
    if operator.rstrip().endswith(">"):
        value = value.partition("<")[0]
    if not (key.isupper() and operator == "="):
        value = value.partition(";")[0].partition(",")[0]
    for mark in ('"', "'", "`", "\\"):
        if mark in value:
            value = value.partition(mark)[0]
            if value.endswith(("[", "(", "{")):  # names["..."], call("...")
                return ""
    value = value.rstrip(".,;")
    while value[-1:] in (")", "}", "]", ">") and value.count(value[-1]) > value.count(
        "({[<"[")}]>".index(value[-1])]
    ):
        value = value[:-1]
    return value


def _text(value: bytes) -> str:
    return value.decode("latin-1")
