"""From an event to an entry of the spool: what was said, without what others added, and clean. Light.

`clean` is the same door that every write to the store goes through, so nothing reaches the disk that may not be
kept.
"""

import time

from holdfast.agents import events
from holdfast.agents.injected import shows_memory, without_additions, without_echo
from holdfast.capture.forget_command import command_words, seal, split_command
from holdfast.capture.text.clean import Cleaner, depth_after
from holdfast.capture.text.redact import cut
from holdfast.model.ids import digest, turn_ref
from holdfast.model.limits import FILES, NAME_CHARS, PATH_CHARS, TURN_BYTES, TURN_READ_CHARS

TYPE_CHECKING = False  # typing's own, without importing typing
if TYPE_CHECKING:
    from holdfast.agents.events import AgentEvent
    from holdfast.agents.spool import Entry

_CUT_MARK = "\n... [cut]"
_SAME_MS = 3_000
"""How long two hooks may take over one event of a client that gives its events no name."""

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.")


def entry_of(
    client: str,
    agent: str,
    moment: "AgentEvent",
    clean: Cleaner,
    depth: int,
    echoes: "frozenset[str]" = frozenset(),
) -> "tuple[Entry | None, int]":
    """Return a moment's entry (None when nothing was said), and how many private blocks are open after it."""
    at = moment.at or int(time.time() * 1000)
    entry: Entry = {
        "kind": moment.kind,
        "client": client,
        "agent": agent,
        "session": plain_id(moment.session),
        "at": at,
    }
    if not moment.role:
        return entry, depth
    text, depth = _kept_text(moment, clean, depth, echoes)
    if not text:
        return None, depth
    if moment.kind == events.PROMPT:
        command = command_words(text)
        if command is not None:
            entry["seal"] = seal(command, turn_ref(moment.role, moment.key or str(at // _SAME_MS)))
        text = split_command(text)[0]
        if not text:
            return entry, depth
    entry |= {"role": moment.role, "text": text}
    if moment.ref:
        entry["ref"] = turn_ref(moment.role, moment.ref)
    else:
        entry["ref"] = turn_ref(moment.role, moment.key or str(at // _SAME_MS), text)
    if moment.tool:
        entry |= {"tool": clean.label(moment.tool)[:NAME_CHARS], "files": _files(moment, clean)}
    return entry, depth


def _files(moment: "AgentEvent", clean: Cleaner) -> "list[str]":
    """Return the files of a tool call; a name that no memory can hold is left out, and the call is kept."""
    return [file for file in clean.labels(moment.files[:FILES]) if len(file) <= PATH_CHARS]


def is_unrecorded(entry: "Entry") -> bool:
    """Say whether a message was nothing but a command to forget: of the agent's answer nothing is kept, either."""
    return "seal" in entry and "text" not in entry


def event_key(moment: "AgentEvent") -> str:
    """Return what is the same for every hook that is told of an event, and for no other event."""
    return digest("\0".join((moment.kind, moment.key, moment.text)))[:16]


def plain_id(session: str) -> str:
    """Return a session's id as it may be written down: an id is letters and digits, or it is a text."""
    return session if len(session) <= 100 and set(session) <= _PLAIN else digest(session)[:32]


def _kept_text(moment: "AgentEvent", clean: Cleaner, depth: int, echoes: "frozenset[str]") -> "tuple[str, int]":
    """Return what is kept of a text. A tool's answer neither opens nor closes a private block: a page could."""
    head, longer = cut(moment.text, TURN_READ_CHARS)
    if moment.kind == events.TOOL:
        if depth or shows_memory(moment.tool, moment.text):
            return "", depth
        return cap(clean.text(without_additions(head)), longer=longer), depth
    text, depth = clean.piece(without_additions(head), depth)
    if moment.kind == events.REPLY:
        text = without_echo(text, echoes)
    if longer:
        depth = depth_after(moment.text, len(head), depth)
    return cap(text, longer=longer), depth


def cap(text: str, *, longer: bool) -> str:
    """Cut a clean text to what is kept of one turn, with a mark that says so."""
    raw = text.encode("utf-8", "replace")
    if len(raw) <= TURN_BYTES - len(_CUT_MARK) and not longer:
        return text
    return raw[: TURN_BYTES - len(_CUT_MARK)].decode("utf-8", "ignore") + _CUT_MARK
