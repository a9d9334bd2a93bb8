"""The verbs of looking after a store as a whole, in a file (`Guard`) or on a server (`HostedGuard`).

For a file each verb decides first whose store it is. A server's files are its administrator's: what concerns a
file is refused there, with the name of the server's own program for it.
"""

import contextlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from msgspec import Struct, field
from msgspec.structs import replace

from holdfast.capture.text.clean import Cleaner
from holdfast.errors import HoldfastError, InvalidInput, NoBackup, StoreDamaged, SwitchedOff
from holdfast.model.actor import Actor
from holdfast.model.care import (
    PROBLEM,
    Backup,
    BackupState,
    Checkup,
    Contents,
    Diagnosis,
    Restored,
    Trusted,
)
from holdfast.model.limits import DAY_MS
from holdfast.model.memory import Origin
from holdfast.model.times import iso
from holdfast.ports import Clock
from holdfast.settings.load import Registry, Vouching
from holdfast.storage import doctor
from holdfast.storage.admission import AUTO, MANUAL, MIGRATION, Admission
from holdfast.storage.copies import Takeover, behind, check, choose, restore
from holdfast.storage.doctor import diagnose_settings

if TYPE_CHECKING:
    from holdfast.capture.prepare import WriteContext


class GuardOptions(Struct, frozen=True, kw_only=True):
    """What the verbs need to know of the configuration and of the project."""

    actor: str = "python"
    root: Path | None = None
    cleaner: Cleaner = field(default_factory=Cleaner)
    keep: int = 3
    auto: bool = True
    vouching: Vouching = field(default_factory=Vouching)
    off: Callable[[], str | None] = lambda: None
    """Why memory is switched off, or None."""
    model: Callable[[], Diagnosis] = doctor.no_model
    """Look at what makes vectors."""


