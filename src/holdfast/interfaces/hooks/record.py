"""From a moment to an entry of the spool: what was said, without what others added, and clean. Light.

`clean` is the same door that every write to the store goes through, so nothing reaches the disk that may not be kept.
"""

import time

from holdfast.capture.clean import Cleaner
from holdfast.digest import digest
from holdfast.interfaces.hooks import marks, moments
from holdfast.interfaces.hooks.additions import shows_memory, without_additions

TYPE_CHECKING = False  # typing's own, without importing typing
if TYPE_CHECKING:
    from holdfast.interfaces.hooks.moments import Moment
    from holdfast.spool import Entry

TEXT_CHARS = 131_072
"""What is cleaned of a text: twice what is kept of a turn, so that no secret lies across the end of what is kept."""

KEPT_BYTES = 65_536
_SAME_MS = 3_000
"""How long two hooks may take over one event of a client that gives its events no name."""


def entry_of(client: str, agent: str, moment: "Moment", clean: Cleaner, depth: int) -> "tuple[Entry | None, int]":
    """Return the entry for a moment (None when nothing was said), and how many private blocks are open after it."""
    at = moment.at or int(time.time() * 1000)
    entry: Entry = {
        "kind": moment.kind,
        "client": client,
        "agent": agent,
        "session": moment.session,
        "at": at,
    }
    if moment.role:
        text, depth = _kept(moment, clean, depth)
        if not text:
            return None, depth
        entry |= {"role": moment.role, "text": text}
    if moment.tool:
        entry |= {"tool": clean.label(moment.tool)[:200], "files": list(clean.labels(moment.files[:20]))}
    if moment.ref:
        entry["ref"] = digest(moment.ref)[:16]
    named = moment.key or str(at // _SAME_MS)
    entry["event"] = digest("\0".join((client, moment.session, moment.kind, named, str(entry.get("text", "")))))[
        :24
    ]
    return entry, depth


def _kept(moment: "Moment", clean: Cleaner, depth: int) -> "tuple[str, int]":
    """Return what is kept of a text. A tool's answer neither opens nor closes a private block: a page could."""
    from holdfast.capture.redact import cut

    if moment.kind == moments.TOOL:
        if depth or shows_memory(moment.tool, moment.text):
            return "", depth
        head, longer = cut(moment.text, TEXT_CHARS)
        return _capped(clean.text(without_additions(head)), longer), depth
    head, longer = cut(moment.text, TEXT_CHARS)
    text, depth = clean.piece(without_additions(head), depth)
    return _capped(text, longer), depth


def _capped(text: str, longer: bool) -> str:
    raw = text.encode("utf-8", "replace")
    if len(raw) <= KEPT_BYTES and not longer:
        return text
    return raw[: KEPT_BYTES - 100].decode("utf-8", "ignore") + "\n… [cut]"


def depth_of(folder: str, name: str) -> int:
    """Return how many private blocks are open in a session."""
    text = marks.read(folder, name, marks.DEPTH)
    return int(text) if text.isdigit() else 0
