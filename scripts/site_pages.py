"""What mkdocs does besides `mkdocs.yml`: it lists the decisions, and refuses what is loaded from elsewhere."""

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError

FOLDER = "decisions/"
ELSEWHERE = r"[\"']?(?:https?:)?//[^\"'\s>)]+"
LOADED = re.compile(
    rf"<(?:script|img|iframe|source|video)\b[^>]*\bsrc(?:set)?={ELSEWHERE}"
    rf"|<link\b[^>]*\brel=[\"']?(?:stylesheet|preconnect|icon|preload)\b[^>]*\bhref={ELSEWHERE}"
    rf"|(?:url\(|@import\s+){ELSEWHERE}"
)
"""What a browser fetches by itself from another place, in a page or a style sheet."""


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the pages of the folder in the place of its name; the index comes first."""
    names = sorted(path.name for path in (Path(config.docs_dir) / FOLDER).glob("0*.md"))
    pages = [f"{FOLDER}{name}" for name in ("README.md", *names)]
    entries = [entry for titled in config.nav or [] for entry in titled.items()]
    config.nav = [{title: pages if place == FOLDER else place} for title, place in entries]
    return config


def on_post_build(config: MkDocsConfig) -> None:
    """End the build where a page loads something from elsewhere: nobody is to count who reads about privacy."""
    if fetches := foreign_fetches(Path(config.site_dir)):
        raise PluginError(f"loaded from elsewhere: {'; '.join(fetches)}")


def foreign_fetches(site: Path) -> list[str]:
    """Return what the pages and style sheets of a site load from other places."""
    files = [path for pattern in ("*.html", "*.css") for path in sorted(site.rglob(pattern))]
    return [f"{path.name}: {tag}" for path in files for tag in LOADED.findall(path.read_text(encoding="utf-8"))]
