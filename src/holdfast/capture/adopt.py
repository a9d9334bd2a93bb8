"""Taking in entries that were kept elsewhere: their words take the usual way in, their standing stays behind.

Whoever made an export may write anything into it. So an entry comes in as an imported candidate, whatever it says
of itself, unless the user vouches that the export is their own: then it is as it was. What was forgotten here
stays forgotten either way.
"""

import re
from collections.abc import Iterator, Mapping, Sequence, Set

from holdfast.capture.check import check_choice, check_names, check_number
from holdfast.capture.files import clean_paths
from holdfast.capture.precedence import may_supersede
from holdfast.capture.prepare import Desk, prepare
from holdfast.capture.reconcile import Incoming
from holdfast.capture.remember import remember
from holdfast.errors import InvalidInput, UnusableFile
from holdfast.model.conflict import SUPERSEDED, Conflict
from holdfast.model.entry import Adopted, Carried, Entry
from holdfast.model.ids import is_full_id, new_id
from holdfast.model.kinds import CONFIRMED, IMPORTED, PINNED, STATUSES, TRUSTS
from holdfast.model.limits import BATCH, FILES, PATH_CHARS
from holdfast.model.memory import Added, Draft, Memory
from holdfast.model.proposal import Proposal
from holdfast.model.records import Event
from holdfast.model.value import Value, replace
from holdfast.ports import Store

FORGOTTEN = Added(id=None, rejected="forgotten")
PRIVATE = Added(id=None, rejected="private")
_COMMIT = re.compile(r"[0-9a-f]{40,64}")
_HASH = re.compile(r"[0-9a-f]{16}")


class Terms(Value, kw_only=True):
    """On what terms entries are taken in."""

    own: bool = False
    """The user vouches for them: standing, dates and ids stay as they are."""
    confirmed: bool = False
    """The user says that all of them hold."""
    scope: str = "project"


class Prepared(Value):
    """An entry and the memory it would be; None when all that it says is private."""

    entry: Entry
    memory: Memory | None


def prepare_entries(entries: Sequence[Entry], terms: Terms, desk: Desk) -> list[Prepared]:
    """Prepare every entry before any is written; an error names the place where the entry stands."""
    return [Prepared(entry, _prepared(entry, terms, desk)) for entry in entries]


def adopt(store: Store, prepared: Sequence[Prepared], terms: Terms, desk: Desk, barred: Set[str]) -> Adopted:
    """Write prepared entries; to be called inside a transaction. Of one's own, `tie` comes after the last of them.

    An entry whose id is here is left as it is here. One that the same source said before is not said again by
    being read again. History comes in as history.
    """
    results: dict[int, Added] = {}
    known = _known(store, prepared)
    fresh = [place for place, one in enumerate(prepared) if one.memory and one.memory.id not in known]
    for place, one in enumerate(prepared):
        if one.memory is None:
            results[place] = PRIVATE
        elif one.memory.id in known:
            results[place] = Added(id=one.memory.id, duplicate=True)
    past = [place for place in fresh if _memory(prepared[place]).superseded]
    current = [] if terms.own else [place for place in fresh if place not in set(past)]
    kept = fresh if terms.own else past
    results |= _placed(current, _as_imported(store, [prepared[place] for place in current], desk, barred))
    results |= _placed(kept, _as_they_were(store, [prepared[place] for place in kept], desk, barred))
    return Adopted(
        results=tuple(results[place] for place in range(len(prepared))),
        known=len(known),
        superseded=sum(results[place].created for place in past),
    )


def tie(store: Store, prepared: Sequence[Prepared], desk: Desk) -> None:
    """Write what entries of one's own have to do with each other: conflicts, and what waits for a person."""
    _note(store, [conflict for one in prepared for conflict in one.entry.carried.conflicts])
    _ask_again(store, [wish for one in prepared for wish in one.entry.carried.proposals], desk)


def together(parts: Sequence[Adopted]) -> Adopted:
    """Return what became of entries that were written in parts."""
    return Adopted(
        results=tuple(result for part in parts for result in part.results),
        known=sum(part.known for part in parts),
        superseded=sum(part.superseded for part in parts),
    )


def _placed(places: Sequence[int], results: Sequence[Added]) -> dict[int, Added]:
    return dict(zip(places, results, strict=True))


