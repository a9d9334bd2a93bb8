"""The pages of the docs that come with the program, and what each is about. Nothing is printed here."""

from pathlib import Path

from holdfast.errors import UnusableFile
from holdfast.model.value import Value

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
        "inbox": ("review", "What waits for you, and how to settle it", "review conflicts"),
        "learning": ("ingest", "From git's history, past sessions and Markdown files", "ingest watch"),
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
        "python": ("python-api", "The same from Python", ""),
        "benchmarks": ("benchmarks", "Figures, and how they were measured", ""),
    },
}
"""Every topic under what it is for: its page, what it is about, and the commands that it is the guide to.

A page of an agent is a topic by itself. No topic has the name of a command."""


class HelpTopic(Value):
    """One page that can be read."""

    name: str
    group: str
    page: str
    """Its file below the folder of the docs, without its ending; empty where it is made."""
    summary: str
    commands: tuple[str, ...] = ()


def topics() -> list[HelpTopic]:
    """Return every topic, in the order in which they are shown."""
    listed = [
        HelpTopic(name, group, page, summary, tuple(commands.split()))
        for group, entries in GROUPS.items()
        for name, (page, summary, commands) in entries.items()
    ]
    place = next(at for at, topic in enumerate(listed) if topic.group == AGENTS)
    return [*listed[:place], *_agent_topics(), *listed[place:]]


def page_of(topic: HelpTopic) -> str:
    """Return a topic's page as it was written."""
    for folder in PLACES:
        file = folder / f"{topic.page}.md"
        if file.is_file():
            return file.read_text(encoding="utf-8")
    raise UnusableFile(where=f"{PLACES[0]}/{topic.page}.md", problem=f"is missing. The docs are also at {SITE}.")


def find_topic(word: str) -> HelpTopic | None:
    """Return the topic that a word names: by its name, by that of its page, or by how only one begins."""
    known = topics()
    by_name = [topic for topic in known if word and word in (topic.name, topic.page)]
    beginnings = [topic for topic in known if topic.name.startswith(word)]
    return next(iter(by_name or (beginnings if len(beginnings) == 1 else [])), None)


def _agent_topics() -> list[HelpTopic]:
    folder = next((place / "agents" for place in PLACES if (place / "agents").is_dir()), None)
    files = sorted(folder.glob("*.md")) if folder else []
    return [HelpTopic(file.stem, AGENTS, f"agents/{file.stem}", _about(file), ("install",)) for file in files]


def _about(file: Path) -> str:
    """Return what a page of an agent is about, by its title."""
    with file.open(encoding="utf-8") as stream:
        return f"With {stream.readline().lstrip('# ').strip()}"
