"""Every command, setting, exit code and error is documented."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast import errors
from holdfast.guard import doctor
from holdfast.interfaces.cli.main import COMMANDS, EXIT_CODES, cli
from holdfast.settings.schema import settings
from holdfast.stores.sqlite import checkup
from scripts import cli_reference

DOCS = Path(__file__).resolve().parents[2] / "docs"
SOURCE = DOCS.parent / "src" / "holdfast"


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


def test_the_page_of_features_names_every_command(subtests: pytest.Subtests) -> None:
    for name in [name for name in COMMANDS if name != "demo"]:
        with subtests.test(name=name):
            assert re.search(rf"\b{name}\b", page("features.md"))


def test_every_exit_code_is_documented() -> None:
    text = page("cli.md")
    assert [code for code, meaning in EXIT_CODES.items() if f"| {code} | {meaning}" not in text] == []


def test_every_error_is_documented() -> None:
    text = page("errors.md")
    classes = [name for name, value in vars(errors).items() if isinstance(value, type)]
    assert [name for name in classes if f"`{name}`" not in text] == []


def test_every_check_is_documented() -> None:
    text = page("troubleshooting.md")
    names = [*checkup.CHECKS, *doctor.AROUND, "registry", "settings"]
    assert [name for name in names if f"| `{name}` |" not in text] == []


def test_everything_that_doctor_complains_of_is_documented() -> None:
    """By its name and how bad it is, wherever in the code it is said."""
    rows = {
        (name, severity.lower())
        for name, when in re.findall(r"^\| `([\w-]+)` \| ([^|]*)\|", page("troubleshooting.md"), re.MULTILINE)
        for severity in re.findall(r"problem|warning", when, re.IGNORECASE)
    }
    complaints = {
        complaint
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for complaint in _complaints(node)
    }
    assert len(complaints) > 20
    assert complaints - rows == set()


def _complaints(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield name and severity of what a diagnosis in the code may say; not those of a name that is passed in."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Diagnosis"):
        return
    given = dict(zip(("name", "severity"), node.args, strict=False))
    given |= {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
    name = given["name"]
    words = set(re.findall(r"\b(?:ok|warning|problem)\b", ast.unparse(given["severity"]).lower()))
    assert words, f"say the severity in the call: {ast.unparse(node)}"
    if isinstance(name, ast.Constant):
        yield from ((str(name.value), word) for word in words - {"ok"})


def test_modules_that_a_page_names_are_there(subtests: pytest.Subtests) -> None:
    """By the end of their path; decisions are of their day, and NAME stands for any."""
    for path in sorted([*DOCS.glob("*.md"), *DOCS.glob("agents/*.md")]):
        with subtests.test(path=path):
            folders = (SOURCE, *(DOCS.parent / name for name in ("tests", "scripts", "benchmarks")))
            modules = [
                f"/{module.relative_to(DOCS.parent)}" for folder in folders for module in folder.rglob("*.py")
            ]
            names = set(re.findall(r"`([\w/.]+\.py)`", path.read_text(encoding="utf-8")))
            assert [name for name in names if not any(module.endswith(f"/{name}") for module in modules)] == []


def test_the_readme_gives_the_two_commands() -> None:
    text = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    assert "make demo" in text
    assert "make test" in text