def _memory(prepared: Prepared) -> Memory:
    assert prepared.memory  # noqa: S101 - only those that have one are asked
    return prepared.memory


# ── what an entry would be ───────────────────────────────────────────────────────────────────────────────────


def _prepared(entry: Entry, terms: Terms, desk: Desk) -> Memory | None:
    carried = entry.carried
    trust = carried.trust or IMPORTED if terms.own else IMPORTED
    at = entry.draft.at
    said = min(at, desk.now) if isinstance(at, int) else at
    try:
        check_choice("trust", trust, TRUSTS)
        check_choice("status", carried.status or CONFIRMED, STATUSES)
        check_number("kind_confidence", carried.kind_confidence)
        draft = replace(entry.draft, trust=trust, scope=terms.scope, at=said, supersedes=None)
        memory = prepare(draft, desk) if carried.file_hashes is None else _prepared_unread(draft, desk)
    except InvalidInput as error:
        raise UnusableFile(where=entry.where, problem=str(error)) from None
    return None if memory is None else _dressed(memory, carried, terms, desk)


def _prepared_unread(draft: Draft, desk: Desk) -> Memory | None:
    """Prepare a draft without looking at its files: what they hold now is not what they held then."""
    check_names("files", draft.files, FILES, PATH_CHARS)
    files = clean_paths(desk.root, draft.files, desk.cleaner)
    return prepare(replace(draft, files=files), replace(desk, root=None))


def _dressed(memory: Memory, carried: Carried, terms: Terms, desk: Desk) -> Memory:
    """Put on a memory what it brings along: where it came from always, how it stands only if it is our own."""
    clean = desk.cleaner
    commit = carried.commit if carried.commit and _COMMIT.fullmatch(carried.commit) else None
    came = replace(
        memory,
        id=carried.id or memory.id,
        sources=clean.labels((*memory.sources, *carried.sources)),
        agent=clean.label(carried.agent) or None if carried.agent else None,
        branch=clean.label(carried.branch) or None if carried.branch else None,
        commit=commit,
        file_hashes=memory.file_hashes if carried.file_hashes is None else _hashes(memory, carried.file_hashes),
        status=CONFIRMED if terms.confirmed else memory.status,
        valid_from=_past(carried.valid_from, memory.created_at, desk),
        valid_until=carried.valid_until,
        superseded_by=carried.superseded_by if carried.valid_until is not None else None,
    )
    return _standing(came, carried, desk) if terms.own else came


def _standing(memory: Memory, carried: Carried, desk: Desk) -> Memory:
    clean = desk.cleaner
    sources = clean.labels(carried.sources) or memory.sources
    return replace(
        memory,
        sources=sources,
        status=carried.status or memory.status,
        user=clean.label(carried.user) if carried.user else memory.user,
        session=carried.session if carried.session and is_full_id(carried.session) else None,
        updated_at=_past(carried.updated_at, memory.updated_at, desk),
        renewed_at=_past(carried.renewed_at, memory.renewed_at, desk),
        accessed_at=carried.accessed_at,
        reads=max(0, carried.reads),
        kind_confidence=carried.kind_confidence,
    )


def _hashes(memory: Memory, carried: Mapping[str, str]) -> dict[str, str]:
    return {file: carried[file] for file in memory.files if _HASH.fullmatch(carried.get(file, ""))}


def _past(given: int | None, otherwise: int, desk: Desk) -> int:
    """Return a moment that lies behind us: nothing was said in the future."""
    return otherwise if given is None else min(given, desk.now)


# ── writing them ─────────────────────────────────────────────────────────────────────────────────────────────


def _known(store: Store, prepared: Sequence[Prepared]) -> set[str]:
    ids = [one.entry.carried.id for one in prepared if one.entry.carried.id]
    return {memory.id for batch in _batches(ids) for memory in store.memories.get(batch)}


def _as_imported(store: Store, prepared: Sequence[Prepared], desk: Desk, barred: Set[str]) -> list[Added]:
    """Compare with what is known and write, as if each were said now; but no source says a thing twice."""
    said = _said_before(store, prepared)
    results: dict[int, Added] = {place: Added(id=kept, duplicate=True) for place, kept in said.items()}
    new = [place for place in range(len(prepared)) if place not in said]
    ties = [_tie(store, prepared[place]) for place in new]
    written = remember(store, [incoming for incoming, _ in ties], desk, barred)
    _note(
        store, [conflict for added, (_, conflict) in zip(written, ties, strict=True) if added.created and conflict]
    )
    results |= _placed(new, written)
    return [results[place] for place in range(len(prepared))]


