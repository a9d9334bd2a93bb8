"""Bringing memory in line with the project's Markdown files: all of them, or those that changed."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from holdfast.capture.follow import Followed, Place, is_read
from holdfast.errors import InvalidInput
from holdfast.ingest.files.document import SOURCE, Skipped, digest, entries, read
from holdfast.ingest.files.listing import Listing
from holdfast.model.ingest import Indexed
from holdfast.model.memory import Memory
from holdfast.service.entries import Exchange
from holdfast.share.sharing import Sharing

Step = Callable[[int], None]

_COUNTED = ("added", "removed", "hidden", "shown")


@dataclass(frozen=True, slots=True)
class Index:
    """What keeps memory in step with files; each file is one transaction."""

    exchange: Exchange
    listing: Listing
    shared: Sharing | None = None
    """Reads the folder of shared memories, whose files are no documents."""
    new_ids: list[str] = field(default_factory=list)
    """The memories that came of it so far."""

    def scan(self, step: Step = lambda done: None) -> Indexed:
        """Look at every file there is, and at every file that something is remembered of."""
        files = self.listing.all()
        return self._refresh([*files, *sorted(self.known() - set(files))], step, shared=True)

    def known(self) -> set[str]:
        """Return the files that something is remembered of."""
        said = self.exchange.said_by(SOURCE)
        return {file for memory in said for file in memory.files if self.listing.counts(file)}

    def refresh(self, files: Iterable[str], step: Step = lambda done: None) -> Indexed:
        """Look at these files; those that are gone, or that git ignores by now, are let go."""
        named = list(dict.fromkeys(files))
        return self._refresh(named, step, shared=any(map(self._is_shared, named)))

    def _refresh(self, files: Sequence[str], step: Step, *, shared: bool) -> Indexed:
        asked = [file for file in files if not self._is_shared(file)]
        wanted = self.listing.wanted(asked)
        remembered = self._remembered()
        counts: Counter[str] = Counter()
        skipped: dict[str, str] = {}
        unread: dict[str, str] = {}
        for file in asked:
            try:
                done = self._file(file, remembered[file], wanted=file in wanted)
            except Skipped as error:
                skipped[file] = error.reason
                unread |= {} if error.by_rule else {file: error.reason}
                done = self._gone(file, remembered[file])
            except (InvalidInput, UnicodeError) as error:  # whatever it holds, the others shall not wait for it
                skipped[file] = unread[file] = str(error)
                done = None
            counts["read"] += done is not None
            self.new_ids.extend(done.new if done else ())
            counts.update({name: getattr(done, name) for name in _COUNTED} if done else {})
            step(1)
        if shared and self.shared:
            counts += self._take_in(self.shared, skipped)
        return Indexed(
            files=len(asked),
            read=counts["read"],
            added=counts["added"],
            removed=counts["removed"],
            hidden=counts["hidden"],
            shown=counts["shown"],
            skipped=skipped,
            unread=unread,
        )

    def _is_shared(self, file: str) -> bool:
        return self.shared is not None and self.shared.folder.holds(file)

    def _take_in(self, shared: Sharing, skipped: dict[str, str]) -> Counter[str]:
        """Read the shared folder as a whole: which of its files stands for what, only all of them tell."""
        done = shared.take_in()
        skipped.update({f"{shared.folder.name}/{name}": reason for name, reason in done.skipped.items()})
        counts = {"added": done.added, "hidden": done.hidden, "shown": done.shown, "removed": done.retracted}
        return Counter({"read": int(any(counts.values()) or done.accepted > 0), **counts})

    def _remembered(self) -> "defaultdict[str, list[Memory]]":
        by_file: defaultdict[str, list[Memory]] = defaultdict(list)
        for memory in self.exchange.said_by(SOURCE):
            for file in memory.files:
                by_file[file].append(memory)
        return by_file

    def _file(self, file: str, remembered: Sequence[Memory], *, wanted: bool) -> Followed | None:
        """Read one file; None when there is nothing to do."""
        if not self.exchange.can_name(file):
            raise Skipped("its name cannot be kept")
        try:
            raw = read(self.listing.root, file) if wanted else None
        except (FileNotFoundError, NotADirectoryError):
            raw = None
        if raw is None:
            return self._gone(file, remembered)
        place = Place(SOURCE, file, digest(raw))
        if is_read(remembered, place):
            return None
        return self.exchange.follow(place, entries(file, raw), _ids(remembered))

    def _gone(self, file: str, remembered: Sequence[Memory]) -> Followed | None:
        """Let go of a file that is gone; None when that was done, or nothing was known of it."""
        place = Place(SOURCE, file, None)
        done = self.exchange.follow(place, (), _ids(remembered)) if remembered else None
        return done if done and done.changed else None


def _ids(memories: Sequence[Memory]) -> list[str]:
    return [memory.id for memory in memories]
