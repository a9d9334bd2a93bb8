"""What mkdocs is told besides `mkdocs.yml`: the decisions, many and ever more, are listed by their files."""

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig

FOLDER = "decisions/"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the pages of the folder in the place of its name; the index comes first."""
    names = sorted(path.name for path in (Path(config.docs_dir) / FOLDER).glob("0*.md"))
    pages = [f"{FOLDER}{name}" for name in ("README.md", *names)]
    config.nav = [
        {title: pages if place == FOLDER else place}
        for entry in config.nav or []
        for title, place in entry.items()
    ]
    return config
