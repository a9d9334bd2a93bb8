"""Taking in entries that were kept elsewhere: their words take the usual way in, their standing stays behind.

Whoever made an export may write anything into it. So an entry comes in as an imported candidate, whatever it says
of itself, unless the user vouches that the export is their own: then it is as it was. What was forgotten here
stays forgotten either way.
"""

import re
from collections.abc import Iterator, Mapping, Sequence, Set

from msgspec import Struct
from msgspec.structs import replace

from holdfast.capture.check import check_choice, check_names, check_number, clean_paths
from holdfast.capture.precedence import may_supersede
from holdfast.capture.prepare import WriteContext, prepare
from holdfast.capture.reconcile import Incoming, remember
from holdfast.errors import InvalidInput, UnusableFile
from holdfast.model.ids import is_full_id, new_id
from holdfast.model.inbox import Proposal
from holdfast.model.ingest import Adopted, Carried, Entry
from holdfast.model.kinds import CONFIRMED, IMPORTED, PINNED, STATUSES, TRUSTS
from holdfast.model.limits import BATCH, BULK, FILES, PATH_CHARS
from holdfast.model.memory import SUPERSEDED, Added, Conflict, Memory
from holdfast.model.records import Event
from holdfast.model.requests import Draft
from holdfast.ports import Progress, Store

FORGOTTEN = Added(id=None, rejected="forgotten")
PRIVATE = Added(id=None, rejected="private")
_COMMIT = re.compile(r"[0-9a-f]{40,64}")
_HASH = re.compile(r"[0-9a-f]{16}")


class AdoptionTerms(Struct, frozen=True, kw_only=True):
    """On what terms entries are taken in."""

    own: bool = False
    """The user vouches for them: standing, dates and ids stay as they are."""
    confirmed: bool = False
    """The user says that all of them hold."""
    scope: str = "project"


class PreparedEntry(Struct, frozen=True):
    """An entry and the memory it would be; None when all that it says is private."""

    entry: Entry
    memory: Memory | None


def prepare_entries(
    entries: Sequence[Entry], terms: AdoptionTerms, desk: WriteContext, progress: Progress = lambda count: None
) -> list[PreparedEntry]:
    """Prepare every entry before any is written; an error names the place where the entry stands."""
    prepared_entries: list[PreparedEntry] = []
    for start in range(0, len(entries), BULK):
        part = entries[start : start + BULK]
        prepared_entries += [PreparedEntry(entry, _prepare_entry(entry, terms, desk)) for entry in part]
        progress(len(part))
    return prepared_entries


def adopt(
    store: Store,
    prepared_entries: Sequence[PreparedEntry],
    terms: AdoptionTerms,
    desk: WriteContext,
    barred_prints: Set[str],
) -> Adopted:
    """Write prepared entries; to be called inside a transaction. Of one's own, `tie` comes after the last of them.

    An entry whose id is here is left as it is here. One that the same source said before is not said again by
    being read again. History comes in as history.
    """
    results: dict[int, Added] = {}
    ids_here = known_ids(store, prepared_entries)
    fresh = [
        place
        for place, prepared_entry in enumerate(prepared_entries)
        if prepared_entry.memory and prepared_entry.memory.id not in ids_here
    ]
    for place, prepared_entry in enumerate(prepared_entries):
        if prepared_entry.memory is None:
            results[place] = PRIVATE
        elif prepared_entry.memory.id in ids_here:
            results[place] = Added(id=prepared_entry.memory.id, duplicate=True)
    past = [place for place in fresh if _memory(prepared_entries[place]).superseded]
    current = [] if terms.own else [place for place in fresh if place not in set(past)]
    unchanged_places = fresh if terms.own else past
    results |= _placed(
        current, _as_imported(store, [prepared_entries[place] for place in current], desk, barred_prints)
    )
    results |= _placed(
        unchanged_places,
        _as_they_were(store, [prepared_entries[place] for place in unchanged_places], desk, barred_prints),
    )
    return Adopted(
        results=tuple(results[place] for place in range(len(prepared_entries))),
        known=len(ids_here),
        superseded=sum(results[place].created for place in past),
    )


def tie(store: Store, prepared_entries: Sequence[PreparedEntry], desk: WriteContext) -> None:
    """Write what entries of one's own have to do with each other: conflicts, and what waits for a person."""
    _note(
        store,
        [conflict for prepared_entry in prepared_entries for conflict in prepared_entry.entry.carried.conflicts],
    )
    _ask_again(
        store,
        [wish for prepared_entry in prepared_entries for wish in prepared_entry.entry.carried.proposals],
        desk,
    )


def together(parts: Sequence[Adopted]) -> Adopted:
    """Return what became of entries that were written in parts."""
    return Adopted(
        results=tuple(result for part in parts for result in part.results),
        known=sum(part.known for part in parts),
        superseded=sum(part.superseded for part in parts),
    )


def _placed(places: Sequence[int], results: Sequence[Added]) -> dict[int, Added]:
    return dict(zip(places, results, strict=True))


def _memory(prepared_entry: PreparedEntry) -> Memory:
    assert prepared_entry.memory  # noqa: S101 - only those that have one are asked
    return prepared_entry.memory