def _said_before(store: Store, prepared: Sequence[Prepared]) -> dict[int, str]:
    """Return the ids of what the same source has said already, by place."""
    said: dict[int, str] = {}
    for start in range(0, len(prepared), BATCH):
        batch = [_memory(one) for one in prepared[start : start + BATCH]]
        there = store.memories.saying(batch[0].project, [memory.fingerprint for memory in batch])
        for place, memory in enumerate(batch, start):
            kept = there.get(memory.fingerprint)
            if kept and memory.source in kept.sources:
                said[place] = kept.id
    return said


def _tie(store: Store, prepared: Prepared) -> tuple[Incoming, Conflict | None]:
    """Tie a memory to what it is said to supersede, where it may; where it may not, that is a conflict."""
    memory, wanted = _memory(prepared), prepared.entry.draft.supersedes
    old = next(iter(store.memories.get([wanted])), None) if wanted else None
    if old is None or old.superseded or old.fingerprint == memory.fingerprint:
        return Incoming(memory), None
    if may_supersede(memory, old):
        return Incoming(memory, old.id), None
    at = memory.updated_at
    return Incoming(memory), Conflict(
        id=new_id(at), first=old.id, second=memory.id, kind=SUPERSEDED, detected_at=at
    )


def _as_they_were(store: Store, prepared: Sequence[Prepared], desk: Desk, barred: Set[str]) -> list[Added]:
    """Write without comparing: these were compared where they were said, and what was decided then holds."""
    results: list[Added] = []
    for start in range(0, len(prepared), BATCH):
        batch = [_memory(one) for one in prepared[start : start + BATCH]]
        prints = [memory.fingerprint for memory in batch]
        forgotten = store.tombstones.standing(prints) | barred
        saying = store.memories.saying(batch[0].project, prints)
        new: list[Memory] = []
        for memory in batch:
            kept = None if memory.superseded else saying.get(memory.fingerprint)
            if memory.fingerprint in forgotten:
                results.append(FORGOTTEN)
            elif kept:
                results.append(Added(id=kept.id, duplicate=True))
            else:
                new.append(memory)
                saying |= {} if memory.superseded else {memory.fingerprint: memory}
                results.append(Added(id=memory.id, created=True))
        if new:
            ids = tuple(memory.id for memory in new)
            detail = {"imported": len(ids)}
            store.audit.record(Event(action="add", actor=desk.actor.name, at=desk.now, ids=ids, detail=detail))
            store.memories.insert(new)
    return results


def limit_pins(prepared: Sequence[Prepared], pins: int) -> list[Prepared]:
    """Let only so many of the entries be pinned; the others are confirmed."""
    left = pins
    limited: list[Prepared] = []
    for one in prepared:
        pinned = one.memory and one.memory.status == PINNED and not one.memory.superseded
        too_many = one.memory and pinned and left <= 0
        limited.append(Prepared(one.entry, replace(_memory(one), status=CONFIRMED)) if too_many else one)
        left -= bool(pinned)
    return limited


def _note(store: Store, conflicts: Sequence[Conflict]) -> None:
    """Record those conflicts whose two sides are both here."""
    sides = [side for one in conflicts for side in (one.first, one.second)]
    here = {memory.id for batch in _batches(sides) for memory in store.memories.get(batch)}
    store.conflicts.record([one for one in conflicts if {one.first, one.second} <= here])


def _ask_again(store: Store, proposals: Sequence[Proposal], desk: Desk) -> None:
    """Keep what waited for a person where it came from, and whose memories are here."""
    clean = desk.cleaner
    for one in proposals:
        named = [one.memory, *([one.other] if one.other else [])]
        if len(store.memories.get(named)) == len(named) and store.proposals.get(one.id) is None:
            cleaned = replace(
                one,
                arguments=clean.json(one.arguments),  # type: ignore[arg-type]  # names are texts
                actor=clean.label(one.actor),
                agent=clean.label(one.agent) if one.agent else None,
                why=clean.text(one.why),
            )
            store.proposals.put([cleaned])


def _batches(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(ids), BATCH):
        yield ids[start : start + BATCH]
