"""Secrets recognised by the document they stand in: `.netrc`, `.pgpass`, a Kubernetes Secret, a table with a
column of passwords.

The place alone says what the value is; line numbers in front of the lines do not hide it.
"""

from itertools import islice
from typing import Any

from holdfast.capture.text.redact.keys import LIKELY, strength
from holdfast.capture.text.redact.matching import GUTTER, Match, lines, regex, scan
from holdfast.capture.text.redact.prefilter import COLUMNS
from holdfast.capture.text.redact.shape import is_placeholder
from holdfast.capture.text.redact.values import rule_for

NAMES = ("netrc-password", "pgpass-password", "kubernetes-secret")

_GAP = r"(?:[ \t]+|\r?\n" + GUTTER + r"[ \t]*)"
_NETRC = (
    r"\b(?:machine" + _GAP + r"\S+|default)(?:" + _GAP + r"(?:login|account)" + _GAP + r"\S+)*"
    + _GAP + r"password" + _GAP + r"([^\s\"']{3,})"
)  # fmt: skip
# host:port:database:user:password, and nothing else on the line
_PGPASS = r"(?m)(?:^|[\"'`])" + GUTTER + (
    r"[ \t]*(?:[A-Za-z0-9.-]+|\*):(?:[0-9]{4,5}|\*):[A-Za-z0-9_.-]*[A-Za-z_*][A-Za-z0-9_.-]*"
    r":[A-Za-z0-9_.*-]+:([^\s:\"'`]{4,})(?:$|[\"'`])"
)  # fmt: skip
_KIND = r"\bkind[\"']?[ \t]*:[ \t]*[\"']?Secret\b"
_DATA = r"(?m)(?:^|[{,])(" + GUTTER + r"[ \t]*)[\"']?(?:stringData|data)[\"']?[ \t]*:[ \t]*(\{|\r?\n)"
_PAIR = r"[\"'][A-Za-z0-9._-]+[\"'][ \t]*:[ \t]*[\"']([^\s\"'{}]{4,})"
_ENTRY = r"^(" + GUTTER + r"[ \t]*)(?:[\"']?[A-Za-z0-9._-]+[\"']?:[ \t]+)?[\"']?([^\s\"'\\{}|>]{4,})[\"']?[ \t]*$"
# How far before and behind its kind a manifest is looked through, and for how many blocks.
_MANIFEST = 6_000
_LONG_VALUE = 40_000
_MOST_BLOCKS = 1_000
_LONGEST_TITLE = 40
_LONGEST_HEADING = 400
_MOST_HEADINGS = 200
_RULER = b"-+|: \t\r"
_TABLE = 20_000
_DELIMITERS = (b"|", b"\t", b";", b",")


def find(data: bytes, lower_data: bytes) -> list[Match]:
    """Return the spans of secrets that their document gives away."""
    spans: list[Match] = []
    if b"password" in data and (b"machine" in data or b"default" in data):
        spans += [(*span, "netrc-password") for span in scan(_NETRC, data) if _is_value(data, span)]
    if data.count(b":") >= 4:
        spans += [(*span, "pgpass-password") for span in scan(_PGPASS, data) if _is_value(data, span)]
    if b"Secret" in data and b"kind" in data:
        spans += _manifests(data)
    if b"\n" in data:
        spans += _tables(data, lower_data)
    return spans


def _manifests(data: bytes) -> list[Match]:
    """Take every value below `data` and `stringData` of a Kubernetes Secret."""
    spans: list[Match] = []
    reach = 0
    for kind in regex(_KIND).finditer(data):
        if kind.end() + _MANIFEST < reach:
            continue  # looked through with the one before
        floor = max(data.rfind(b"\n---", reach, kind.start()), kind.start() - _MANIFEST, reach)
        limit = data.find(b"\n---", kind.end(), kind.end() + _LONG_VALUE)
        limit = limit if limit > 0 else min(len(data), kind.end() + _LONG_VALUE)
        reach = max(reach, limit)
        for block in islice(regex(_DATA).finditer(data, floor, limit), _MOST_BLOCKS):
            if spans and block.start() < spans[-1][1]:
                continue
            values = _in_braces if block.group(2) == b"{" else _indented_values
            value_spans = values(data, block, limit)
            spans += [(*span, "kubernetes-secret") for span in value_spans if _is_value(data, span)]
    return spans


