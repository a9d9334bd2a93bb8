"""What is remembered, written down a second time for people: one Markdown file a day. Off unless asked for.

Best effort: the store is the truth, and nothing is read back from here. What is forgotten goes from here, too.
"""

import contextlib
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from holdfast.model.kinds import IMPORTED
from holdfast.model.memory import Memory
from holdfast.model.times import day, iso
from holdfast.model.title import shorten

CHARS = 200


class Daybook:
    """The files of one project; without a directory nothing is written."""

    def __init__(self, directory: Path | None = None) -> None:
        self._directory = directory

    def write(self, memories: Sequence[Memory], now: int) -> None:
        """Add entries to the file of today, in UTC; what came from files is in files already."""
        told = [memory for memory in memories if memory.trust != IMPORTED]
        if not self._directory or not told:
            return
        with contextlib.suppress(OSError):
            self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            path = self._directory / f"{day(now)}.md"
            head = "" if path.exists() else f"# {day(now)}\n\n"
            lines = [f"- {iso(now)[11:16]} {one.kind} ({_plain(one.source)}): {_excerpt(one)}\n" for one in told]
            opened = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
            with os.fdopen(opened, "a", encoding="utf-8") as file:
                file.write(head + "".join(lines))

    def erase(self, memories: Sequence[Memory]) -> None:
        """Take out the lines of memories that were forgotten."""
        ends = tuple(f": {_excerpt(memory)}\n" for memory in memories)
        self._rewrite(lambda line: "" if ends and line.endswith(ends) else line)

    def clean(self, text: Callable[[str], str]) -> None:
        """Redact what earlier rules let through."""
        self._rewrite(lambda line: text(line.rstrip("\n")) + "\n" if line.startswith("- ") else line)

    def _rewrite(self, change: Callable[[str], str]) -> None:
        for path in sorted(self._directory.glob("*.md")) if self._directory else ():
            with contextlib.suppress(OSError):
                lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
                changed = [change(line) for line in lines]
                if changed != lines:
                    path.write_text("".join(changed), encoding="utf-8")


def _excerpt(memory: Memory) -> str:
    return _plain(shorten(memory.content, CHARS))


def _plain(text: str) -> str:
    """Return a text on one line that no reader of Markdown takes for anything else."""
    return " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;")
