"""A store as a file: the contract of what can be done to it as a whole, which only an embedded one has."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from holdfast.model.requests import Draft
from holdfast.ports import Store

if TYPE_CHECKING:
    from holdfast.model.care import Contents, Diagnosis


class StoreFile(Protocol):
    """A store as a file: what can be done to it as a whole. Only a store that lives in one has this."""

    @property
    def path(self) -> Path:
        """Where it is, or would be."""

    def present(self) -> bool:
        """Say whether a store's file is there; raise for anything else in its place."""

    def parts(self) -> list[Path]:
        """Return every file there is that holds something of the store."""

    def store_id(self) -> str | None:
        """Return the id of the store that is there; None when it cannot be read."""

    def back_up(self, target: Path) -> "Contents":
        """Copy the store as it stands at one moment; the copy is proven whole before it gets its name."""

    def inspect(self, copy: Path, *, ours: bool) -> "Contents":
        """Return what a backup holds; raise when it cannot become a store."""

    def marks(self) -> set[bytes]:
        """Return the marks of what was forgotten; empty when the store cannot be read."""

    def marks_of(self, copy: Path) -> set[bytes]:
        """Return the marks of what was forgotten when a copy was made, or that was taken out of it since."""

    def holds(self, copy: Path, memories: Sequence[str], turns: Sequence[str]) -> bool:
        """Say whether a copy holds one of these memories or turns; one that cannot be read may."""

    def rewrite(self, copy: Path, marks: Iterable[bytes], change: Callable[[Store], None]) -> None:
        """Put what `change` makes of a copy, with more marks of what was forgotten, in its place in one step."""

    def aside(self) -> list[Path]:
        """Return the stores that stood here and were set aside: by a restore, or because they were damaged."""

    def drafts(self) -> Iterator[Draft | str]:
        """Hand out what each row of a store made by somebody else says, or why it is left."""

    def replace(self, label: str, now: int, fill: Callable[[Path], str], *, lock: bool) -> Path | None:
        """Put a newly filled file in the store's place; return where the one that was there is now.

        `fill` makes the new store in an empty file and returns its id. With `lock` writers are kept out meanwhile,
        for which the store that is there must be opened: not for one that somebody else made.
        """

    def build(self, fresh: Path, project: str, now: int) -> str:
        """Make an empty store in an empty file; return its id."""

    def fill_from(self, copy: Path, fresh: Path, marks: Iterable[bytes], now: int) -> None:
        """Make a store from a backup, with another epoch and more marks of what was forgotten."""

    def copy_rows(self, fresh: Path, now: int) -> tuple[str, Mapping[str, int]]:
        """Make a store from the rows of the one that is there; return its id and the rows left, by reason."""

    def open(self, fresh: Path) -> Store:
        """Open a store that was just made, under its working name."""

    def diagnose(self) -> "list[Diagnosis]":
        """Check everything in the file."""

    def repair(self) -> list[str]:
        """Rebuild what the rows can answer; return what that was. Raises when more than that is damaged."""

    def newer_rows(self, copy: Path) -> Mapping[str, int] | None:
        """Count the memories and turns that a backup lacks, by name; None where the store cannot be read."""

    def leftovers(self, folder: Path) -> list[Path]:
        """Return the copies that killed processes left in a folder."""

    def sweep(self, folder: Path) -> int:
        """Remove them; return how many there were."""

    def indexed(self) -> int:
        """Return how many rows are indexed."""

    def reindex(self, progress: Callable[[int], None]) -> int:
        """Make every index anew; return how many rows were indexed."""
