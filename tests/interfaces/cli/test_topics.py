"""`holdfast help`: every page can be read, and every word leads somewhere."""

import re
from pathlib import Path

import click
import pytest

from holdfast.interfaces.cli.main import COMMANDS, EXIT_CODES
from holdfast.interfaces.cli.topics import HelpTopic, find_topic, page_of, render, topics
from holdfast.settings.schema import settings
from tests.interfaces.cli.shell import Shell, at_terminal, program

DOCS = Path(__file__).resolve().parents[3] / "docs"


def test_the_list_has_a_line_for_every_topic(shell: Shell) -> None:
    text = shell("help")
    assert re.findall(r"^  (\S+)  +\S", text, re.MULTILINE) == [topic.name for topic in topics()]
    assert [entry["topic"] for entry in shell.json("help")] == [topic.name for topic in topics()]
    assert max(map(len, text.splitlines())) <= 100


def test_no_topic_has_the_name_of_a_command() -> None:
    """Or nobody could tell which of the two is shown."""
    assert [topic.name for topic in topics() if topic.name in COMMANDS] == []


@pytest.mark.parametrize("topic", topics(), ids=lambda topic: topic.name)
def test_every_page_is_shown_without_the_signs_of_markdown(
    shell: Shell, topic: HelpTopic, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = [line for line in shell("help", topic.name).splitlines() if not line.startswith("    ")]
    assert [line for line in lines if len(line) > 80 and len(line.split()) > 2] == []
    words = re.sub(r"`[^`]*`", "x", "\n".join(lines))
    assert not re.search(r"\]\(|<!--|^#+ |^\||^```|\*\*", words, re.MULTILINE)


def test_no_word_is_no_topic(shell: Shell) -> None:
    assert find_topic("") is None
    assert shell("help", "", code=2) == ""
    assert "'' is no topic, command or setting. `holdfast help` lists the pages." in shell.err


def test_the_name_of_a_command_shows_its_help(shell: Shell, subtests: pytest.Subtests) -> None:
    for name in COMMANDS:
        with subtests.test(name=name):
            assert shell("help", name).startswith(f"Usage: holdfast {name} ")


def test_a_command_names_the_pages_that_are_its_guides(shell: Shell) -> None:
    assert shell("help", "search").endswith("\nSee also: holdfast help searching\n")
    assert shell("help", "config", "set").startswith("Usage: holdfast config set [OPTIONS] KEY VALUE")
    named = {name for topic in topics() for name in topic.commands}
    assert named <= set(COMMANDS)


def test_a_setting_is_explained_with_its_value_and_who_set_it(shell: Shell) -> None:
    shell("config", "set", "brief.start_budget", "900")
    text = shell("help", "brief.start_budget")
    assert "a whole number, from 200 to 20000" in text
    assert "default   1500\n" in text
    assert re.search(r"now       900 \(.*\.holdfast/config\.toml\)", text)
    assert "HOLDFAST_BRIEF_START_BUDGET" in text
    assert shell.json("help", "brief.start_budget")["value"] == 900


def test_a_setting_is_explained_while_its_file_cannot_be_used(shell: Shell, tmp_path: Path) -> None:
    own = tmp_path / "config" / "config.toml"
    own.parent.mkdir()
    own.write_text("[search\n")
    assert f"(in {own}, line 1" in shell("help", "search.floor")
    assert "Exit codes" in shell("help", "exit-codes")


def test_every_setting_can_be_asked_about(shell: Shell, subtests: pytest.Subtests) -> None:
    for option in settings():
        with subtests.test(option=option):
            assert shell("help", option.key).startswith(option.key)


def test_a_section_lists_its_settings(shell: Shell) -> None:
    assert re.findall(r"^  (embedding\.\S+)", shell("help", "embedding"), re.MULTILINE)[:2] == [
        "embedding.model",
        "embedding.url",
    ]


def test_a_topic_is_found_by_its_page_and_by_how_only_one_begins(subtests: pytest.Subtests) -> None:
    for word, name in [("domain", "words"), ("brief", "briefs"), ("trouble", "troubleshooting"), ("zzz", None)]:
        with subtests.test(word=word, name=name):
            topic = find_topic(word)
            assert (topic.name if topic else None) == name


def test_an_unknown_word_gets_a_suggestion(shell: Shell, subtests: pytest.Subtests) -> None:
    for word, advice in [
        ("breifs", "Did you mean `holdfast help briefs`?"),
        ("serch", "Did you mean `holdfast help search`?"),
        ("brief.start_budjet", "Did you mean `holdfast help brief.start_budget`?"),
        ("nothinglikeit", "`holdfast help` lists the pages."),
    ]:
        with subtests.test(word=word, advice=advice):
            shell("help", word, code=2)
            assert advice in shell.err


def test_exit_codes_are_those_of_the_program(shell: Shell) -> None:
    text = shell("help", "exit-codes")
    assert [
        code for code, meaning in EXIT_CODES.items() if not re.search(rf"^{code} +{meaning}", text, re.M)
    ] == []


def test_a_long_page_goes_through_the_pager_at_a_terminal_only(tmp_path: Path) -> None:
    pager = tmp_path / "pager"
    pager.write_text("#!/bin/sh\necho PAGED; cat\n")
    pager.chmod(0o755)
    environment = {"PAGER": str(pager), "LINES": "24", "NO_COLOR": "1"}
    assert "PAGED" in at_terminal("help", "settings", **environment)[1]
    assert "PAGED" not in at_terminal("help", "brief.nudge", **environment)[1]
    assert "PAGED" not in program("help", "settings", **environment).stdout


def test_at_a_terminal_code_has_a_colour_and_no_backticks() -> None:
    page = "# Title\n\nRun `holdfast add`, **now**.\n"
    assert render(page, 80, coloured=False) == "Title\n=====\n\nRun `holdfast add`, now.\n"
    coloured = render(page, 80, coloured=True)
    assert click.unstyle(coloured) == "Title\n=====\n\nRun holdfast add, now.\n"
    assert click.style("now", bold=True) in coloured


TABLES = """| a | b |
|---|---|
| `x` | [one](other.md#place) |
| y \\| z | see [there](https://example.org) |

| key | default | meaning |
|---|---|---|
| k | 1 | a long text that does not fit beside the others |
"""


def test_tables_are_columns_where_they_fit_and_records_where_they_do_not() -> None:
    assert render(TABLES, 40, coloured=False) == (
        "a      b\n"
        "-----  -------------------------------\n"
        "`x`    one\n"
        "y | z  see there (https://example.org)\n"
        "\n"
        "k\n"
        "    default: 1\n"
        "    meaning: a long text that does not\n"
        "      fit beside the others\n"
    )


def test_lists_hang_and_code_stands_as_it_is() -> None:
    page = "- one two three four\n  five\n- six\n\n1. first\n\n```sh\nholdfast   add\n```\n![picture](x.png)\n"
    assert render(page, 18, coloured=False) == (
        "  - one two three\n    four five\n  - six\n\n  1. first\n\n    holdfast   add\n"
    )


def test_every_page_of_the_docs_is_a_topic_or_not_for_users() -> None:
    """A new page gets a line in `topics.GROUPS`, or is left out of the wheel in pyproject.toml."""
    apart = {"api", "index", "architecture", "adding-a-store", "adding-an-agent", "release"}
    pages = {path.stem for path in DOCS.glob("*.md")} | {
        f"agents/{path.stem}" for path in DOCS.glob("agents/*.md")
    }
    assert pages - apart == {topic.page for topic in topics() if topic.page}


def test_what_is_read_is_the_page(shell: Shell) -> None:
    assert shell.json("help", "briefs") == {
        "topic": "briefs",
        "text": (DOCS / "brief.md").read_text(encoding="utf-8"),
    }
    topic = find_topic("briefs")
    assert topic
    assert page_of(topic).startswith("# The brief")
