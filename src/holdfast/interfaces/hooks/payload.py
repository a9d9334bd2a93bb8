"""Reading a hook's standard input: at most a mebibyte of it, whatever arrives. Light."""

import json
import os
import re

MOST_BYTES = 1 << 20
"""What is parsed of a payload; the rest is read and dropped, so that the client is not left with a full pipe."""

_CHUNK = 1 << 16
_MARK = b"\xef\xbb\xbf"
"""What PowerShell puts before a text that it passes on."""
_LEXEME = r'(?s)"[^"\\]*+(?:\\.?+[^"\\]*+)*+"?|[{}\[\]]'
_CLOSERS = {"{": "}", "[": "]"}
_MOST_TOKEN = 8_192


def read(handle: int) -> "tuple[bytes, bool]":
    """Return the first part of an input, and whether that is all of it."""
    chunks = []
    room = MOST_BYTES
    whole = True
    while chunk := os.read(handle, _CHUNK):
        if room:
            chunks.append(chunk[:room])
        whole = whole and len(chunk) <= room
        room = max(0, room - len(chunk))
    return b"".join(chunks), whole


def parse(raw: bytes, *, whole: bool = True) -> object:
    """Return the JSON value of a payload; of one that was cut off, what came before the cut.

    A text that was cut ends at a blank: half a secret would not be recognised as one.
    """
    text = raw.removeprefix(_MARK).decode("utf-8", "replace")
    if whole:
        return _load_json(text)
    for closed_text, inside_text in _closings(text):
        try:
            value = _load_json(closed_text)
        except ValueError:
            continue
        return _trim_last_text(value) if inside_text else value
    raise ValueError("nothing can be read before the cut")


def _load_json(text: str) -> object:
    """Return a text's value; one nested so deeply that it cannot be read is none."""
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def _closings(text: str) -> "list[tuple[str, bool]]":
    """Return the ways to end a text that was cut off, and whether its last string was cut in that way.

    After what is there; after it as a name without a value; before its last, unfinished member.
    """
    brackets: list[tuple[str, int]] = []
    inside = False
    for token in re.finditer(_LEXEME, text):
        mark = token[0]
        if mark in _CLOSERS:
            brackets.append((mark, token.end()))
        elif mark in "]}":
            brackets[-1:] = []
        elif token.end() == len(text):
            inside = not _has_closing_quote(mark)
    tail = "".join(_CLOSERS[mark] for mark, _ in reversed(brackets))
    body = _without_escape(text) + '"' if inside else text
    start = brackets[-1][1] if brackets else 0
    comma = text.rfind(",", start)
    before = text[: comma if comma >= 0 else start]
    return [(body + tail, inside), (body + ": null" + tail, False), (before + tail, False)]


def _has_closing_quote(mark: str) -> bool:
    """Say whether a string token has its closing quote."""
    if len(mark) < 2 or mark[-1] != '"':
        return False
    return (len(mark[:-1]) - len(mark[:-1].rstrip("\\"))) % 2 == 0


def _without_escape(text: str) -> str:
    """Take off an escape sequence that was cut in its middle."""
    return re.sub(r"(?<!\\)((?:\\\\)*)\\(?:u[0-9a-fA-F]{0,3})?$", r"\1", text)


def _trim_last_text(value: object) -> object:
    """Cut the last text in a value back to its last blank."""
    holder: object = value
    while isinstance(holder, dict | list) and holder:
        last = list(holder)[-1] if isinstance(holder, dict) else len(holder) - 1
        inner = holder[last]
        if isinstance(inner, str):
            holder[last] = _to_blank(inner)
            break
        holder = inner
    return value


def _to_blank(text: str) -> str:
    end = max(text.rfind(mark, max(0, len(text) - _MOST_TOKEN)) for mark in " \n\t\r")
    return text[: max(end, 0)] if end >= 0 or len(text) < _MOST_TOKEN else text[:-_MOST_TOKEN]
