"""The pages of the docs that come with the program: their summaries, and Markdown as a terminal shows it."""

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import click
from msgspec import Struct

from holdfast.errors import UnusableFile

EXIT_CODES = "exit-codes"
SITE = "https://holdfast-memory.github.io/holdfast/"
PACKAGE = Path(__file__).resolve().parents[2]
PLACES = (PACKAGE / "docs", PACKAGE.parents[1] / "docs")
"""Where the pages are: in an installed package, and in a checkout."""

AGENTS = "Agents"
GROUPS: dict[str, dict[str, tuple[str, str, str]]] = {
    "Start": {
        "first-steps": ("first-five-minutes", "From nothing to a memory in the next session", "install demo init"),
        "features": ("features", "What there is, what is not there yet", ""),
        "concepts": ("concepts", "Ten ideas: what it will do, and why", ""),
        "words": ("domain", "The words used here, and their rules", "add update supersede confirm pin"),
        "migrating": ("migrating", "From other memory tools", "import"),
        "troubleshooting": ("troubleshooting", "What doctor says, and what to do about it", "doctor status"),
    },
    AGENTS: {
        "hooks": ("hooks", "What is recorded and told, and when", "install uninstall session"),
        "mcp-server": ("mcp", "Tools, prompts, slash commands, errors", "mcp slash"),
        "briefs": ("brief", "What an agent is told, and why", "context pin unpin"),
    },
    "Guides": {
        "searching": ("search", "How things are found and ranked", "search get list timeline alias reindex"),
        "viewer": ("viewer", "Memory in the browser", "view"),
        "rules": ("rules", "Rules told at the call that touches them, and guards", "guard check stats"),
        "inbox": ("review", "What waits for you, and how to settle it", "review conflicts"),
        "learning": ("ingest", "From git's history, past sessions and Markdown files", "ingest learn watch"),
        "import-export": ("import-export", "Files in and out, and the section that agents read", "import export"),
        "tuning": ("tuning", "When to change which setting", "config"),
        "upkeep": ("upkeep", "What keeps memory small and current", "cleanup prune stats"),
        "privacy": ("privacy", "What is kept, and what leaves the machine", "forget auto pause"),
        "security": ("security", "What is kept out, whom it believes, what is not promised", "forget log"),
        "ownership": ("trust", "Whose store it is; backups", "trust backup restore"),
        "platforms": ("platforms", "What works on which system, and how it was tried", ""),
        "reliability": ("reliability", "What is promised, and which test holds it", "doctor backup"),
    },
    "Teams": {
        "sharing": ("sharing", "Team memory through git", "share"),
        "server": ("server", "REST, MCP and events over HTTP", "serve token"),
        "postgres": ("postgres", "Memory on a PostgreSQL server", "migrate-store"),
        "citus": ("citus", "Many tenants, for the administrator", ""),
        "scaling": ("scaling", "What one machine serves", ""),
    },
    "Reference": {
        "commands": ("cli", "Every command and option; what --json prints", ""),
        "settings": ("configuration", "Every setting, where it comes from, whose word counts", "config"),
        "errors": ("errors", "Every error, and what to do", ""),
        EXIT_CODES: ("", "What the numbers mean", ""),
        "judge": ("judge", "The models of what lasts in talk: data, figures, limits", "learn"),
        "languages": ("languages", "What works in which language", ""),
        "python": ("python-api", "The same from Python", ""),
        "benchmarks": ("benchmarks", "Figures, and how they were measured", ""),
    },
}
"""Every topic under what it is for: its page, what it is about, and the commands that it is the guide to.

A page of an agent is a topic by itself. No topic has the name of a command."""


class HelpTopic(Struct, frozen=True):
    """One page that can be read."""

    name: str
    group: str
    page: str
    """Its file below the folder of the docs, without its ending; empty where it is made."""
    summary: str
    commands: tuple[str, ...] = ()


def topics() -> list[HelpTopic]:
    """Return every topic, in the order in which they are shown."""
    pages = [
        HelpTopic(name, group, page, summary, tuple(commands.split()))
        for group, entries in GROUPS.items()
        for name, (page, summary, commands) in entries.items()
    ]
    place = next(at for at, topic in enumerate(pages) if topic.group == AGENTS)
    return [*pages[:place], *_agent_topics(), *pages[place:]]


