"""Looking after a store on a server: what can be said of it from here, and who does the rest.

A server's files are its administrator's. What concerns a file is refused in words that name the server's own way.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

from holdfast.errors import InvalidInput
from holdfast.model.care import Backup, BackupState, Checkup, Diagnosis, Restored, Trusted
from holdfast.settings.registry import Registry, Vouching

COPIES = "`pg_dump` copies it and `pg_restore` brings it back, see docs/postgres.md"


@dataclass(frozen=True, slots=True)
class HostedGuard:
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
        from holdfast.storage.doctor import diagnose_settings

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
