"""Redaction: secrets and personal data leave a text before it is stored, searched, embedded or logged.

`redact` replaces them by typed placeholders such as `[REDACTED:aws-access-key]`; `cut` shortens a huge text
without cutting a secret in two. The hook process imports this package, so nothing here may import dataclasses,
typing, pathlib or anything else that is slow to load; google-re2 itself is imported only when a literal asks for
it.

`redact` runs the finders, the most specific first, decides what wins where they overlap and rewrites the text. A
finder is imported when the prefilter lets it run: most texts need few of them. What the user lets through are
literal texts and, between slashes, regular expressions.

`rules` holds token formats by vendor, `keys` tokens known by their owner's name, `private_keys`, `carriers`,
`documents`, `context` and `pii` the finders for everything else; `hidden` lets them look inside strings and base64
and over breaks, `matching` past line numbers.
To add a token format, add one line to `rules`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from holdfast.capture.text.redact.matching import Match, regex, scan

if TYPE_CHECKING:
    from holdfast.capture.text.redact.rules import Rule

_MARK = b"[REDACTED:"
# A replacement can change what surrounds it; the text is searched again until nothing new is found.
_MOST_PASSES = 8

_INSIDE_TOKENS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=_-.~%:"
_FARTHEST_BACK = 8_192


def redact(text: str, allow: Sequence[str] = ()) -> tuple[str, tuple[tuple[str, int], ...]]:
    """Replace secrets and personal data by typed placeholders; return the text and the (rule, count) pairs
    found.

    Nothing inside an occurrence of allowed text is touched; an entry between slashes is a regular expression. Any
    string is accepted, lone surrogates included.
    """
    data = text.encode("utf-8", "surrogatepass")
    counts: dict[str, int] = {}
    for _ in range(_MOST_PASSES):
        spans = _settle_matches(data, candidates(data), allow)
        if not spans:
            break
        data = _replace_spans(data, spans)
        for _, _, name in spans:
            counts[name] = counts.get(name, 0) + 1
    if not counts:
        return text, ()
    return data.decode("utf-8", "surrogatepass"), tuple(sorted(counts.items()))


def cut(text: str, limit: int) -> tuple[str, bool]:
    """Return at most `limit` characters, ending at a token boundary, and whether anything was cut off.

    A run of token characters longer than 8 Ki characters is no single token, and is cut where the limit
    falls.
    """
    if len(text) <= limit:
        return text, False
    floor = max(limit - _FARTHEST_BACK, 0)
    window = text[floor:limit]
    if text[limit].isspace():
        return text[:limit], True
    for separators in ("\n \t\r", None):
        place = _last_boundary(window, separators)
        if place >= 0:
            return text[: floor + place], True
    return text[: floor if floor == 0 else limit], True


def candidates(data: bytes) -> list[Match]:
    """Return the match of every finder; an earlier match is a more specific one."""
    from holdfast.capture.text.redact import prefilter

    matches = _secrets(data)
    if prefilter.may_be_escaped(data):
        from holdfast.capture.text.redact import hidden

        matches += hidden.find_escaped(data, _secrets)
    if prefilter.may_hold_base64(data):
        from holdfast.capture.text.redact import hidden

        matches += hidden.find_encoded(data, _secrets)
    if prefilter.may_hold_email(data) or prefilter.may_hold_number(data):
        from holdfast.capture.text.redact import pii

        matches += _outside(pii.find(data), matches)
    return matches


def _secrets(data: bytes) -> list[Match]:
    from holdfast.capture.text.redact import prefilter

    matches: list[Match] = []
    if prefilter.may_hold_private_key(data):
        from holdfast.capture.text.redact import private_keys

        matches += private_keys.find(data)
    if rules := prefilter.formats_in(data):
        matches += _by_format(data, rules)
    lower_data = data.lower()
    if prefilter.may_carry(data, lower_data):
        from holdfast.capture.text.redact import carriers

        matches += carriers.find(data, lower_data)
    if prefilter.may_command(lower_data):
        from holdfast.capture.text.redact import carriers

        matches += carriers.find_in_commands(data, lower_data)
    if prefilter.may_be_document(data, lower_data):
        from holdfast.capture.text.redact import documents

        matches += documents.find(data, lower_data)
    if prefilter.names_a_value(lower_data) or prefilter.names_a_value_before(lower_data):
        from holdfast.capture.text.redact import context

        matches += context.find(data)
    return matches


def _by_format(data: bytes, rules: list[Rule]) -> list[Match]:
    from holdfast.capture.text.redact.shape import is_specimen

    matches: list[Match] = []
    for name, _, pattern in rules:
        for start, end in scan(pattern, data):
            if not is_specimen(data[start:end].decode("latin-1")):
                matches.append((start, end, name))
    if b"\n" in data or b'"' in data or b"'" in data:
        from holdfast.capture.text.redact import hidden

        matches += hidden.find_split(data, rules, matches)
    return matches


def _outside(personal: list[Match], secret_matches: list[Match]) -> list[Match]:
    """Drop personal data that touches a secret: `password@host.example` in a URL is no address."""
    if not secret_matches or not personal:
        return personal
    outside: list[Match] = []
    secrets = sorted(secret_matches, reverse=True)
    reach = -1
    for item in sorted(personal):
        while secrets and secrets[-1][0] < item[1]:
            reach = max(reach, secrets.pop()[1])
        if reach <= item[0]:
            outside.append(item)
    return outside


def _settle_matches(data: bytes, matches: list[Match], allow: Sequence[str]) -> list[Match]:
    """Unite overlapping spans under the most specific rule; keep placeholders and allowed text."""
    if not matches:
        return matches
    united_matches: list[tuple[int, int, int, str]] = []
    for start, end, rank, name in sorted(
        (start, end, rank, name) for rank, (start, end, name) in enumerate(matches)
    ):
        if united_matches and start < united_matches[-1][1]:
            before = united_matches[-1]
            best = (rank, name) if rank < before[2] else before[2:]
            united_matches[-1] = (before[0], max(end, before[1]), *best)
        elif start < end:
            united_matches.append((start, end, rank, name))
    spans = [(start, end, name) for start, end, _, name in united_matches]
    if not data.isascii():
        spans = [(*_whole(data, start, end), name) for start, end, name in spans]
    kept_spans = _kept_spans(data, allow)
    return _without(spans, kept_spans) if kept_spans else spans


def _kept_spans(data: bytes, allow: Sequence[str]) -> list[tuple[int, int]]:
    """Return the spans that must not change: placeholders of known rules, and allowed strings."""
    kept_spans: list[tuple[int, int]] = []
    position = data.find(_MARK)
    if position >= 0:
        rule_names = _rule_names()
        while position >= 0:
            end = data.find(b"]", position, position + 64) + 1
            if end and data[position + len(_MARK) : end - 1].decode("latin-1") in rule_names:
                kept_spans.append((position, end))
            position = data.find(_MARK, position + 1)
    if allow:
        kept_spans.extend(allowed_spans(data, allow))
    return sorted(kept_spans)


def _rule_names() -> set[str]:
    """Return the names of all rules: what may stand in a placeholder."""
    from holdfast.capture.text.redact import carriers, context, documents, pii, private_keys
    from holdfast.capture.text.redact.keys import OWNERS
    from holdfast.capture.text.redact.rules import RULES

    return {
        *(rule[0] for rule in RULES),
        *(owner[0] for owner in OWNERS),
        *(private_keys.NAME, carriers.COMMAND, *carriers.NAMES, *documents.NAMES, *context.NAMES, *pii.NAMES),
    }


def allowed_spans(data: bytes, allow: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield where allowed text stands."""
    for entry in allow:
        if _is_pattern(entry):
            yield from (match.span() for match in regex(entry[1:-1]).finditer(data) if match.group())
        else:
            yield from _occurrences(data, entry.encode("utf-8", "surrogatepass"))


