"""Every mistake a person can make ends in one line that says what to do, and in a documented exit code."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from holdfast import errors
from holdfast.interfaces.cli.main import _CODES, EXIT_CODES, run
from tests.interfaces.cli.shell import PROGRAM, Shell


def every_error() -> list[type[errors.HoldfastError]]:
    """Return every class of error."""
    return [
        one for one in vars(errors).values() if isinstance(one, type) and issubclass(one, errors.HoldfastError)
    ]


def test_a_mistake_ends_in_one_line_that_says_what_to_do(shell: Shell, subtests: pytest.Subtests) -> None:
    for arguments, code, message in [
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
        (["stat"], 2, "Did you mean `holdfast stats` or `holdfast status`?"),
        (["install", "claude-code"], 2, "Did you mean claude? There are: claude, codex"),
        (["install", "emacs"], 2, "'emacs' is none. There are: claude, codex"),
        (["config", "get", "budget"], 4, "did you mean brief.start_budget or search.postings_budget?"),
        (["config", "set", "zzz.zzz", "1"], 4, "is not a setting; `holdfast help settings` lists them"),
        (["frobnicate"], 2, "`holdfast --help` lists the commands"),
        (["search"], 2, "Missing argument 'QUERY'. See `holdfast search --help`."),
        (["search", "x", "--bogus"], 2, "See `holdfast search --help`."),
        (["update", "feedbeef"], 2, "nothing to change. Name a field"),
        (["update", "feedbeef", "--kind", "fact"], 3, "No memory has the id 'feedbeef'"),
        (["update", "feedbeef", "--kind", "facts"], 3, "No memory has the id 'feedbeef'"),
        (["pin", "feedbeef"], 3, "No memory has the id 'feedbeef'"),
        (["unpin", "feedbeef"], 3, "No memory has the id 'feedbeef'"),
        (["confirm", "feedbeef"], 3, "No memory has the id 'feedbeef'"),
        (["supersede", "feedbeef", "feedbeef"], 3, "No memory has the id 'feedbeef'"),
        (["history", "feedbeef"], 3, "No memory has the id 'feedbeef'"),
        (["session", "lst"], 2, "Did you mean `holdfast session list`?"),
        (["session", "frob"], 2, "`holdfast session --help` lists the commands"),
        (["session", "show", "feedbeef"], 3, "No session has the id 'feedbeef'"),
        (["session", "start", "--at", "soon"], 2, "at: 'soon' is not a time"),
        (["session", "list", "--limit", "0"], 2, "limit: 0 is no whole number"),
        (["log", "--action", "frob"], 2, "is not one of 'add'"),
        (["log", "--limit", "0"], 2, "limit: 0 is no whole number"),
        (["log", "--since", "soon"], 2, "since: 'soon' is not a time"),
        (["pause", "maybe"], 2, "is not one of 'on', 'off'"),
        (["config", "gte"], 2, "Did you mean `holdfast config get`?"),
        (["config", "set", "store.synchronous", "never"], 4, "must be one of normal, full"),
        (["config", "set", "project.enabled", "perhaps"], 4, "must be true or false"),
        (["config", "get", "store.synchronos"], 4, "did you mean store.synchronous?"),
    ]:
        with subtests.test(arguments=arguments, code=code, message=message):
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
    assert re.search(r"search\.floor: must lie from 0 to 0\.5, not 3 \(in .*config\.toml, line 2\)", shell.err)


BROKEN = {
    "no TOML": ("[store\n", "line 1"),
    "a value out of range": ("[search]\nfloor = 3\n", "line 2"),
    "a key that is none": ("# mine\n\n[stroe]\npath = 'x'\n", "line 4"),
    "no text": ("[user]\nname = '\udcff'\n", "line 2"),
}
"""Settings files that cannot be used, and where it is."""


@pytest.fixture(params=BROKEN)
def broken(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The user's file is broken; return how it is named."""
    content, line = BROKEN[request.param]
    own = tmp_path / "config" / "config.toml"
    own.parent.mkdir()
    own.write_bytes(content.encode("utf-8", "surrogateescape"))
    return f"(in {own}, {line}"


def test_with_a_broken_settings_file_status_and_doctor_go_on_and_name_the_line(shell: Shell, broken: str) -> None:
    for words in (("add", "x"), ("search", "x"), ("list",), ("doctor", "--repair")):
        shell(*words, code=4)
        assert broken in shell.err
    status = shell.json("status")
    assert [broken in problem for problem in status["settings_problems"]] == [True]
    assert broken in shell("status")
    assert "the settings cannot be used" in status["off"]
    diagnoses = shell.json("doctor", code=8)["diagnoses"]
    [finding] = [one for one in diagnoses if one["name"] == "settings"]
    assert finding["severity"] == "problem"
    assert broken in finding["message"]
    assert len(diagnoses) > 5


def test_with_a_broken_settings_file_what_needs_none_works(
    shell: Shell, broken: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "config.toml" in shell("config", "path")
    assert "paused for this project" in shell("pause")
    shell("pause", "off")
    project = ["--project", str(shell.project)]
    for words in (["install", "claude"], ["uninstall", "claude"]):
        assert run([*words, *project]) == 0, capsys.readouterr().err
    shell("config", "set", "backup.keep", "5")
    assert shell("config", "unset", "backup.keep").startswith("backup.keep: ")


def test_with_a_broken_settings_file_a_hook_fails_open_and_status_shows_its_trace(
    shell: Shell, broken: str
) -> None:
    (shell.project / ".git").mkdir()
    (shell.project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    payload = {"session_id": "s", "cwd": str(shell.project), "hook_event_name": "UserPromptSubmit", "prompt": "x"}
    hook = PROGRAM.with_name("holdfast-hook")
    done = subprocess.run(
        [hook, "claude", "UserPromptSubmit"], input=json.dumps(payload), capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, "")
    assert "ConfigError: " in shell.json("status")["last_failure"]
    assert broken in shell("status").partition("last failure")[2]


def test_an_id_one_slip_away_is_suggested(shell: Shell) -> None:
    short = shell.add("Something to mistype")
    swapped = short[1] + short[0] + short[2:] if short[0] != short[1] else short[:-1]
    for words in (("get", swapped), ("forget", swapped, "--yes"), ("timeline", short[:-1]), ("pin", short + "0")):
        shell(*words, code=3)
        assert f"Did you mean {short}?" in shell.err


def test_every_error_has_an_exit_code_of_the_table(subtests: pytest.Subtests) -> None:
    for error in every_error():
        with subtests.test(error=error):
            code = next(code for kind, code in _CODES if issubclass(error, kind))
            assert code in EXIT_CODES
            assert code != 1 or error is errors.HoldfastError


def test_a_directory_that_may_not_be_made_is_named(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file where the directory should be")
    shell("pause", code=1)
    assert "data: File exists. Check permissions" in shell.err