def page_of(topic: HelpTopic) -> str:
    """Return a topic's page as it was written."""
    for folder in PLACES:
        file = folder / f"{topic.page}.md"
        if file.is_file():
            return file.read_text(encoding="utf-8")
    raise UnusableFile(where=f"{PLACES[0]}/{topic.page}.md", problem=f"is missing. The docs are also at {SITE}.")


def find_topic(word: str) -> HelpTopic | None:
    """Return the topic that a word names: by its name, by that of its page, or by how only one begins."""
    all_topics = topics()
    by_name = [topic for topic in all_topics if word and word in (topic.name, topic.page)]
    beginnings = [topic for topic in all_topics if topic.name.startswith(word)]
    return next(iter(by_name or (beginnings if len(beginnings) == 1 else [])), None)


def _agent_topics() -> list[HelpTopic]:
    folder = next((place / "agents" for place in PLACES if (place / "agents").is_dir()), None)
    files = sorted(folder.glob("*.md")) if folder else []
    return [HelpTopic(file.stem, AGENTS, f"agents/{file.stem}", _about(file), ("install",)) for file in files]


def _about(file: Path) -> str:
    """Return what a page of an agent is about, by its title."""
    with file.open(encoding="utf-8") as stream:
        return f"With {stream.readline().lstrip('# ').strip()}"


_FENCE = re.compile(r"^( *)```")
_HEADING = re.compile(r"^(#+) +(.*)")
_ITEM = re.compile(r"^( *)([-*]|\d+\.) +(.*)")
_COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)
_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
_CODE = re.compile(r"`([^`]+)`")
_BOLD = re.compile(r"(?<!`)\*\*([^*`]*(?:`[^`]*`[^*`]*)*)\*\*(?!`)")
_EMPHASIS = re.compile(r"(?<![\w*])\*([^*\s][^*]*)\*(?![\w*])")
_AUTOLINK = re.compile(r"<(https?://[^>\s]+)>")
_CELL = re.compile(r"(?<!\\)\|")
_MARGIN = "    "


class Style(NamedTuple):
    """How wide lines may be, and how words stand out."""

    width: int
    code: Callable[[str], str]
    strong: Callable[[str], str]


def render(page: str, width: int, *, coloured: bool) -> str:
    """Return a page as text; where there are no colours, code keeps its backticks."""
    style = Style(width, _coloured_code, _bold) if coloured else Style(width, "`{}`".format, str)
    lines = _COMMENT.sub("", page).splitlines()
    return "\n\n".join(block for block in _blocks(lines, style) if block.strip()) + "\n"


def _coloured_code(code: str) -> str:
    return " ".join(click.style(word, fg="cyan") for word in code.split())


def _bold(text: str) -> str:
    return click.style(text, bold=True)


def _blocks(lines: list[str], style: Style) -> Iterator[str]:
    place = 0
    while place < len(lines):
        end = _end_of_block(lines, place)
        if lines[place].strip():
            yield _block(lines[place:end], style)
        place = end


def _end_of_block(lines: list[str], place: int) -> int:
    """Return where the block ends that begins at a line."""
    if fence := _FENCE.match(lines[place]):
        closing = (at for at in range(place + 1, len(lines)) if lines[at] == fence[1] + "```")
        return next(closing, len(lines) - 1) + 1
    is_table = lines[place].startswith("|")
    end = place + 1
    while (
        end < len(lines)
        and lines[end - 1].strip()
        and lines[end].strip()
        and not _HEADING.match(lines[end - 1])
        and not _HEADING.match(lines[end])
        and not _FENCE.match(lines[end])
        and lines[end].startswith("|") == is_table
    ):
        end += 1
    return end


def _block(lines: list[str], style: Style) -> str:
    if fence := _FENCE.match(lines[0]):
        return "\n".join(f"{_MARGIN}{line.removeprefix(fence[1])}".rstrip() for line in lines[1:-1])
    if heading := _HEADING.match(lines[0]):
        return _heading(len(heading[1]), heading[2], style)
    if lines[0].startswith("|"):
        return _table([_cells(line) for line in lines], style)
    return "\n".join(_paragraph(part, style) for part in _items(lines))