# ── what an entry would be ───────────────────────────────────────────────────────────────────────────────────


def _prepare_entry(entry: Entry, terms: AdoptionTerms, desk: WriteContext) -> Memory | None:
    carried_fields = entry.carried
    trust = carried_fields.trust or IMPORTED if terms.own else IMPORTED
    at = entry.draft.at
    said_at = min(at, desk.now) if isinstance(at, int) else at
    try:
        check_choice("trust", trust, TRUSTS)
        check_choice("status", carried_fields.status or CONFIRMED, STATUSES)
        check_number("kind_confidence", carried_fields.kind_confidence)
        draft = replace(entry.draft, trust=trust, scope=terms.scope, at=said_at, supersedes=None)
        memory = prepare(draft, desk) if carried_fields.file_hashes is None else _prepared_unread(draft, desk)
    except InvalidInput as error:
        raise UnusableFile(where=entry.where, problem=str(error)) from None
    return None if memory is None else _with_carried_fields(memory, carried_fields, terms, desk)


def _prepared_unread(draft: Draft, desk: WriteContext) -> Memory | None:
    """Prepare a draft without looking at its files: what they hold now is not what they held then."""
    if not draft.files:
        return prepare(draft, desk)
    check_names("files", draft.files, FILES, PATH_CHARS)
    files = clean_paths(desk.root, draft.files, desk.cleaner)
    return prepare(replace(draft, files=files), replace(desk, root=None))


def _with_carried_fields(
    memory: Memory, carried_fields: Carried, terms: AdoptionTerms, desk: WriteContext
) -> Memory:
    """Put on a memory what it brings along: where it came from always, how it stands only if it is our own."""
    clean = desk.cleaner
    commit = carried_fields.commit if carried_fields.commit and _COMMIT.fullmatch(carried_fields.commit) else None
    came = replace(
        memory,
        id=carried_fields.id or memory.id,
        sources=clean.labels((*memory.sources, *carried_fields.sources)),
        agent=clean.label(carried_fields.agent) or None if carried_fields.agent else None,
        branch=clean.label(carried_fields.branch) or None if carried_fields.branch else None,
        commit=commit,
        file_hashes=memory.file_hashes
        if carried_fields.file_hashes is None
        else _hashes(memory, carried_fields.file_hashes),
        status=CONFIRMED if terms.confirmed else memory.status,
        valid_from=_past(carried_fields.valid_from, memory.created_at, desk),
        valid_until=carried_fields.valid_until,
        superseded_by=carried_fields.superseded_by if carried_fields.valid_until is not None else None,
    )
    return _with_standing(came, carried_fields, desk) if terms.own else came


def _with_standing(memory: Memory, carried_fields: Carried, desk: WriteContext) -> Memory:
    clean = desk.cleaner
    sources = clean.labels(carried_fields.sources) or memory.sources
    return replace(
        memory,
        sources=sources,
        status=carried_fields.status or memory.status,
        user=clean.label(carried_fields.user) if carried_fields.user else memory.user,
        session=carried_fields.session if carried_fields.session and is_full_id(carried_fields.session) else None,
        updated_at=_past(carried_fields.updated_at, memory.updated_at, desk),
        renewed_at=_past(carried_fields.renewed_at, memory.renewed_at, desk),
        accessed_at=carried_fields.accessed_at,
        reads=max(0, carried_fields.reads),
        kind_confidence=carried_fields.kind_confidence,
    )


def _hashes(memory: Memory, carried_hashes: Mapping[str, str]) -> dict[str, str]:
    return {file: carried_hashes[file] for file in memory.files if _HASH.fullmatch(carried_hashes.get(file, ""))}


def _past(moment: int | None, otherwise: int, desk: WriteContext) -> int:
    """Return a moment that lies behind us: nothing was said in the future."""
    return otherwise if moment is None else min(moment, desk.now)


# ── writing them ─────────────────────────────────────────────────────────────────────────────────────────────


def known_ids(store: Store, prepared_entries: Sequence[PreparedEntry]) -> set[str]:
    """Return the ids that entries bring along and that a store has already."""
    ids = [
        prepared_entry.entry.carried.id for prepared_entry in prepared_entries if prepared_entry.entry.carried.id
    ]
    return {memory.id for batch in _batches(ids) for memory in store.memories.get(batch)}


def _as_imported(
    store: Store, prepared_entries: Sequence[PreparedEntry], desk: WriteContext, barred_prints: Set[str]
) -> list[Added]:
    """Compare with what is known and write, as if each were said now; but no source says a thing twice."""
    known_ids_by_place = _said_before(store, prepared_entries)
    results: dict[int, Added] = {
        place: Added(id=memory_id, duplicate=True) for place, memory_id in known_ids_by_place.items()
    }
    new = [place for place in range(len(prepared_entries)) if place not in known_ids_by_place]
    ties = [_tie(store, prepared_entries[place]) for place in new]
    additions = remember(store, [incoming for incoming, _ in ties], desk, barred_prints)
    _note(
        store,
        [
            conflict
            for addition, (_, conflict) in zip(additions, ties, strict=True)
            if addition.created and conflict
        ],
    )
    results |= _placed(new, additions)
    return [results[place] for place in range(len(prepared_entries))]


