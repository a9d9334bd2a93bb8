"""Every mistake a person can make ends in one line that says what to do, and in a documented exit code."""

import re
from pathlib import Path

import pytest

from tests.interfaces.cli.shell import Shell


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["add", "x", "--kind", "decisoin"], 2, "did you mean 'decision'?"),
        (["add", "x", "--importance", "7"], 2, "importance: 7.0 is out of range"),
        (["add", "   "], 2, "content: is empty"),
        (["add", "x", "--metadata", "[1]"], 2, "metadata: must be a JSON object"),
        (["add", "x", "--metadata", "{"], 2, "metadata: is not JSON"),
        (["add", "x", "--expires", "soon"], 2, "expires: 'soon' is not a time"),
        (["add", "x", "--supersedes", "feedbeef"], 3, "No memory has the id 'feedbeef'"),
        (["add", "x", "--session", "feedbeef"], 2, "session: no session has the id"),
        (["get", "feedbeef"], 3, "No memory has the id 'feedbeef'"),
        (["timeline", "feedbeef"], 3, "No memory has the id 'feedbeef'"),
        (["forget", "feedbeef", "--yes"], 3, "No memory has the id 'feedbeef'"),
        (["search", "x", "--limit", "0"], 2, "limit: 0 is no whole number"),
        (["search", "x", "--since", "yesterday-ish"], 2, "since: 'yesterday-ish' is not a time"),
        (["search", "x", "--kind", "nope"], 2, "kind: 'nope' is not a kind"),
        (["serch", "x"], 2, "Did you mean `holdfast search`?"),
        (["frobnicate"], 2, "`holdfast --help` lists the commands"),
        (["search"], 2, "Missing argument 'QUERY'"),
    ],
)
def test_a_mistake_ends_in_one_line_that_says_what_to_do(
    shell: Shell, arguments: list[str], code: int, message: str
) -> None:
    assert shell(*arguments, code=code) == ""
    assert message in shell.err
    assert shell.err.startswith("holdfast: ")
    assert len(shell.err.strip().splitlines()) == 1


def test_a_directory_that_is_not_there_is_named(shell: Shell) -> None:
    shell.project = shell.project / "gone"
    shell("list", code=2)
    assert "is not a directory" in shell.err


def test_a_file_that_is_no_store_is_refused_and_kept(shell: Shell) -> None:
    place = shell.project / ".holdfast"
    place.mkdir()
    (place / "memory.db").write_text("my diary")
    shell("add", "x", code=6)
    assert "is not a holdfast store" in shell.err
    assert (place / "memory.db").read_text() == "my diary"


def test_a_bad_setting_is_named_with_its_file(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.toml").write_text("[search]\nfloor = 3\n")
    shell("list", code=4)
    assert re.search(r"search\.floor: must lie from 0 to 0\.5, not 3 \(in .*config\.toml\)", shell.err)