def problem_with(entry: str) -> str | None:
    """Say what is wrong with an entry, or None."""
    if not _is_pattern(entry):
        return None
    try:
        regex(entry[1:-1])
    except Exception as error:  # re2 has its own, and must not be imported to name it
        return f"{entry} is not a regular expression ({error})"
    return None


def _is_pattern(entry: str) -> bool:
    return len(entry) > 2 and entry.startswith("/") and entry.endswith("/")


def _occurrences(data: bytes, text: bytes) -> Iterator[tuple[int, int]]:
    position = data.find(text) if text else -1
    while position >= 0:
        yield position, position + len(text)
        position = data.find(text, position + len(text))


def _without(spans: list[Match], kept_spans: list[tuple[int, int]]) -> list[Match]:
    """Cut the kept spans out of the others; both are in order."""
    pieces: list[Match] = []
    first = 0
    for start, end, name in spans:
        while first < len(kept_spans) and kept_spans[first][1] <= start:
            first += 1
        place, free = first, start
        while place < len(kept_spans) and kept_spans[place][0] < end:
            if kept_spans[place][0] > free:
                pieces.append((free, kept_spans[place][0], name))
            free = max(free, kept_spans[place][1])
            place += 1
        if free < end:
            pieces.append((free, end, name))
    return pieces


def _whole(data: bytes, start: int, end: int) -> tuple[int, int]:
    while start and data[start] & 0xC0 == 0x80:
        start -= 1
    while end < len(data) and data[end] & 0xC0 == 0x80:
        end += 1
    return start, end


def _replace_spans(data: bytes, spans: list[Match]) -> bytes:
    parts: list[bytes] = []
    position = 0
    for start, end, name in spans:
        parts += (data[position:start], _MARK, name.encode("ascii"), b"]")
        position = end
    parts.append(data[position:])
    return b"".join(parts)


def _last_boundary(text: str, separators: str | None) -> int:
    """Return the place after the last separator (or, without any, the last non-token character), or -1."""
    if separators is not None:
        return max(map(text.rfind, separators)) + 1 or -1
    return len(text.rstrip(_INSIDE_TOKENS)) or -1
