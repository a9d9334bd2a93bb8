"""A store made from another file: a backup brought back, a stranger's store taken over. Cleaning of copies.

Copies are a store's backups, and the stores that were set aside here. To clean one it is rewritten beside itself,
proven whole and free of what was forgotten, and put in its own place in one step: a process that dies on the way
leaves it as it was. What cannot be read is named and left alone. Of a store that was not made here rows are taken
over, never a schema.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from holdfast.errors import BackupUnusable, HoldfastError, InvalidInput, NoBackup, StoreDamaged, StoreError
from holdfast.model.care import Contents, Restored, Trusted
from holdfast.model.limits import BATCH
from holdfast.model.memory import Memory
from holdfast.model.requests import Draft
from holdfast.model.search import Filters
from holdfast.ports import Clock, Store
from holdfast.ports.store_file import StoreFile
from holdfast.storage.admission import Admission

if TYPE_CHECKING:
    from holdfast.capture.prepare import WriteContext

EVERY = 10_000_000
"""Memories that are looked at: more than any store holds."""


def choose(admission: Admission) -> tuple[Path, Contents, tuple[str, ...]]:
    """Return the newest backup that is whole, and what is wrong with newer ones."""
    passed_over: list[str] = []
    for backup in admission.restorable():
        path = Path(backup.path)
        try:
            return path, admission.file.inspect(path, ours=True), tuple(passed_over)
        except BackupUnusable as error:
            passed_over.append(str(error.facts["path"]) + ": " + str(error.facts["problem"]))
    problem = f" ({'; '.join(passed_over)})" if passed_over else ""
    raise NoBackup(path=admission.file.path, problem=problem)


def check(admission: Admission, copy: Path) -> Contents:
    """Return what a file that the user named holds; raise when it is no backup of this store."""
    contents = admission.file.inspect(copy, ours=admission.backups.holds(copy))
    if not admission.by_place and not admission.belongs_here(contents.store_id):
        problem = (
            "it is no backup of a store you made here. If it is your own, put it in the store's place and run "
            "`holdfast trust --own`"
        )
        raise BackupUnusable(path=copy, problem=problem)
    return contents


def restore(admission: Admission, copy: Path, contents: Contents, *, label: str, now: int) -> Restored:
    """Put a store made from a backup in the place of the one that is there, which is set aside."""
    file = admission.file
    is_ours = file.path.exists() and not admission.spoilt() and admission.objection() is None
    marks = admission.backups.marks(contents.store_id)
    if is_ours and file.store_id() == contents.store_id:
        marks |= file.marks()
    counts: list[int] = []

    def fill(fresh: Path) -> str:
        file.fill_from(copy, fresh, marks, now)
        store = file.open(fresh)
        try:
            removed_count = drop_forgotten(store, now)
            counts.extend((removed_count, contents.memories - removed_count))
        finally:
            store.close()
        return contents.store_id

    aside = file.replace(label, now, fill, lock=is_ours)
    return Restored(
        place=str(file.path),
        backup=str(copy),
        set_aside=str(aside) if aside else None,
        memories=counts[1],
        removed=counts[0],
    )


def drop_forgotten(store: Store, now: int) -> int:
    """Forget every memory that has a mark; return how many."""
    from holdfast.capture.forget import Retraction, forget  # seldom: what follows words through turns comes along

    if not store.counts(now).tombstones:
        return 0
    memories = store.memories.newest(Filters(), EVERY)
    forgotten_memories: list[Memory] = []
    for start in range(0, len(memories), BATCH):
        batch = memories[start : start + BATCH]
        marked_prints = store.tombstones.standing([memory.fingerprint for memory in batch])
        forgotten_memories.extend(memory for memory in batch if memory.fingerprint in marked_prints)
    forget(store, forgotten_memories, Retraction(evidence=store, actor="restore", now=now))
    _mask_marked(store)
    return len(forgotten_memories)


def _mask_marked(store: Store) -> None:
    """Mask what has a mark in turns as well: where they were copied before anything was learnt from them."""
    from holdfast.capture.derivation import cut, plan_marked

    seals, last = store.tombstones.sealed(), None
    while turns := store.turns.walk(last, BATCH):
        last = turns[-1].id
        plan = plan_marked(turns, seals)
        if plan.spans:
            with store.writing():
                cut(store, plan)
    store.scrub()


class StoreCopies(Struct, frozen=True):
    """`service.forget.Copies` for the stores that some admissions decide on."""

    admissions: Sequence[Admission]
    clock: Clock

    def holding(self, memories: Sequence[Memory], turns: Sequence[str]) -> list[str]:
        ids = [memory.id for memory in memories]
        return [
            copy.name
            for admission in self.admissions
            for copy in copies_of(admission)
            if admission.file.holds(copy, ids, turns)
        ]

    def clean(self, memories: Sequence[Memory]) -> tuple[list[str], list[str]]:
        cleaned_names: list[str] = []
        unusable: list[str] = []
        for admission in self.admissions:
            for copy in copies_of(admission):
                try:
                    if self._clean(admission, copy, memories):
                        cleaned_names.append(copy.name)
                except StoreError as error:
                    unusable.append(f"{copy.name}: {error.facts.get('problem', error)}")
                except (HoldfastError, OSError) as error:
                    unusable.append(f"{copy.name}: {type(error).__name__}")
        return cleaned_names, unusable

    def _clean(self, admission: Admission, copy: Path, memories: Sequence[Memory]) -> bool:
        """Rewrite one copy; return whether that was needed."""
        from holdfast.capture.derivation import plan_cut  # who only counts copies needs none of this
        from holdfast.capture.forget import Retraction, forget

        file, now = admission.file, self.clock.now()
        contents = file.inspect(copy, ours=admission.backups.holds(copy))
        marks = admission.backups.marks(contents.store_id) | file.marks()
        if not memories and not marks - file.marks_of(copy):
            return False

        def change(store: Store) -> None:
            own = _known_wordings(store, memories)
            forget(store, own, Retraction(evidence=store, actor="backup", now=now))
            drop_forgotten(store, now)
            if plan_cut(store, own).spans or store.memories.get([memory.id for memory in own]):
                raise StoreDamaged(path=copy, problem="it still held what was taken out of it")

        file.rewrite(copy, marks, change)
        return True


def copies_of(admission: Admission) -> list[Path]:
    """Return the backups of the stores made here, and the stores that were set aside beside this one."""
    return [*(Path(backup.path) for backup in admission.restorable()), *admission.file.aside()]


def behind(admission: Admission) -> int:
    """Count the copies that were made before something was forgotten, and may still hold it."""
    own = admission.file.marks()
    stale = 0
    for copy in copies_of(admission):
        try:
            stale += bool(own - admission.file.marks_of(copy))
        except (HoldfastError, OSError):
            continue  # what cannot be read is `doctor`'s to name
    return stale


def _known_wordings(store: Store, memories: Sequence[Memory]) -> list[Memory]:
    """Return memories as they were forgotten, as the copy words them, and what says the same in it."""
    own = store.memories.get([memory.id for memory in memories])
    for project in dict.fromkeys(memory.project for memory in memories):
        own += store.memories.ever_saying(project, [memory.fingerprint for memory in memories])
    return list({(memory.id, memory.content): memory for memory in (*memories, *own)}.values())


class Takeover(Struct, frozen=True):
    """One store to take over."""

    file: StoreFile
    desk: "WriteContext"

    def strangers(self, *, dry_run: bool) -> Trusted:
        """Take what the rows say, each as if it were imported: a candidate, no pins, no trust, no history."""
        from holdfast.capture.reconcile import (
            Incoming,  # seldom: the whole write path comes with it
            remember,
        )

        omissions: Counter[str] = Counter()
        incoming = [Incoming(memory) for memory in self._memories(omissions)]
        distinct = len({incoming_memory.memory.fingerprint for incoming_memory in incoming})

        def fill(fresh: Path) -> str:
            store_id = self.file.build(fresh, self.desk.origin.project, self.desk.now)
            store = self.file.open(fresh)
            try:
                remember(store, incoming, self.desk)
            finally:
                store.close()
            return store_id

        aside = None if dry_run else self.file.replace("untrusted", self.desk.now, fill, lock=False)
        return Trusted(
            place=str(self.file.path),
            own=False,
            dry_run=dry_run,
            set_aside=str(aside) if aside else None,
            memories=distinct,
            duplicates=len(incoming) - distinct,
            left=dict(omissions),
        )

    def own(self, *, dry_run: bool) -> Trusted:
        """Take every row as it is, into a store with an id of its own."""
        outcomes: list[Trusted] = []

        def fill(fresh: Path) -> str:
            store_id, omissions = self.file.copy_rows(fresh, self.desk.now)
            outcomes.append(
                self._trust_report(fresh, {reason: number for reason, number in omissions.items() if number})
            )
            return store_id

        if dry_run:
            import tempfile  # heavy, and seldom needed

            with tempfile.TemporaryDirectory(prefix="holdfast-") as folder:
                fill(Path(folder) / "copy.db")
            return replace(outcomes[0], dry_run=True)
        aside = self.file.replace("untrusted", self.desk.now, fill, lock=False)
        return replace(outcomes[0], set_aside=str(aside) if aside else None)

    def _memories(self, omissions: Counter[str]) -> Iterator[Memory]:
        from holdfast.capture.prepare import prepare

        for draft in self.file.drafts():
            if isinstance(draft, str):
                omissions[draft] += 1
                continue
            try:
                memory = prepare(self._not_in_future(draft), self.desk)
            except InvalidInput as error:
                omissions[f"{error.field} cannot be used"] += 1
                continue
            if memory is None:
                omissions["private"] += 1
            elif memory.current(self.desk.now):
                yield memory
            else:
                omissions["expired there"] += 1

    def _not_in_future(self, draft: Draft) -> Draft:
        """Nothing was said in the future."""
        return replace(draft, at=min(draft.at, self.desk.now)) if isinstance(draft.at, int) else draft

    def _trust_report(self, fresh: Path, omissions: dict[str, int]) -> Trusted:
        store = self.file.open(fresh)
        try:
            counts = store.counts(self.desk.now)
        finally:
            store.close()
        return Trusted(
            place=str(self.file.path),
            own=True,
            dry_run=False,
            set_aside=None,
            memories=counts.memories + counts.superseded + counts.expired,
            sessions=counts.sessions,
            turns=counts.turns,
            left=omissions,
        )
