"""Taking in what hooks spooled: from files of entries to sessions and turns, each once.

An entry is kept in the same transaction as the note that it was, and its file goes only after that: a crash at any
place leaves entries that are taken in again by nobody, and none that is lost.
"""

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct, field

from holdfast.agents import spool
from holdfast.errors import HoldfastError, SpoolUnwritable, StoreError, SwitchedOff
from holdfast.machine.environment import now
from holdfast.model.ids import session_ref
from holdfast.model.limits import DAY_MS
from holdfast.model.requests import Message
from holdfast.ports import Store
from holdfast.service.service import Service
from holdfast.service.user_words import note_seal
from holdfast.storage.open import SPOOL, Profile, open_for_spool
from holdfast.stores.retry import again

CHUNK = 50
"""Entries of one transaction: other processes want to write as well."""

ACT = "act"
"""The kind of an entry that says what became of a call which a rule was told about."""

CHECKPOINTS = ("compact", "pause")
"""Moments at which a session is read so far."""

REMEMBERED_MS = 7 * DAY_MS
"""How long it is known of an entry that it was taken in, where its file could not be removed."""

PATIENCE_S = 5.0
"""How long a command waits for a worker that drains just then."""


Entries = Sequence[tuple[int, "spool.Entry"]]
OnRefusal = Callable[[str, BaseException], None]
"""Told of an entry that cannot be kept: which, and why."""


class Drain(Struct):
    """One pass over a project's spool."""

    folder: str
    service: Service
    store: Store
    on_refusal: OnRefusal
    _aside: set[str] = field(default_factory=set)
    _unkept: set[str] = field(default_factory=set)
    """Files with entries that could neither be taken in nor be put aside."""

    def files(self, paths: Sequence[str]) -> None:
        """Take in sealed files, oldest first, and remove each once all of it is kept."""
        self.service.check_on()
        for path in paths:
            name = Path(path).name
            for chunk in _chunks(spool.entries(path)):
                self._take(name, chunk)
            spool.keep_refused(path) if name in self._unkept else spool.remove(path)
        self._release([Path(path).name for path in paths])

    @again
    def _release(self, names: Sequence[str]) -> None:
        with self.store.writing():
            self.store.spooled.release(now() - REMEMBERED_MS, names)

    def _take(self, name: str, entries: Entries) -> None:
        """Take in some entries, of which only the last may end a session."""
        self._take_in(name, [(sequence, entry) for sequence, entry in entries if not _ends(entry)])
        sequence, last = entries[-1]
        if _ends(last):
            self._end(name, sequence, last)

    @again
    def _take_in(self, name: str, entries: Entries) -> None:
        with self.store.writing():
            for sequence, entry in entries:
                if self.store.spooled.claim(name, sequence, now()):
                    self._keep(f"{name}:{sequence}", entry)

    def _keep(self, label: str, entry: "spool.Entry") -> None:
        """Keep one entry; one that cannot be kept, whatever came into it, must not hold up the others."""
        try:
            with self.store.writing():
                session = self._session(entry)
                if entry.get("kind") == ACT:
                    self.service.acts.count(
                        self.store, _texts(entry, "rules"), _text(entry, "fate"), _at(entry) or now()
                    )
                if entry.get("kind") in CHECKPOINTS:
                    self.service.checkpoint(session)
                if _text(entry, "seal"):
                    note_seal(self.store, _text(entry, "seal"), _at(entry) or now())
                if _text(entry, "text"):
                    self.service.record(
                        session,
                        Message(
                            role=_text(entry, "role") or "unknown",
                            text=_text(entry, "text"),
                            at=_at(entry),
                            ref=_text(entry, "ref") or None,
                            tool=_text(entry, "tool") or None,
                            files=_texts(entry, "files"),
                        ),
                    )
        except Exception as error:  # whatever is wrong with it, the others shall not wait for it
            if not _is_its_own(error):
                raise
            self._set_aside(label, entry, error)

    def _set_aside(self, label: str, entry: "spool.Entry", error: Exception) -> None:
        """Put an entry aside once, even if the transaction around it has to be tried again."""
        if label not in self._aside:
            self._aside.add(label)
            try:
                spool.set_aside(self.folder, entry)
            except (OSError, spool.SpoolFull):
                self._unkept.add(label.rpartition(":")[0])
            self.on_refusal(label, error)

    def _end(self, name: str, sequence: int, entry: "spool.Entry") -> None:
        """End a session. Noted afterwards, because ending embeds and backs up, and ending twice changes
        nothing."""
        try:
            self.service.end_session(self._session(entry))
        except Exception as error:
            if not _is_its_own(error):
                raise
            self.on_refusal(f"{name}:{sequence}", error)
        self._claim(name, sequence)

    @again
    def _claim(self, name: str, sequence: int) -> None:
        with self.store.writing():
            self.store.spooled.claim(name, sequence, now())

    def _session(self, entry: "spool.Entry") -> str:
        """Return the session that an entry is of; the first that is heard of it begins it."""
        ref = session_ref(_text(entry, "client"), _text(entry, "session"))
        return self.service.start_session(agent=_text(entry, "agent"), at=_at(entry), ref=ref).id


