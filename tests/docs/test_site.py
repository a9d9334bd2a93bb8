"""The build of the site ends at a dead link and at what is loaded from elsewhere; `make check` builds it whole."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import holdfast
from scripts.site_pages import foreign_fetches
from tests.docs.blocks import ROOT

PAGES = ("mkdocs.yml", "scripts/site_pages.py", "docs/index.md")


def build(place: Path) -> subprocess.CompletedProcess[str]:
    """Build a site as `make site` does."""
    recipe = (ROOT / "Makefile").read_text(encoding="utf-8").partition("-m mkdocs ")[2].splitlines()[0]
    command = [sys.executable, "-m", "mkdocs", *recipe.partition("#")[0].split()]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    return subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True)


def test_a_dead_link_ends_the_build(tmp_path: Path) -> None:
    """Strictness is one option away from being none: with --quiet nothing counts."""
    for path in PAGES:
        (tmp_path / path).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / path, tmp_path / path)
    result = build(tmp_path)
    assert result.returncode == 1
    assert "contains a link 'agents/codex.md'" in result.stderr


def test_what_is_loaded_from_elsewhere_ends_the_build(tmp_path: Path) -> None:
    settings = f"site_name: Test\ntheme: {{name: material}}\nhooks: [{ROOT / 'scripts' / 'site_pages.py'}]\n"
    (tmp_path / "mkdocs.yml").write_text(
        settings, encoding="utf-8"
    )  # fonts are fetched unless that is switched off
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text("# Home\n", encoding="utf-8")
    result = build(tmp_path)
    assert result.returncode == 1
    assert "loaded from elsewhere: 404.html: <link" in result.stderr


@pytest.mark.parametrize(
    ("page", "is_foreign"),
    [
        ('<script src="https://cdn.example/x.js">', True),
        ("<img alt=x src=//counter.example/1.gif>", True),
        ('<source media="print" srcset="https://pictures.example/1.png">', True),
        ('<link href="assets/main.css" rel="stylesheet">', False),
        ('<a href="https://example.org">a link is followed by whoever wants to</a>', False),
    ],
)
def test_only_what_a_browser_fetches_by_itself_counts(page: str, is_foreign: bool, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(page, encoding="utf-8")
    assert bool(foreign_fetches(tmp_path)) is is_foreign


def test_every_public_name_is_on_the_page_of_names() -> None:
    lines = (ROOT / "docs" / "api.md").read_text(encoding="utf-8").splitlines()
    assert [name for name in holdfast.__all__ if name[0].isupper() and f"::: holdfast.{name}" not in lines] == []
