"""Shells complete commands, options, kinds, statuses and settings."""

import os
import subprocess

import pytest

from holdfast.interfaces.cli.main import run
from tests.interfaces.cli.shell import PROGRAM


def completed(words: str) -> list[str]:
    """Return what bash would offer after these words."""
    place = len(words.split(" ")) - 1
    environment = os.environ | {
        "_HOLDFAST_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(place),
    }
    done = subprocess.run([PROGRAM], capture_output=True, text=True, env=environment, check=True)
    return [line.partition(",")[2] for line in done.stdout.splitlines()]


def test_a_shell_completes_commands_options_and_words(subtests: pytest.Subtests) -> None:
    for words, offered in [
        ("holdfast se", ["search", "session", "serve"]),
        ("holdfast add --kind de", ["decision"]),
        ("holdfast search x --status p", ["pinned"]),
        ("holdfast session s", ["show", "start"]),
        ("holdfast config get store.s", ["store.synchronous"]),
        ("holdfast pause o", ["on", "off"]),
        ("holdfast list --us", ["--user"]),
    ]:
        with subtests.test(words=words, offered=offered):
            assert completed(words) == offered


def test_the_script_for_each_shell_is_printed(
    capsys: pytest.CaptureFixture[str], subtests: pytest.Subtests
) -> None:
    for shell in ["bash", "zsh", "fish"]:
        with subtests.test(shell=shell):
            assert run(["completion", shell]) == 0
            assert f"_HOLDFAST_COMPLETE={shell}_complete" in capsys.readouterr().out


def test_bash_accepts_the_script(capsys: pytest.CaptureFixture[str]) -> None:
    run(["completion", "bash"])
    script = capsys.readouterr().out
    assert subprocess.run(["bash", "-n"], input=script, text=True).returncode == 0
