"""What is remembered, written down a second time for people: one Markdown file a day. Off unless asked for.

Best effort: the store is the truth, and nothing is read back from here. What is forgotten goes from here, too.
What could not be written or taken out leaves a trace: `holdfast doctor` tells.
"""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from holdfast.machine import disk, failures, paths
from holdfast.model.kinds import IMPORTED
from holdfast.model.memory import Memory, shorten
from holdfast.model.patterns import regex
from holdfast.model.times import day, iso

CHARS = 200
"""Characters of a memory that its line tells."""

STEP = "daily log"
"""What a trace says was tried."""

_NAME = regex(r"\d{4}-\d\d-\d\d\.md")
_LINE = regex(r"- \d\d:\d\d \S+ \([^)]*\): (.*)")


class DailyLog:
    """The files of one project; without a directory there are none."""

    def __init__(self, directory: Path | None) -> None:
        self._directory = directory

    def write(self, memories: Sequence[Memory], now: int) -> None:
        """Add entries to the file of today, in UTC; what came from files is in files already."""
        logged_memories = [memory for memory in memories if memory.trust != IMPORTED]
        if not self._directory or not logged_memories:
            return
        with self._traced():
            paths.make_private(str(self._directory))
            path = self._directory / f"{day(now)}.md"
            head = "" if path.exists() else f"# {day(now)}\n\n"
            lines = [
                f"- {iso(now)[11:16]} {memory.kind} ({_plain(memory.source)}): {_excerpt(memory)}\n"
                for memory in logged_memories
            ]
            disk.append_line(path, head + "".join(lines))

    def erase(self, memories: Sequence[Memory]) -> None:
        """Take out the lines of memories that were forgotten."""
        excerpts = {_excerpt(memory) for memory in memories}
        self._rewrite(lambda line: "" if _line_text(line) in excerpts else line)

    def clean(self, text: Callable[[str], str]) -> None:
        """Redact what earlier rules let through."""
        self._rewrite(lambda line: text(line.rstrip("\n")) + "\n" if line.startswith("- ") else line)

    def _rewrite(self, change: Callable[[str], str]) -> None:
        """Change lines of our own files; what else lies there, or is a link, is somebody else's."""
        for path in sorted(self._directory.iterdir()) if self._directory and self._directory.is_dir() else ():
            if not _NAME.fullmatch(path.name) or path.is_symlink() or not path.is_file():
                continue
            with self._traced():
                lines = path.read_text(encoding="utf-8", errors="surrogateescape").splitlines(keepends=True)
                new_lines = [change(line) for line in lines]
                if new_lines != lines:
                    disk.replace_file(path, "".join(new_lines))

    @contextlib.contextmanager
    def _traced(self) -> Iterator[None]:
        """Pass over a file that cannot be written, and note that once a day; the log lies in its project."""
        try:
            yield
        except OSError as error:
            project = str(self._directory.parent.parent) if self._directory else ""
            failures.leave_once(STEP, project, failures.describe(error))


def _line_text(line: str) -> str | None:
    """Return what a line of ours tells, without when, what kind and from where."""
    match = _LINE.fullmatch(line.rstrip("\n"))
    return match[1] if match else None


def _excerpt(memory: Memory) -> str:
    return _plain(shorten(memory.content, CHARS))


def _plain(text: str) -> str:
    """Return a text on one line that no reader of Markdown takes for anything else."""
    return " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;")
