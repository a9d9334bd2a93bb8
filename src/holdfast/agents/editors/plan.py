"""From what shall stand in a file to what changes in it, and back to how it was: a copy of that is kept in the
user's data directory until it is uninstalled."""

import base64
import contextlib
import difflib
import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from holdfast.agents.claude import install as claude
from holdfast.agents.codex import install as codex
from holdfast.agents.copilot import install as copilot
from holdfast.agents.cursor import install as cursor
from holdfast.agents.editors.jsonc import Unreadable
from holdfast.agents.editors.targets import InstallScope, Target
from holdfast.agents.gemini import install as gemini
from holdfast.agents.opencode import install as opencode
from holdfast.errors import AgentFileUnusable
from holdfast.machine import durable, paths
from holdfast.machine.paths import key_of

AGENTS: dict[str, ModuleType] = {
    "claude": claude,
    "codex": codex,
    "gemini": gemini,
    "opencode": opencode,
    "copilot": copilot,
    "cursor": cursor,
}
"""What goes where, a module an agent: `targets(place)` lists the files, `TO_DO` says what only the user can do,
`PROGRAMS` and `FOLDER` (in the home, and the variable that moves it) tell whether the agent is there."""


def agents_here(place: InstallScope) -> list[str]:
    """Return the agents that are on this machine: their program can be started, or their folder is there."""
    return [
        name
        for name, module in AGENTS.items()
        if any(map(shutil.which, module.PROGRAMS)) or place.folder(*module.FOLDER).is_dir()
    ]


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of one file; None stands for no file."""

    path: Path
    now: bytes | None
    then: bytes | None
    original: bytes | None
    """What the file is without us: what `uninstall` brings back."""

    @property
    def nothing(self) -> bool:
        """Whether the file stays as it is."""
        return self.now == self.then

    @property
    def verb(self) -> str:
        """What happens to the file, for people."""
        if self.nothing:
            return "unchanged"
        return "create" if self.now is None else "remove" if self.then is None else "change"

    def diff(self) -> str:
        """Return the exact change, line by line."""
        old, new = ((raw or b"").decode(errors="replace").splitlines() for raw in (self.now, self.then))
        name = str(self.path)
        names = (name if self.now is not None else "/dev/null", name if self.then is not None else "/dev/null")
        return "\n".join(difflib.unified_diff(old, new, *names, lineterm="", n=2))


def installing(targets: Sequence[Target]) -> list[Change]:
    """Return what an installation changes; doing it twice changes nothing the second time."""
    return [_plan_install(target) for target in targets]


def uninstalling(targets: Sequence[Target]) -> list[Change]:
    """Return what an uninstallation changes."""
    return [_plan_uninstall(target) for target in targets]


def install(changes: Sequence[Change]) -> None:
    """Write changes, and remember how the files were."""
    for change in changes:
        assert change.then is not None  # noqa: S101 - an installation removes no file
        ledger_entry = find_entry(change.path)
        folders = [*(ledger_entry.folders if ledger_entry else ()), *_missing_folders(change.path)]
        if not change.nothing:
            _write(change.path, change.then)
        entry = FileEntry(str(change.path), change.original, digest(change.then), tuple(folders))
        note_entry(change.path, entry)


def uninstall(changes: Sequence[Change]) -> None:
    """Write changes, remove what is left empty of what we made, and forget the files."""
    made_folders: set[str] = set()
    for change in changes:
        ledger_entry = find_entry(change.path)
        made_folders.update(ledger_entry.folders if ledger_entry else ())
        if change.then is None:
            _real(change.path).unlink(missing_ok=True)
        elif not change.nothing:
            _write(change.path, change.then)
        strike_entry(change.path)
    for folder in sorted(made_folders, key=len, reverse=True):
        with contextlib.suppress(OSError):  # somebody else has something in it
            os.rmdir(folder)


def _plan_install(target: Target) -> Change:
    now = _read_bytes(target.path)
    original = _original(target, now)
    with _naming_file(target.path):
        then = target.added(_text(original)).encode()
    return Change(target.path, now, then, original)


def _plan_uninstall(target: Target) -> Change:
    now = _read_bytes(target.path)
    original = _original(target, now)
    return Change(target.path, now, original, original)


def _original(target: Target, now: bytes | None) -> bytes | None:
    """Return a file without us: as it was, if it is as we left it; else as it is now, without our entries."""
    ledger_entry = find_entry(target.path)
    if ledger_entry and ledger_entry.untouched(now):
        return ledger_entry.before
    if now is None:
        return None
    before = ledger_entry.before if ledger_entry else None
    with _naming_file(target.path):
        text = target.removed(_text(now), _text(before))
        made_by_us = (ledger_entry is not None and before is None) or text == ""
        if made_by_us and target.nothing_left(text):
            return None
    return text.encode()


@contextlib.contextmanager
def _naming_file(path: Path) -> Iterator[None]:
    """Say in which file something cannot be read."""
    try:
        yield
    except (Unreadable, UnicodeDecodeError) as error:
        raise AgentFileUnusable(path=path, problem=str(error)) from error


def _read_bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise AgentFileUnusable(path=path, problem=error.strerror or str(error)) from error


def _text(raw: bytes | None) -> str:
    return "" if raw is None else raw.decode()


def _real(path: Path) -> Path:
    """Return the file behind a link: people keep their settings elsewhere and link to them."""
    return Path(os.path.realpath(path))


def _write(path: Path, raw: bytes) -> None:
    """Replace a file in one step; it keeps its mode."""
    place = _real(path)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        mode = place.stat().st_mode & 0o7777 if place.exists() else 0o600
        durable.replace_file(place, raw, mode)
    except OSError as error:
        raise AgentFileUnusable(path=path, problem=error.strerror or str(error)) from error


def _missing_folders(path: Path) -> list[str]:
    return [str(folder) for folder in path.parents if not folder.exists()]


@dataclass(frozen=True, slots=True)
class FileEntry:
    """One file: what was in it (None: it was not there), what we left in it, and the folders made for it."""

    path: str
    before: bytes | None
    after: str
    folders: tuple[str, ...] = ()

    def untouched(self, now: bytes | None) -> bool:
        """Say whether a file is as we left it."""
        return now is not None and digest(now) == self.after


def ledger_folder() -> Path:
    """Return where the copies are."""
    return Path(paths.data_directory()) / "installed"


def find_entry(path: Path) -> FileEntry | None:
    """Return what is known about a file; None when nothing is."""
    try:
        record = json.loads(_entry_file(path).read_text(encoding="utf-8"))
        before = record["before"]
        return FileEntry(
            path=str(record["path"]),
            before=None if before is None else base64.b64decode(before),
            after=str(record["after"]),
            folders=tuple(map(str, record["folders"])),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def note_entry(path: Path, entry: FileEntry) -> None:
    """Remember a file. Its copy may hold secrets of others, so it is for its owner alone."""
    place = _entry_file(path)
    paths.make_private(str(place.parent))
    before = None if entry.before is None else base64.b64encode(entry.before).decode()
    record = {"path": entry.path, "before": before, "after": entry.after, "folders": entry.folders}
    durable.replace_file(place, json.dumps(record))


def strike_entry(path: Path) -> None:
    """Forget a file."""
    _entry_file(path).unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        ledger_folder().rmdir()


def digest(raw: bytes) -> str:
    """Return what two equal files have in common."""
    return hashlib.sha256(raw).hexdigest()


def _entry_file(path: Path) -> Path:
    return ledger_folder() / f"{key_of(os.path.realpath(path))}.json"