def _in_braces(data: bytes, block: Any, limit: int) -> list[tuple[int, int]]:
    """Return the values of an object, which is flat."""
    brace = regex(r"[{}]").search(data, block.end(), limit)
    pairs = regex(_PAIR).finditer(data, block.end(), brace.start() if brace else limit)
    return [pair.span(1) for pair in pairs]


def _indented_values(data: bytes, block: Any, limit: int) -> list[tuple[int, int]]:
    """Return the values of the lines that are indented deeper than the block's own."""
    spans: list[tuple[int, int]] = []
    depth = _depth(block.group(1))
    for start, end in lines(data, block.end(), limit):
        entry = regex(_ENTRY).match(data[start:end])
        if entry and _depth(entry.group(1)) > depth:
            spans.append((start + entry.start(2), start + entry.end(2)))
        elif data[start:end].strip() and not (entry is None and _depth(data[start:end]) > depth):
            break
    return spans


def _depth(line: bytes) -> int:
    """Return how deep a line is indented; the width of a line number does not count."""
    content = line[regex("^" + GUTTER).match(line).end() :]
    return len(content) - len(content.lstrip(b" \t"))


def _tables(data: bytes, lower_data: bytes) -> list[Match]:
    """Judge the cells of the columns whose heading promises a secret."""
    spans: list[Match] = []
    for start, end in _headings(data, lower_data):
        heading = data[start:end]
        delimiter = next((mark for mark in _DELIMITERS if mark in heading), b"")
        titles = [title.strip(b' \t\r"`').decode("latin-1") for title in heading.split(delimiter or None)]
        secret = {place: title for place, title in enumerate(titles) if strength(title)[0] >= LIKELY}
        if secret and delimiter and max(map(len, titles)) <= _LONGEST_TITLE:
            spans += _cells(data, end + 1, delimiter, len(titles), secret)
    return spans


def _headings(data: bytes, lower_data: bytes) -> list[tuple[int, int]]:
    """Return the lines, but for the last, in which a word for a secret stands."""
    heading_spans: set[tuple[int, int]] = set()
    for word in COLUMNS:
        position = lower_data.find(word)
        while position >= 0 and len(heading_spans) < _MOST_HEADINGS:
            end = data.find(b"\n", position)
            start = data.rfind(b"\n", max(position - _LONGEST_HEADING, 0), position) + 1
            if end < 0:
                break
            if end - start <= _LONGEST_HEADING and any(mark in data[start:end] for mark in _DELIMITERS):
                heading_spans.add((start, end))
            position = lower_data.find(word, end)
    return sorted(heading_spans)


def _cells(data: bytes, start: int, delimiter: bytes, count: int, secret: dict[int, str]) -> list[Match]:
    """Judge the cells below a heading, as long as the rows have as many cells as it has."""
    spans: list[Match] = []
    for first, last in lines(data, start, min(len(data), start + _TABLE)):
        cells = data[first:last].split(delimiter)
        if not data[first:last].strip(_RULER):
            continue
        if len(cells) != count:
            break
        for place, title in secret.items():
            value = cells[place].strip(b' \t\r"`')
            begin = first + sum(len(cell) + 1 for cell in cells[:place]) + cells[place].find(value)
            if rule := rule_for(title, ":", value.decode("latin-1"), quoted=False):
                spans.append((begin, begin + len(value), rule))
    return spans


def _is_value(data: bytes, span: tuple[int, int]) -> bool:
    return not is_placeholder(data[span[0] : span[1]].decode("latin-1"))
