"""What was forgotten, taken out of the copies of a store: its backups, and the stores that were set aside here.

Each copy is rewritten beside itself, proven whole and free of it, and put in its own place in one step: a process
that dies on the way leaves the copy as it was. What cannot be read is named and left alone.
"""

from collections.abc import Sequence
from pathlib import Path

from holdfast.errors import HoldfastError, StoreDamaged, StoreError
from holdfast.guard.admission import Admission
from holdfast.model.memory import Memory
from holdfast.model.value import Value
from holdfast.ports import Clock, Store


class StoreCopies(Value):
    """`forgetting.Copies` for the stores that some admissions decide on."""

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
        from holdfast.guard.restore import drop_forgotten

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
