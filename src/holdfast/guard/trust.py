"""Taking over a store that was not made here: rows, never a schema; of a stranger's, none of its standing."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from holdfast.capture.prepare import WriteContext, prepare
from holdfast.capture.reconcile import Incoming, remember
from holdfast.errors import InvalidInput
from holdfast.model.care import Trusted
from holdfast.model.memory import Memory
from holdfast.model.requests import Draft
from holdfast.model.value import Value, replace
from holdfast.ports.store_file import StoreFile


class Takeover(Value):
    """One store to take over."""

    file: StoreFile
    desk: WriteContext

    def strangers(self, *, dry_run: bool) -> Trusted:
        """Take what the rows say, each as if it were imported: a candidate, no pins, no trust, no history."""
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