def _said_before(store: Store, prepared_entries: Sequence[PreparedEntry]) -> dict[int, str]:
    """Return the ids of what the same source has said already, by place."""
    known_ids_by_place: dict[int, str] = {}
    for start in range(0, len(prepared_entries), BATCH):
        batch = [_memory(prepared_entry) for prepared_entry in prepared_entries[start : start + BATCH]]
        there = store.memories.saying(batch[0].project, [memory.fingerprint for memory in batch])
        for place, memory in enumerate(batch, start):
            known_memory = there.get(memory.fingerprint)
            if known_memory and memory.source in known_memory.sources:
                known_ids_by_place[place] = known_memory.id
    return known_ids_by_place


def _tie(store: Store, prepared_entry: PreparedEntry) -> tuple[Incoming, Conflict | None]:
    """Tie a memory to what it is said to supersede, where it may; where it may not, that is a conflict."""
    memory, superseded_id = _memory(prepared_entry), prepared_entry.entry.draft.supersedes
    old = next(iter(store.memories.get([superseded_id])), None) if superseded_id else None
    if old is None or old.superseded or old.fingerprint == memory.fingerprint:
        return Incoming(memory), None
    if may_supersede(memory, old):
        return Incoming(memory, old.id), None
    at = memory.updated_at
    return Incoming(memory), Conflict(
        id=new_id(at), first=old.id, second=memory.id, kind=SUPERSEDED, detected_at=at
    )


def _as_they_were(
    store: Store, prepared_entries: Sequence[PreparedEntry], desk: WriteContext, barred_prints: Set[str]
) -> list[Added]:
    """Write without comparing: these were compared where they were said, and what was decided then holds."""
    results: list[Added] = []
    for start in range(0, len(prepared_entries), BATCH):
        batch = [_memory(prepared_entry) for prepared_entry in prepared_entries[start : start + BATCH]]
        prints = [memory.fingerprint for memory in batch]
        forgotten_fingerprints = store.tombstones.standing(prints) | barred_prints
        memory_by_fingerprint = store.memories.saying(batch[0].project, prints)
        new: list[Memory] = []
        for memory in batch:
            known_memory = None if memory.superseded else memory_by_fingerprint.get(memory.fingerprint)
            if memory.fingerprint in forgotten_fingerprints:
                results.append(FORGOTTEN)
            elif known_memory:
                results.append(Added(id=known_memory.id, duplicate=True))
            else:
                new.append(memory)
                memory_by_fingerprint |= {} if memory.superseded else {memory.fingerprint: memory}
                results.append(Added(id=memory.id, created=True))
        if new:
            ids = tuple(memory.id for memory in new)
            detail = {"imported": len(ids)}
            store.audit.record(Event(action="add", actor=desk.actor.name, at=desk.now, ids=ids, detail=detail))
            store.memories.insert(new)
    return results


def limit_pins(prepared_entries: Sequence[PreparedEntry], pins: int, known_ids: Set[str]) -> list[PreparedEntry]:
    """Let only so many of the entries be pinned; the others are confirmed.

    Those with `known_ids` are here already and are not written again: their pins were counted with what is here.
    """
    remaining_pins = pins
    limited_entries: list[PreparedEntry] = []
    for prepared_entry in prepared_entries:
        is_pinned = (
            prepared_entry.memory
            and prepared_entry.memory.status == PINNED
            and not prepared_entry.memory.superseded
            and prepared_entry.memory.id not in known_ids
        )
        too_many = prepared_entry.memory and is_pinned and remaining_pins <= 0
        limited_entries.append(
            PreparedEntry(prepared_entry.entry, replace(_memory(prepared_entry), status=CONFIRMED))
            if too_many
            else prepared_entry
        )
        remaining_pins -= bool(is_pinned)
    return limited_entries


def _note(store: Store, conflicts: Sequence[Conflict]) -> None:
    """Record those conflicts whose two sides are both here."""
    sides = [side for conflict in conflicts for side in (conflict.first, conflict.second)]
    here = {memory.id for batch in _batches(sides) for memory in store.memories.get(batch)}
    store.conflicts.record([conflict for conflict in conflicts if {conflict.first, conflict.second} <= here])


def _ask_again(store: Store, proposals: Sequence[Proposal], desk: WriteContext) -> None:
    """Keep what waited for a person where it came from, and whose memories are here."""
    clean = desk.cleaner
    for proposal in proposals:
        memory_ids = [proposal.memory, *([proposal.other] if proposal.other else [])]
        if len(store.memories.get(memory_ids)) == len(memory_ids) and store.proposals.get(proposal.id) is None:
            clean_proposal = replace(
                proposal,
                arguments=clean.json(proposal.arguments),
                actor=clean.label(proposal.actor),
                agent=clean.label(proposal.agent) if proposal.agent else None,
                why=clean.text(proposal.why),
            )
            store.proposals.put([clean_proposal])


def _batches(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(ids), BATCH):
        yield ids[start : start + BATCH]
