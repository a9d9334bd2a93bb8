"""The blocks of commands in the pages: what they hold, and what a page says of those that no test runs."""

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PAGES = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md")))
SHELLS = ("sh", "bash", "shell", "console")
"""Labels of a block of commands; in `console` commands follow a `$`, and the rest is what they print."""
PYTHON = "python"
FENCE = re.compile(r"^( *)```(\w*)\s*$")
REASON = re.compile(r"^ *<!-- not run: (\S.*?) -->\s*$")
COMMENT = re.compile(r"^ *<!--.*-->\s*$")
PROGRAMS = "holdfast|holdfast-hook|make|git|pip|pipx|uv|curl|claude|codex|gemini|copilot|opencode|npm|pg_dump|psql"
COMMAND = re.compile(rf"^ *(?:\$ +)?(?:{PROGRAMS})(?: [\w./\"'<-]|$)", re.MULTILINE)
"""A line that somebody would type."""


class Block(NamedTuple):
    """A fenced block: where it stands, its label, its text, and why it is not run, if a comment above says so."""

    page: Path
    line: int
    label: str
    text: str
    reason: str

    @property
    def place(self) -> str:
        """Where it stands, for people."""
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    @property
    def is_shell(self) -> bool:
        """Whether it is a block of commands."""
        return self.label in SHELLS

    @property
    def commands(self) -> str:
        """What is typed, without what is printed."""
        if self.label != "console":
            return self.text
        return "\n".join(line.removeprefix("$ ") for line in self.text.splitlines() if line.startswith("$ "))


def blocks(page: Path) -> list[Block]:
    """Return every fenced block of a page."""
    fenced = []
    lines = page.read_text(encoding="utf-8").splitlines()
    place = 0
    while place < len(lines):
        if fence := FENCE.match(lines[place]):
            end = next(at for at in range(place + 1, len(lines)) if lines[at].strip() == "```")
            text = "\n".join(line.removeprefix(fence[1]) for line in lines[place + 1 : end])
            fenced.append(Block(page, place + 1, fence[2], text, _reason(lines[:place])))
            place = end
        place += 1
    return fenced


def _reason(above: list[str]) -> str:
    """Return what the comments right above a block say of its not being run."""
    for line in reversed(above):
        if reason := REASON.match(line):
            return reason[1]
        if line.strip() and not COMMENT.match(line):
            break
    return ""
