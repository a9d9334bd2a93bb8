"""The write path, from what a caller says to what is stored."""

from collections.abc import Callable, Sequence

from holdfast.capture.prepare import Desk, prepare
from holdfast.capture.reconcile import Incoming, Verdict, reconcile
from holdfast.errors import InvalidInput
from holdfast.model.limits import BATCH
from holdfast.model.memory import Added, Draft, Memory
from holdfast.model.records import Event
from holdfast.ports import Store

PRIVATE = Added(id=None, rejected="private")


def remember(drafts: Sequence[Draft], desk: Desk, store_of: Callable[[str], Store]) -> list[Added]:
    """Write what was said; return what became of each draft, in order.

    strip → normalise → redact → classify → fingerprint: each draft by itself, and all before anything is written.
    reconcile → store: in batches; a batch is one transaction and one audit event. What is private as a whole, or
    was forgotten by a person, is not stored; a duplicate strengthens the entry that is there.
    """
    memories = _prepared(drafts, desk)
    results = dict.fromkeys(range(len(drafts)), PRIVATE)
    for scope, places in _by_scope(drafts, memories).items():
        incoming = [Incoming(memory, drafts[place].supersedes) for place, memory in places.items()]
        results.update(zip(places, write(store_of(scope), incoming, desk), strict=True))
    return list(results.values())


def write(store: Store, incoming: Sequence[Incoming], desk: Desk) -> list[Added]:
    """Reconcile prepared memories with a store and write them, one transaction and one audit event a batch."""
    results: list[Added] = []
    for start in range(0, len(incoming), BATCH):
        with store.writing():
            verdict = reconcile(store, incoming[start : start + BATCH], desk.now)
            _store(store, verdict, desk)
        results.extend(verdict.results)
    return results


def _prepared(drafts: Sequence[Draft], desk: Desk) -> list[Memory | None]:
    """Prepare every draft; an error says which of several it is about."""
    memories = []
    for place, draft in enumerate(drafts):
        try:
            memories.append(prepare(draft, desk))
        except InvalidInput as error:
            if len(drafts) == 1:
                raise
            problem = str(error).removeprefix(f"{error.field}: ")
            raise InvalidInput(field=f"items[{place}].{error.field}", problem=problem) from None
    return memories


def _by_scope(drafts: Sequence[Draft], memories: Sequence[Memory | None]) -> dict[str, dict[int, Memory]]:
    """Sort what is to be kept by scope, under its place among the drafts."""
    scopes: dict[str, dict[int, Memory]] = {}
    for place, memory in enumerate(memories):
        if memory is not None:
            scopes.setdefault(drafts[place].scope, {})[place] = memory
    return scopes


def _store(store: Store, verdict: Verdict, desk: Desk) -> None:
    """Write a verdict, its journal first. What is replaced must let go of its fingerprint before anything new."""
    _journal(store, verdict, desk)
    store.tombstones.remove(verdict.returning)
    for memory in verdict.changed.values():
        store.memories.replace(memory)
    store.memories.insert(list(verdict.new.values()))
    store.conflicts.record(verdict.conflicts)


def _journal(store: Store, verdict: Verdict, desk: Desk) -> None:
    counts = {
        "duplicates": sum(result.duplicate for result in verdict.results),
        "rejected": sum(result.rejected is not None for result in verdict.results),
        "conflicts": len(verdict.conflicts),
    }
    detail: dict[str, object] = {name: number for name, number in counts.items() if number}
    touched = tuple(verdict.new) or tuple(dict.fromkeys(verdict.repeated))
    if touched:
        _record(store, desk, "add" if verdict.new else "update", touched, detail)
    for old, new, cue in verdict.retired:
        _record(store, desk, "supersede", (old, new), {"detected": cue} if cue else {})


def _record(store: Store, desk: Desk, action: str, ids: tuple[str, ...], detail: dict[str, object]) -> None:
    store.audit.record(Event(action=action, actor=desk.actor, at=desk.now, ids=ids, detail=detail))