def drain(root: str, on_refusal: OnRefusal = lambda label, error: None, profile: Profile = SPOOL) -> int:
    """Take in everything that waits in a project's spool; return how many files that was.

    The caller holds the lock: one drains at a time.
    """
    folder = spool.folder_of(root)
    try:
        return _drain(root, folder, on_refusal, profile)
    except OSError as error:
        raise SpoolUnwritable(path=folder, problem=error.strerror or str(error)) from error


def _drain(root: str, folder: str, on_refusal: OnRefusal, profile: Profile) -> int:
    paths = spool.seal(folder)
    if not paths:
        return 0
    service, store = open_for_spool(Path(root), profile)
    with contextlib.closing(service):
        Drain(folder, service, store, on_refusal).files(paths)
        if profile.starts_worker:
            service.vector_backlog.leave()
    return len(paths)


def drain_everything(on_refusal: OnRefusal = lambda label, error: None) -> None:
    """Take in what waits in the spools of all projects, as far as that can be done now."""
    for root in spool.roots():
        lock = spool.hold(spool.folder_of(root), spool.DRAINING, PATIENCE_S)
        if lock is None:
            continue
        try:
            drain(root, on_refusal)
        except (HoldfastError, OSError) as error:
            on_refusal(root, error)
        finally:
            os.close(lock)


def _is_its_own(error: Exception) -> bool:
    """Whether an error is the entry's own: a store that is busy, full or damaged would refuse any other, too."""
    return type(error) is StoreError or not isinstance(error, StoreError | SwitchedOff)


def _chunks(entries: "Iterator[tuple[int, spool.Entry]]") -> Iterator[list[tuple[int, "spool.Entry"]]]:
    """Cut entries into runs of at most `CHUNK`, none going on after the end of a session."""
    chunk: list[tuple[int, spool.Entry]] = []
    for sequence, entry in entries:
        chunk.append((sequence, entry))
        if len(chunk) == CHUNK or _ends(entry):
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def _ends(entry: "spool.Entry") -> bool:
    return entry.get("kind") == "end"


def _text(entry: "spool.Entry", name: str) -> str:
    value = entry.get(name)
    return value if isinstance(value, str) else ""


def _texts(entry: "spool.Entry", name: str) -> tuple[str, ...]:
    value = entry.get(name)
    return tuple(text for text in value if isinstance(text, str)) if isinstance(value, list) else ()


def _at(entry: "spool.Entry") -> int | None:
    """Return when an entry says that it happened; a client's clock may be ahead of ours."""
    value = entry.get("at")
    return min(value, now()) if isinstance(value, int) else None
