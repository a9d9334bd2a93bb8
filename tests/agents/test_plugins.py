"""The Claude Code plugin and the Gemini CLI extension are what the installers install, under names on the path."""

import json

from holdfast.agents import claude, gemini
from scripts import plugins


def test_the_packages_in_the_repository_are_the_ones_that_are_written() -> None:
    """`make docs` writes them anew."""
    written = plugins.files()
    there = {path: (plugins.ROOT / path).read_text(encoding="utf-8") for path in written}
    assert there == written
    folders = (plugins.ROOT / "plugins", plugins.ROOT / ".claude-plugin")
    files = {
        str(path.relative_to(plugins.ROOT)) for folder in folders for path in folder.rglob("*") if path.is_file()
    }
    assert files == set(written)


def test_a_plugin_hooks_every_event_and_names_no_place_on_a_machine() -> None:
    texts = plugins.files()
    hooks = json.loads(texts["plugins/claude/hooks/hooks.json"])["hooks"]
    assert set(hooks) == set(claude.EVENTS)
    [stop] = hooks["Stop"][0]["hooks"]
    assert stop["command"] == "holdfast-hook claude Stop 2>/dev/null || true"
    assert set(json.loads(texts["plugins/gemini/hooks/hooks.json"])["hooks"]) == set(gemini.EVENTS)