class Guard(Struct, frozen=True):
    """Looks after one store."""

    admission: Admission
    clock: Clock
    origin: Callable[[], Origin]
    vouched: Registry
    rules: GuardOptions = field(default_factory=GuardOptions)

    @property
    def hosted(self) -> bool:
        """Whether a server keeps the store."""
        return False

    @property
    def path(self) -> Path:
        """The store's file."""
        return self.admission.file.path

    # ── whose it is ──────────────────────────────────────────────────────────────────────────────────────

    def trust(self, *, own: bool = False, dry_run: bool = False) -> Trusted | None:
        """Take over the store that is there; None when this user made it, so that there is nothing to do."""
        self._check_present()
        if self.admission.objection() is None:
            return None
        takeover = Takeover(self.admission.file, self._desk())
        outcome = takeover.own(dry_run=dry_run) if own else takeover.strangers(dry_run=dry_run)
        if not dry_run:
            self.keep_marks()
        return outcome

    def vouch_for_config(self) -> tuple[str, ...]:
        """Obey the project's configuration as it stands; return the keys that were not obeyed before."""
        return self.rules.vouching.accept(self.vouched)

    # ── backups ──────────────────────────────────────────────────────────────────────────────────────────

    def back_up(self, target: Path | None = None, label: str = MANUAL) -> Backup:
        """Copy the store, into the folder of backups unless a file is named."""
        self._check_present()
        self.admission.admit()
        self.sweep()
        now = self.clock.now()
        store_id = self.admission.file.store_id() or "unknown"
        path = target or self.admission.backups.new_path(store_id, label, now)
        self.admission.file.back_up(path)
        with contextlib.suppress(HoldfastError, OSError):
            self.keep_marks()
        return Backup(path=str(path), store_id=store_id, taken_at=now, label=label, bytes=path.stat().st_size)

    def back_up_daily(self) -> None:
        """Make the automatic backup when a day has passed; a failure is noted, and nobody else's trouble."""
        store_id = self.admission.file.store_id()
        if store_id is None or not self.rules.auto:
            return
        backups, now = self.admission.backups, self.clock.now()
        if any(backup.label == AUTO and 0 <= now - backup.taken_at < DAY_MS for backup in backups.of(store_id)):
            return
        try:
            self.back_up(label=AUTO)
            backups.prune(store_id, AUTO, self.rules.keep)
        except (HoldfastError, OSError) as error:
            backups.note_failure(store_id, str(error))
        else:
            backups.note_failure(store_id, None)

    def back_up_before_migration(self, path: Path) -> None:
        """Copy a store whose schema is about to change."""
        store_id = self.admission.file.store_id() or "unknown"
        target = self.admission.backups.new_path(store_id, MIGRATION, self.clock.now())
        self.admission.file.back_up(target)
        self.admission.backups.prune(store_id, MIGRATION, self.rules.keep)

    def backups(self) -> list[Backup]:
        """Return the backups of the stores that were made here, newest first."""
        return self.admission.restorable()

    def backup_state(self) -> BackupState:
        """Say how the backups are doing."""
        backups = self.backups()
        failures = [self.admission.backups.failure(store_id) for store_id in self.admission.store_ids()]
        failure = next((reason for reason in failures if reason), None)
        newest = backups[0] if backups else None
        return BackupState(newest=newest, count=len(backups), failure=failure, behind=behind(self.admission))

    def choose(self, copy: Path | None = None) -> Backup:
        """Return the backup that a restore would take: the newest whole one, or the file named, if it can be."""
        path, contents, _ = self._copy_to_take(copy)
        for backup in self.backups():
            if backup.path == str(path):
                return backup
        taken_at, size = int(path.stat().st_mtime * 1000), path.stat().st_size
        return Backup(path=str(path), store_id=contents.store_id, taken_at=taken_at, label=MANUAL, bytes=size)

    def restore(self, copy: Path | None = None) -> Restored:
        """Bring the store back from a backup: the newest whole one, or the file named."""
        return self._restore(copy, "replaced")

    # ── health ───────────────────────────────────────────────────────────────────────────────────────────

    def examine(self) -> Checkup:
        """Check everything and change nothing."""
        patient = doctor.Patient(
            admission=self.admission,
            root=self.rules.root,
            now=self.clock.now(),
            vouching=self.rules.vouching,
            auto_backup=self.rules.auto,
            model=self.rules.model,
        )
        return Checkup(place=str(self.path), diagnoses=tuple(doctor.examine(patient)))

    def repair(self) -> Checkup:
        """Put right what can be, then check everything again."""
        repairs: list[str] = []
        losses: list[str] = []
        for path in doctor.open_files(self.admission):
            path.chmod(0o700 if path.is_dir() else 0o600)
            repairs.append(f"made {path} yours alone")
        if self.admission.spoilt():
            steps, losses = self._restore_damaged()
            repairs += steps
        elif self.path.exists() and self.admission.objection() is None:
            steps, losses = self._repair_contents()
            repairs += steps
        swept_count = self.sweep()
        if swept_count:
            repairs.append(f"removed {swept_count:,} copies that ended processes had left")
        if self.keep_marks():
            repairs.append("kept the marks of forgotten things beside the backups")
        return replace(self.examine(), repaired=tuple(repairs), lost=tuple(losses))

    def begin_anew(self) -> Path | None:
        """Set a store that cannot be used aside and make an empty one; return where the old one is, if one was.

        A store that works is left alone, and so is one that somebody else made.
        """
        file = self.admission.file
        if not self.admission.spoilt():
            self.admission.admit(fresh=True)
            if not self.path.exists():
                return None
            if not self._is_damaged():
                problem = "a store is here, and it works. Move it away if you want to start without it."
                raise InvalidInput(field="--fresh", problem=problem)
        project, now = self.origin().project, self.clock.now()
        return file.replace("damaged", now, lambda fresh: file.build(fresh, project, now), lock=False)

    def reindex(self, progress: Callable[[int], None] = lambda count: None) -> int:
        """Make the full-text indexes anew; return how many rows they cover."""
        reason = self.rules.off()
        if reason:
            raise SwitchedOff(reason=reason)
        self._check_present()
        self.admission.admit()
        return self.admission.file.reindex(progress)

    def indexed(self) -> int:
        """Return how many rows the indexes cover."""
        self._check_present()
        self.admission.admit()
        return self.admission.file.indexed()

    def sweep(self) -> int:
        """Remove the copies that killed processes left; return how many there were."""
        return sum(self.admission.file.sweep(folder) for folder in self.admission.folders())

    def keep_marks(self) -> bool:
        """Write the marks of forgotten things that are missing beside the backups; say whether any were."""
        store_id, absent_marks = self.admission.missing_marks()
        if store_id and absent_marks:
            self.admission.backups.add_marks(store_id, [(True, mark) for mark in sorted(absent_marks)])
        return bool(absent_marks)

    # ── within ───────────────────────────────────────────────────────────────────────────────────────────

    def _desk(self) -> "WriteContext":
        from holdfast.capture.prepare import WriteContext

        rules = self.rules
        return WriteContext(
            origin=self.origin(),
            now=self.clock.now(),
            actor=Actor(rules.actor),
            root=rules.root,
            cleaner=rules.cleaner,
        )

    def _check_present(self) -> None:
        if not self.admission.file.present():
            self.admission.admit()
            raise InvalidInput(
                field="project", problem=f"there is no store at {self.path}. `holdfast init` makes one."
            )

    def _restore(self, copy: Path | None, label: str) -> Restored:
        path, contents, passed_over = self._copy_to_take(copy)
        restoration = restore(self.admission, path, contents, label=label, now=self.clock.now())
        return replace(restoration, passed_over=passed_over)

    def _copy_to_take(self, copy: Path | None) -> tuple[Path, Contents, tuple[str, ...]]:
        return (copy, check(self.admission, copy), ()) if copy else choose(self.admission)

    def _is_damaged(self) -> bool:
        return any(
            diagnosis.name in doctor.DAMAGE and diagnosis.severity == PROBLEM
            for diagnosis in self.examine().diagnoses
        )

    def _repair_contents(self) -> tuple[list[str], list[str]]:
        """Rebuild indexes, or restore a backup where rows are damaged; return what was done, and what is lost."""
        try:
            return self.admission.file.repair(), []
        except StoreDamaged:
            return self._restore_damaged()

    def _restore_damaged(self) -> tuple[list[str], list[str]]:
        try:
            backup = self.choose()
            newer_rows = self.admission.file.newer_rows(Path(backup.path))
            restoration = self._restore(None, "damaged")
        except NoBackup:
            return [], []  # the file stays as it is: what is left of it is all there is
        counts = "how much, the damaged file does not tell"
        if newer_rows is not None:
            counts = " and ".join(f"{count:,} {name}" for name, count in newer_rows.items())
        return (
            [f"set the damaged store aside as {restoration.set_aside} and restored {restoration.backup}"],
            [f"what was written since {iso(backup.taken_at)}: {counts}; it is in {restoration.set_aside}"],
        )


