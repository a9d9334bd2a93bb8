"""From what shall stand in a file to what changes in it, and back to how it was: the ledger keeps a copy of that
until it is uninstalled."""

import contextlib
import difflib
import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from holdfast.agents.claude import files as claude
from holdfast.agents.codex import files as codex
from holdfast.agents.copilot import files as copilot
from holdfast.agents.documents import Unreadable
from holdfast.agents.editors import EDITORS, has_extension
from holdfast.agents.gemini import files as gemini
from holdfast.agents.ledger import FileEntry, entries, find_entry, hand_on, note_entry, strike_entry
from holdfast.agents.opencode import files as opencode
from holdfast.agents.targets import Installation, InstallScope, JsonFile, Target, TomlFile
from holdfast.errors import AgentFileUnusable
from holdfast.machine import disk
from holdfast.model.ids import digest_bytes

AGENTS = {
    "claude": claude.INSTALLATION,
    "codex": codex.INSTALLATION,
    "gemini": gemini.INSTALLATION,
    "opencode": opencode.INSTALLATION,
    "copilot": copilot.INSTALLATION,
    **EDITORS,
}
"""What goes where, by agent."""


def agents_here(place: InstallScope) -> list[str]:
    """Return the agents that are on this machine."""
    return [name for name, agent in AGENTS.items() if _is_here(agent, place)]


def _is_here(agent: Installation, place: InstallScope) -> bool:
    """Say whether an agent's program can be started, its folder is there, or an editor runs it."""
    return (
        any(map(shutil.which, agent.programs))
        or _is_somebodys(place.folder(*agent.folder), agent.name)
        or (agent.settings_folder is not None and _is_somebodys(agent.settings_folder(place), agent.name))
        or bool(agent.extension and has_extension(place, agent.extension))
    )


def _is_somebodys(folder: Path, agent: str) -> bool:
    """Say whether a folder is there, and not only because we made it for the files of another agent."""
    if not folder.is_dir():
        return False
    own_paths = {path for entry in entries() if entry.agent != agent for path in (entry.path, *entry.folders)}
    return str(folder) not in own_paths or any(str(path) not in own_paths for path in folder.iterdir())


class Change(Struct, frozen=True):
    """What becomes of one file; None stands for no file."""

    path: Path
    now: bytes | None
    then: bytes | None
    original: bytes | None
    """What the file is without us: what `uninstall` brings back."""
    replaces_others: bool = False
    """Whether ours takes the place of an entry of the same name, until it is uninstalled."""

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


def install(changes: Sequence[Change], agent: str = "", project: str = "") -> None:
    """Write an agent's changes, for a user or for a project, and remember how the files were."""
    for change in changes:
        assert change.then is not None  # noqa: S101 - an installation removes no file
        ledger_entry = find_entry(change.path)
        folders = [*(ledger_entry.folders if ledger_entry else ()), *_missing_folders(change.path)]
        if not change.nothing:
            _write(change.path, change.then)
        entry = FileEntry(
            str(change.path), change.original, digest_bytes(change.then), tuple(folders), agent, project
        )
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
        try:
            os.rmdir(folder)
        except OSError:  # somebody else has something in it, or another agent's file of ours is there
            hand_on(folder)


def _plan_install(target: Target) -> Change:
    now = _read_bytes(target.path)
    original = _original(target, now)
    with _naming_file(target.path):
        then = target.added(_text(original)).encode()
        # a whole file or a section takes nobody's place
        replaces_others = isinstance(target, JsonFile | TomlFile) and target.replaces_others(_text(original))
    return Change(target.path, now, then, original, replaces_others)


def _plan_uninstall(target: Target) -> Change:
    now = _read_bytes(target.path)
    if b"holdfast" not in (now or b"") and find_entry(target.path) is None:
        return Change(target.path, now, now, now)  # nothing of ours: it need not even be readable
    original = _original(target, now)
    return Change(target.path, now, original, original)


def _original(target: Target, now: bytes | None) -> bytes | None:
    """Return a file without us: as it was, if it is as we left it; else as it is now, without our entries."""
    ledger_entry = find_entry(target.path)
    if ledger_entry and ledger_entry.untouched(now):
        return ledger_entry.before
    if not now:
        return now  # no file, or one with nothing in it, which is somebody's
    before = ledger_entry.before if ledger_entry else None
    with _naming_file(target.path):
        text = target.removed(_text(now), _text(before), is_recorded=ledger_entry is not None)
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
        disk.replace_file(place, raw, mode)
    except OSError as error:
        raise AgentFileUnusable(path=path, problem=error.strerror or str(error)) from error


def _missing_folders(path: Path) -> list[str]:
    return [str(folder) for folder in path.parents if not folder.exists()]
