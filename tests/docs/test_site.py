"""The site is built without a warning, and loads nothing from elsewhere."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.blocks import ROOT

LOADED = re.compile(
    r"<(?:script|img|iframe|source|video)\b[^>]*\bsrc=[\"']?(?:https?:)?//[^\"'\s>]+"
    r"|<link\b[^>]*\brel=[\"']?(?:stylesheet|preconnect|icon|preload)[^>]*\bhref=[\"']?(?:https?:)?//[^\"'\s>]+"
)
"""What a browser fetches by itself from another place."""
IMPORTED = re.compile(r"(?:url\(|@import\s+)[\"']?(?:https?:)?//[^\"')]+")
"""The same in a style sheet."""


def build(source: Path, target: Path) -> subprocess.CompletedProcess[str]:
    """Build the site of a checkout as `make site` does."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(target)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    return subprocess.run(command, cwd=source, env=environment, capture_output=True, text=True)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built once."""
    target = tmp_path_factory.mktemp("site")
    done = build(ROOT, target)
    assert done.returncode == 0, done.stderr
    return target


def test_no_page_loads_anything_from_elsewhere(site: Path) -> None:
    """Who reads how their memory stays private is not counted by anybody for it."""
    pages = list(site.rglob("*.html"))
    assert len(pages) > 50
    loads = [(page.name, fetch) for page in pages for fetch in LOADED.findall(page.read_text(encoding="utf-8"))]
    styles = [
        (page.name, fetch) for page in site.rglob("*.css") for fetch in IMPORTED.findall(page.read_text("utf-8"))
    ]
    assert loads + styles == []


def test_every_decision_and_every_public_name_is_on_the_site(site: Path) -> None:
    import holdfast

    decisions = {path.stem for path in (ROOT / "docs" / "decisions").glob("0*.md")}
    assert decisions <= {path.stem for path in (site / "decisions").iterdir()}
    names = (site / "api.html").read_text(encoding="utf-8")
    assert [name for name in holdfast.__all__ if name[0].isupper() and f'id="holdfast.{name}"' not in names] == []


def test_a_dead_link_ends_the_build(tmp_path: Path) -> None:
    """Strictness is one option away from being none: with --quiet nothing counts."""
    for path in ("mkdocs.yml", "scripts/site_pages.py", "docs/index.md"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / path, tmp_path / path)
    done = build(tmp_path, tmp_path / "site")
    assert done.returncode == 1
    assert "agents/codex.md" in done.stderr
