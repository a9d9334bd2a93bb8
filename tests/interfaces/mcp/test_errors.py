"""Every error has its place in the one table."""

import ast
import re
from pathlib import Path

import pytest

from holdfast import errors
from holdfast.interfaces.cli.main import COMMANDS
from holdfast.interfaces.mcp import errors as mistakes
from holdfast.machine import environment
from holdfast.storage import workspace

FACTS: dict[str, object] = {
    "field": "f", "problem": "p", "kind": "k", "suggestion": "", "kinds": "k", "id": "i", "matches": "m",
    "limit": 5, "reason": "r", "key": "k", "origin": "o", "url": "u", "path": "x", "seconds": 5, "version": 1,
    "milliseconds": 5, "known": 2, "taken": "t", "number": 3, "where": "w", "address": "a", "needed": "n",
    "has": "h", "size": 1, "verb": "v", "proposal": "p", "why": "w", "what": "w",
}  # fmt: skip


def test_codes_are_the_protocols_or_in_the_range_left_to_implementations(subtests: pytest.Subtests) -> None:
    for code in dict(mistakes.CODES).values():
        with subtests.test(code=code):
            assert code in (-32602, -32603) or -32019 <= code <= -32003


KINDS_OF_ERRORS = [
    kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, errors.HoldfastError) and kind is not errors.UnknownId
]
ELSEWHERE = {
    errors.PortTaken: "a server that cannot listen answers nobody",
}
"""Errors that no agent is told of, and why."""

EVERY_ERROR = [kind(**FACTS) for kind in KINDS_OF_ERRORS if kind not in ELSEWHERE] + [
    errors.UnknownId(noun=noun, id="feedbeef", near=near)
    for noun in ("memory", "session", "conflict", "item of the inbox", "project", "token", "proposal")
    for near in (None, "feedbeee")
]
REASONS = [
    *(f"it is {state}" for state in ("on", "off")),
    environment.OPTED_OUT,
    workspace.UNUSABLE,
    "it is paused everywhere. `holdfast pause off --all` goes on.",
]
"""Why memory is off: what a person switched off, only a person switches on."""

CLI_WORDS = re.compile(rf"holdfast (?:{'|'.join(COMMANDS)})\b|(?<![\w-])--[a-z]")
FOR_THE_USER = re.compile(r" Ask the user to run `holdfast [^`]+`(?: or `holdfast [^`]+`)*\.$")


def test_the_data_names_the_error() -> None:
    for error in EVERY_ERROR:
        told = mistakes.mistake(error)
        assert told.data is not None
        assert told.data["error"] == type(error).__name__
        assert told.message.startswith(mistakes.worded(error))


def test_an_agent_is_told_of_tools_and_of_commands_only_that_the_user_should_run_them(
    subtests: pytest.Subtests,
) -> None:
    for error in [*EVERY_ERROR, *(errors.SwitchedOff(reason=reason) for reason in REASONS)]:
        with subtests.test(error=error):
            message = mistakes.mistake(error).message
            told_to_ask = FOR_THE_USER.search(message)
            commands = re.findall(
                r"`(holdfast [^`]+)`", message[: told_to_ask.start()] if told_to_ask else message
            )
            assert [command for command in commands if not told_to_ask or command not in told_to_ask[0]] == []
            assert not CLI_WORDS.search(re.sub(r"`[^`]*`", "", message))


def test_what_an_agent_can_do_itself_is_never_left_to_the_user() -> None:
    """Each of these has a tool."""
    for error in (
        errors.UnknownId(noun="memory", id="feedbeef"),
        errors.UnknownId(noun="session", id="feedbeef"),
        errors.UnknownId(noun="conflict", id="feedbeef"),
        errors.SameContent(id="feedbeef"),
        errors.PinLimitReached(limit=5),
    ):
        message = mistakes.mistake(error).message
        assert "memory_" in message
        assert "user" not in message


SOURCES = Path(mistakes.__file__).resolve().parents[2]
OUT_OF_REACH = (
    "interfaces/cli",
    "interfaces/http",
    "interfaces/hooks",
    "agents",
    "export",
    "ingest",
    "share",
    "migrate.py",
    "settings/load.py",
    "storage/guard.py",
    "storage/settings.py",
    "storage/tenancy.py",
)
"""Code whose errors no tool meets: commands, other interfaces, taking in and handing out, looking after stores."""


def test_no_error_that_a_tool_meets_names_an_option_of_a_command() -> None:
    """A command in backticks is for the user, and said to be; an option by itself is nobody's."""
    named = []
    for path in sorted(SOURCES.rglob("*.py")):
        if path.relative_to(SOURCES).as_posix().startswith(OUT_OF_REACH):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Raise) and node.exc:
                texts = [part.value for part in ast.walk(node.exc) if isinstance(part, ast.Constant)]
                words = re.sub(r"`[^`]*`", "", " ".join(text for text in texts if isinstance(text, str)))
                named += [f"{path.name}:{node.lineno}"] if CLI_WORDS.search(words) else []
    assert named == []


def test_a_command_in_the_middle_of_a_sentence_is_named_again_for_the_user() -> None:
    assert mistakes.for_agent("It waits; `holdfast a` or `holdfast b --c` or `holdfast a` help") == (
        "It waits; `holdfast a` or `holdfast b --c` or `holdfast a` help. "
        "Ask the user to run `holdfast a` or `holdfast b --c`."
    )
    assert mistakes.for_agent("content: is empty.") == "content: is empty."


def test_who_has_been_told_whom_to_ask_is_not_told_again() -> None:
    message = mistakes.mistake(errors.Proposed(**FACTS)).message
    assert message.count("holdfast review") == 1
    assert message.endswith(" Ask the user to run `holdfast review`.")


def test_busy_off_and_damaged_are_told_apart() -> None:
    told = [
        mistakes.mistake(kind(**FACTS)).code
        for kind in (errors.StoreBusy, errors.StoreDamaged, errors.SwitchedOff, errors.ConfigError)
    ]
    assert told == [mistakes.BUSY, mistakes.STORE, mistakes.OFF, mistakes.CONFIG]


def test_what_nobody_expected_is_one_line_and_ours(capsys: pytest.CaptureFixture[str]) -> None:
    told = mistakes.mistake(KeyError("x\ny"))
    assert (told.code, "\n" in told.message) == (-32603, False)
    assert "mistake of holdfast" in told.message
    assert capsys.readouterr().err == ""


def test_debugging_shows_where_it_went_wrong(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_DEBUG", "1")
    mistakes.mistake(KeyError("deep"))
    assert "KeyError" in capsys.readouterr().err
