"""What was settled last, and taking it back.

A store notes of each settlement how the memories stood before and after: their standing, never their words.
Words that an edit replaces stay with their memory, under a key of its metadata, and go with it. What was changed
since by other means is not taken back: whoever changed it had the later word.
"""

import json
from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from holdfast.errors import InvalidInput, PinLimitReached, SameContent
from holdfast.model.kinds import BEFORE_EDIT, PINNED
from holdfast.model.limits import PINS
from holdfast.model.memory import Memory
from holdfast.ports import Store
from holdfast.service.change import reread

LEDGER = "review_ledger"
"""The fact of a store that holds its latest settlements."""

MOST_REMEMBERED = 20
"""Settlements that can be taken back, the latest first."""

STANDING_FIELDS = ("status", "trust", "valid_until", "superseded_by", "renewed_at")
"""What a settlement changes of a memory, besides its words."""

WORDS = (
    "content", "title", "kind", "kind_confidence", "context", "tags", "files", "file_hashes", "importance",
    "confidence", "expires", "fingerprint",
)  # fmt: skip
"""What an edit may change, as it is put back."""

Standings = Mapping[str, Mapping[str, object]]
"""How memories stand, by id."""


class LedgerEntry(Struct, frozen=True, kw_only=True):
    """One settlement, as far as it takes to undo it."""

    id: str
    sort: str
    at: int
    before: Standings
    after: Standings
    edited: tuple[str, ...] = ()
    """Memories whose earlier words are kept in their metadata."""
    barred: tuple[str, ...] = ()
    """Memories that agents and ingests may not bring back since."""
    about: str | None = None
    """The memory that stands for it, where there are two."""


def standings(store: Store, ids: Sequence[str]) -> dict[str, dict[str, object]]:
    """Return how memories stand now."""
    return {
        memory.id: {name: getattr(memory, name) for name in STANDING_FIELDS} for memory in store.memories.get(ids)
    }


def entries(store: Store) -> list[LedgerEntry]:
    """Return what can be taken back, the latest last."""
    ledger_text = store.upkeep.fact(LEDGER)
    rows = json.loads(ledger_text) if isinstance(ledger_text, str) and ledger_text else []
    return [LedgerEntry(**row | {name: tuple(row[name]) for name in ("edited", "barred")}) for row in rows]


def note(store: Store, entry: LedgerEntry) -> None:
    """Note a settlement, inside its transaction."""
    _write(store, [*entries(store), entry])


def with_words_kept(memory: Memory, before: Memory) -> Memory:
    """Return an edited memory that keeps the words it had, so that the edit can be taken back."""
    words = {name: _plain(getattr(before, name)) for name in WORDS}
    had = {key: value for key, value in before.metadata.items() if key != BEFORE_EDIT}  # one edit deep
    return replace(memory, metadata={**memory.metadata, BEFORE_EDIT: {**words, "metadata": had}})


def take_back(store: Store, entry: LedgerEntry, now: int, *, pinned: int) -> list[Memory]:
    """Let memories stand as they did before a settlement, inside a transaction; return them.

    `pinned` is how many are pinned now, in every scope.
    """
    memories = store.memories.get(list(entry.before))
    _check_untouched(entry, memories)
    restored_memories = [_restore(memory, entry, now) for memory in memories]
    new_pins = [
        memory for memory, was in zip(restored_memories, memories, strict=True) if _becomes_pinned(was, memory)
    ]
    if new_pins and pinned + len(new_pins) > PINS:
        raise PinLimitReached(limit=PINS)
    for memory in restored_memories:
        rival = store.memories.saying(memory.project, [memory.fingerprint]).get(memory.fingerprint)
        if rival and rival.id not in entry.before and not memory.superseded:
            raise SameContent(id=rival.id)
    store.tombstones.remove([memory.fingerprint for memory in restored_memories if memory.id in entry.barred])
    for memory in sorted(restored_memories, key=lambda restored_memory: not restored_memory.superseded):
        store.memories.replace(memory)
    _write(store, [ledger_entry for ledger_entry in entries(store) if ledger_entry != entry])
    return [reread(store, memory.id) for memory in restored_memories]


def _restore(memory: Memory, entry: LedgerEntry, now: int) -> Memory:
    restored_memory = replace(memory, **entry.before[memory.id], updated_at=now)
    words = memory.metadata.get(BEFORE_EDIT) if memory.id in entry.edited else None
    if memory.id in entry.edited and not isinstance(words, dict):
        raise InvalidInput(
            field="undo", problem="is not possible: the words before the edit are not kept any more."
        )
    if not isinstance(words, dict):
        return restored_memory
    return replace(restored_memory, **{name: _pack_value(name, value) for name, value in words.items()})


def _check_untouched(entry: LedgerEntry, memories: Sequence[Memory]) -> None:
    """Refuse where a memory is gone or stands otherwise than the settlement left it."""
    if len(memories) < len(entry.before):
        raise InvalidInput(field="undo", problem="is not possible: what it was about was forgotten since.")
    field_names = ("status", "trust", "valid_until", "superseded_by")
    for memory in memories:
        state_after = entry.after[memory.id]
        if any(getattr(memory, name) != state_after[name] for name in field_names):
            advice = "`holdfast log` says by whom."
            problem = f"is not possible: memory {memory.id[-8:]} was changed since. {advice}"
            raise InvalidInput(field="undo", problem=problem)


def _becomes_pinned(was: Memory, now: Memory) -> bool:
    return now.status == PINNED and not now.superseded and (was.status != PINNED or was.superseded)


def _write(store: Store, ledger: Sequence[LedgerEntry]) -> None:
    rows = [
        {name: getattr(entry, name) for name in entry.__struct_fields__} for entry in ledger[-MOST_REMEMBERED:]
    ]
    store.upkeep.note(LEDGER, json.dumps(rows))


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else dict(value) if isinstance(value, Mapping) else value


def _pack_value(name: str, value: object) -> object:
    return tuple(value) if name in ("tags", "files") and isinstance(value, list) else value
