"""Every command, setting, exit code and error is documented."""

import re
from pathlib import Path

import pytest

from holdfast import errors
from holdfast.guard import doctor
from holdfast.interfaces.cli.main import COMMANDS, EXIT_CODES, cli
from holdfast.settings.schema import settings
from holdfast.stores.sqlite import checkup
from scripts import cli_reference

DOCS = Path(__file__).resolve().parents[2] / "docs"


def page(name: str) -> str:
    """Return the text of a page."""
    return (DOCS / name).read_text(encoding="utf-8")


def test_every_setting_is_documented_with_its_variable_and_default() -> None:
    text = page("configuration.md")
    missing = [one.key for one in settings() if f"`{one.key}`" not in text or f"`{one.variable}`" not in text]
    assert missing == []


def test_every_command_and_option_is_documented() -> None:
    text = page("cli.md")
    with cli.make_context("holdfast", ["--help"], resilient_parsing=True) as context:
        for name in COMMANDS:
            assert f"holdfast {name}" in text, name
            command = cli.get_command(context, name)
            assert command
            options = [option for one in command.params for option in one.opts if option.startswith("--")]
            assert [option for option in options if f"`{option}`" not in text] == [], name


def test_the_command_line_page_is_what_the_commands_say() -> None:
    """`make docs` writes it anew."""
    assert page("cli.md") == cli_reference.page()


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "demo"])
def test_the_page_of_features_names_every_command(name: str) -> None:
    assert re.search(rf"\b{name}\b", page("features.md"))


def test_every_exit_code_is_documented() -> None:
    text = page("cli.md")
    assert [code for code, meaning in EXIT_CODES.items() if f"| {code} | {meaning}" not in text] == []


def test_every_error_is_documented() -> None:
    text = page("errors.md")
    classes = [name for name, value in vars(errors).items() if isinstance(value, type)]
    assert [name for name in classes if f"`{name}`" not in text] == []


def test_every_diagnosis_is_documented() -> None:
    text = page("troubleshooting.md")
    names = [*checkup.CHECKS, *doctor.AROUND, "registry"]
    assert [name for name in names if f"| `{name}` |" not in text] == []


def test_the_readme_gives_the_two_commands() -> None:
    text = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    assert "make demo" in text
    assert "make test" in text
