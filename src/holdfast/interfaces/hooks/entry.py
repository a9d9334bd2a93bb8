"""The process behind `holdfast-hook CLIENT EVENT`: it reads an event from standard input, does its part in its
time, and ends with success. Light.

If anything breaks, the client sees exit code 0 and either a valid answer or nothing; what broke is in the log.
Modules are imported where they are needed: most events need few of them.
"""

import gc
import json
import os
import re
import sys
from collections.abc import Sequence
from types import ModuleType

from holdfast.interfaces.hooks import watchdog
from holdfast.machine import failures

MOST_MS = 1_000
"""How long a hook may take in all, however slow the machine."""

STEP = "hook"
"""What a trace says was tried."""

_INPUT, _OUTPUT = 0, 1

MOST_BYTES = 16 << 20
"""What is kept of a payload; the rest is read and dropped, so that the client is not left with a full pipe."""

_CHUNK = 1 << 16
_MARK = b"\xef\xbb\xbf"
"""What PowerShell puts before a text that it passes on."""
_MARKS = r'(?s)"(?:[^"\\]|\\.)*+("?)|[{}\[\]]'
_CLOSERS = {"{": "}", "[": "]"}


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


def answer(client: str, event: str, words: Sequence[str] = ()) -> str:
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
    if moment.kind == "call":  # what is said to a call, its client's package has put into the client's words
        return brief
    return module.answer(name, brief, sign) if brief or sign else ""


def _read_input() -> tuple[bytes, bool]:
    """Read standard input; a person at a terminal, or nothing at all, gives nothing."""
    try:
        return (b"", True) if os.isatty(_INPUT) else read(_INPUT)
    except OSError:
        return b"", True


def _event_name(event: str, events: dict[str, str]) -> str | None:
    """Return the name that the client itself gives an event, however it is written here."""
    if event in events:
        return event
    plain = event.removeprefix("event_").lower()
    return next((name for name in events if name.lower() == plain), None)


def read(handle: int) -> tuple[bytes, bool]:
    """Read an input to its end; return what is kept of it, and whether that is all."""
    chunks = []
    size = 0
    while chunk := os.read(handle, _CHUNK):
        if size < MOST_BYTES:
            chunks.append(chunk)
        size += len(chunk)
    return b"".join(chunks)[:MOST_BYTES], size <= MOST_BYTES


def parse(raw: bytes, *, whole: bool = True) -> object:
    """Return the JSON value of a payload; of one that was cut off inside a text, what came before the cut."""
    text = raw.removeprefix(_MARK).decode("utf-8", "replace")
    try:
        return json.loads(text if whole else _closed(text))
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def _closed(text: str) -> str:
    """End a text that was cut off inside a string: at a blank, because half a secret would not be recognised."""
    closers: list[str] = []
    last = None
    for last in re.finditer(_MARKS, text):
        if last[0] in _CLOSERS:
            closers.append(_CLOSERS[last[0]])
        elif last[0] in ("}", "]"):
            del closers[-1:]
    if last is None or last[1] != "":
        raise ValueError("it is too large, and not cut inside a text")
    end = max(text.rfind(" ", last.start()), last.start() + 1)
    return "".join((text[:end], '"', *reversed(closers)))
