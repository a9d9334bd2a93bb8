"""The process behind `holdfast-hook CLIENT EVENT`: it reads at most a mebibyte of standard input, does its part in
its time, and ends with success. Light.

If anything breaks, the client sees exit code 0 and either a valid answer or nothing; what broke is in the log.
Modules are imported where they are needed: most events need few of them.
"""

import gc
import json
import os
import re
import sys

from holdfast.interfaces.hooks import watchdog
from holdfast.machine import failures

TYPE_CHECKING = False  # typing's own, without importing typing
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

MOST_MS = 1_000
"""How long a hook may take in all, however slow the machine."""

STEP = "hook"
"""What a trace says was tried."""

_INPUT, _OUTPUT = 0, 1

MOST_BYTES = 1 << 20
"""What is parsed of a payload; the rest is read and dropped, so that the client is not left with a full pipe."""

_CHUNK = 1 << 16
_MARK = b"\xef\xbb\xbf"
"""What PowerShell puts before a text that it passes on."""
_LEXEME = r'(?s)"[^"\\]*+(?:\\.?+[^"\\]*+)*+"?|[{}\[\]]'
_CLOSERS = {"{": "}", "[": "]"}
_MOST_TOKEN = 8_192


def main() -> None:
    """Answer one event; never fail."""
    gc.disable()  # what a hook makes it keeps until it ends
    client, event, *words = (*sys.argv[1:], "", "")
    failures.describe_process(client=client, event=event)
    try:
        watchdog.guard(MOST_MS, lambda elapsed_ms: failures.leave(STEP, "", "gave up", ms=elapsed_ms))
        reply = answer(client, event, words)
        if reply:
            os.write(_OUTPUT, reply.encode("utf-8", "replace"))
    except BaseException as error:
        failures.leave(STEP, "", error)
    finally:
        os._exit(0)


def answer(client: str, event: str, words: "Sequence[str]" = ()) -> str:
    """Do what an event asks for, and return what to print; further words say what whoever runs this can do."""
    from holdfast.agents.events import CLIENTS

    raw, whole = _read_input()
    if client not in CLIENTS:
        failures.leave(STEP, "", "unknown client")
        return ""
    module: ModuleType = __import__(f"holdfast.agents.{client}", fromlist=["moment"])
    name = _event_name(event, module.EVENTS)
    if name is None:
        failures.leave(STEP, "", "unknown event")
        return ""
    moment = module.moment(name, parse(raw, whole=whole))
    if moment is None:
        failures.leave(STEP, "", "nothing in the payload tells of a session")
        return ""
    from holdfast.interfaces.hooks.respond import respond

    brief, sign = respond(client, module, moment, shows_sign=module.shows_sign(name, words))
    return module.answer(name, brief, sign) if brief or sign else ""


def _read_input() -> "tuple[bytes, bool]":
    """Read standard input; a person at a terminal, or nothing at all, gives nothing."""
    try:
        return (b"", True) if os.isatty(_INPUT) else read(_INPUT)
    except OSError:
        return b"", True


def _event_name(event: str, events: "dict[str, str]") -> "str | None":
    """Return the name that the client itself gives an event, however it is written here."""
    if event in events:
        return event
    plain = event.removeprefix("event_").lower()
    return next((name for name in events if name.lower() == plain), None)


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