def _heading(level: int, title: str, style: Style) -> str:
    words = click.unstyle(_inline(title, style))
    if level > 2:
        return style.strong(words)
    return f"{style.strong(words)}\n{('=' if level == 1 else '-') * len(words)}"


def _items(lines: list[str]) -> Iterator[list[str]]:
    """Yield the items of a list with the lines that go on; a paragraph is one of them."""
    part: list[str] = []
    for line in lines:
        if part and _ITEM.match(line):
            yield part
            part = []
        part.append(line)
    yield part


def _paragraph(lines: list[str], style: Style) -> str:
    item = _ITEM.match(lines[0])
    lead = f"{item[1]}  {item[2]} " if item else ""
    first = item[3] if item else lines[0]
    return wrap(_inline(" ".join([first, *lines[1:]]), style), style.width, lead, " " * len(lead))


def _cells(line: str) -> list[str]:
    return [cell.strip().replace("\\|", "|") for cell in _CELL.split(line.strip().strip("|"))]


def _table(rows: list[list[str]], style: Style) -> str:
    """Lay a table out: in columns where it fits, its last column wrapped where there are two, else row by row."""
    head = [click.unstyle(_inline(cell, style)) for cell in rows[0]]
    body = [[_inline(cell, style) for cell in row] for row in rows[2:]]
    widths = [max(_length(row[at]) for row in (head, *body) if at < len(row)) for at in range(len(head))]
    if sum(widths) + 2 * (len(widths) - 1) <= style.width:
        lines = [[style.strong(title) for title in head], ["-" * width for width in widths], *body]
        return "\n".join(_columns(row, widths) for row in lines if any(map(str.strip, row)))
    if len(head) == 2 and widths[0] <= style.width // 3:
        hanging = " " * (widths[0] + 2)
        return "\n".join(wrap(row[-1], style.width, _columns(row[:1], widths, pad=True), hanging) for row in body)
    return "\n".join(_record(head, row, style) for row in body)


def _columns(cells: Sequence[str], widths: Sequence[int], *, pad: bool = False) -> str:
    wide_cells = [cell + " " * (width - _length(cell)) for cell, width in zip(cells, widths, strict=False)]
    return "  ".join([*wide_cells, ""]) if pad else "  ".join(wide_cells).rstrip()


def _record(head: list[str], row: list[str], style: Style) -> str:
    """Return a row that is too wide for columns: its first cell, and below it the others by their titles."""
    titles = [f"{title}: " if title and len(head) > 2 else "" for title in head]
    others = [
        wrap(title + cell, style.width, _MARGIN, _MARGIN + "  ")
        for title, cell in zip(titles[1:], row[1:], strict=False)
        if cell
    ]
    return "\n".join([wrap(style.strong(row[0]), style.width, "", "  "), *others])


def _inline(text: str, style: Style) -> str:
    """Return a line's words: of a link its text, and its address where that is on the web."""
    text = _AUTOLINK.sub(r"\1", _LINK.sub(_link_text, text))
    parts = _CODE.split(_BOLD.sub(lambda match: style.strong(match[1]), text))
    plain = [_EMPHASIS.sub(r"\1", part) for part in parts[::2]]
    codes = [style.code(code) for code in parts[1::2]]
    return "".join(part for pair in zip(plain, [*codes, ""], strict=True) for part in pair)


def _link_text(link: re.Match[str]) -> str:
    picture, words, address = link.groups()
    if picture:
        return ""
    return f"{words} ({address})" if address.startswith("http") and address != words else words


def wrap(text: str, width: int, lead: str = "", indent: str = "") -> str:
    """Break a text into lines; colours take no room, and a word that is too long stays whole."""
    lines, line = [], lead
    empty = True
    for word in text.split():
        if not empty and _length(line) + 1 + _length(word) > width:
            lines.append(line)
            line, empty = indent, True
        line = line + word if empty else f"{line} {word}"
        empty = False
    return "\n".join([*lines, line.rstrip()])


def _length(text: str) -> int:
    return len(click.unstyle(text))