COPIES = "`pg_dump` copies it and `pg_restore` brings it back, see docs/postgres.md"


class HostedGuard(Struct, frozen=True):
    """The verbs of `Guard`, for a store on a server."""

    place: str
    examined: Callable[[], Iterable[Diagnosis]]
    registry: Registry
    vouching: Vouching

    @property
    def hosted(self) -> bool:
        """Whether a server keeps the store."""
        return True

    @property
    def path(self) -> Path:
        """There is no file."""
        self._refuse("path", "there is no file to name")

    def trust(self, *, own: bool = False, dry_run: bool = False) -> Trusted | None:
        """Nothing is taken over: who may open a server's store, the server decides."""
        self._refuse("trust", "nobody can plant one there; `holdfast migrate-store` moves a file's memories to it")

    def vouch_for_config(self) -> tuple[str, ...]:
        """Obey the project's configuration as it stands; return the keys that were not obeyed before."""
        return self.vouching.accept(self.registry)

    def back_up(self, target: Path | None = None) -> Backup:
        """The server's own programs copy it."""
        self._refuse("backup", COPIES)

    def backups(self) -> list[Backup]:
        """The server's own programs copy it."""
        self._refuse("backup", COPIES)

    def backup_state(self) -> BackupState | None:
        """Nothing is known of the server's copies."""
        return None

    def choose(self, copy: Path | None = None) -> Backup:
        """The server's own programs bring it back."""
        self._refuse("restore", COPIES)

    def restore(self, copy: Path | None = None) -> Restored:
        """The server's own programs bring it back."""
        self._refuse("restore", COPIES)

    def examine(self) -> Checkup:
        """Ask the server how it is doing, and change nothing."""
        diagnoses = [*self.examined(), *diagnose_settings(self.vouching)]
        return Checkup(place=self.place, diagnoses=tuple(diagnoses))

    def repair(self) -> Checkup:
        """There is nothing to repair from here; say how the server is doing."""
        return replace(self.examine(), repaired=())

    def begin_anew(self) -> Path | None:
        """A server's store is not set aside."""
        self._refuse("--fresh", "it is not set aside from here; another store.tenant or project.id begins anew")

    def indexed(self) -> int:
        """The index of words is rows, written with what they are of: there is nothing to make anew."""
        return 0

    def reindex(self, progress: Callable[[int], None] = lambda count: None) -> int:
        """The same."""
        return 0

    def _refuse(self, field: str, problem: str) -> NoReturn:
        raise InvalidInput(field=field, problem=f"memory is kept on a server ({self.place}): {problem}.")
