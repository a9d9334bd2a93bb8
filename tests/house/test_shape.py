"""The code keeps its shape: sizes, names, ignores with reasons, docstrings."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.conftest import SLOW

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("src", "tests", "benchmarks", "scripts")
FILES = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
LONGEST_FUNCTION, LONGEST_FILE = 80, 600
"""Plain bounds, in lines; the size of the whole is held by test_size.py."""
TELLS_OF_FIELDS = ("src/holdfast/capture/text/redact/rules.py", "src/holdfast/embedding/__init__.py")
"""Packages whose docstrings say what the fields of a rule, or of an embedder, are."""
DRAWERS = {"utils", "util", "helpers", "helper", "common", "misc", "manager"}


def folder_of(path: Path) -> str:
    """Return the folder at the top that a file is in."""
    return path.relative_to(ROOT).parts[0]


def named(path: Path) -> str:
    """Return a path for people."""
    return str(path.relative_to(ROOT))


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield every function of a file."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def test_no_function_and_no_file_is_too_long() -> None:
    functions_over = [
        f"{named(path)}: {function.name}, {size} lines"
        for path in FILES
        for function in functions(path)
        if (size := (function.end_lineno or function.lineno) - function.lineno + 1) > LONGEST_FUNCTION
    ]
    files_over = [
        f"{named(path)}: {size} lines"
        for path in FILES
        if (size := len(path.read_text(encoding="utf-8").splitlines())) > LONGEST_FILE
    ]
    assert functions_over + files_over == []


def test_no_module_is_a_drawer() -> None:
    """A file is named after what is in it."""
    assert [named(path) for path in FILES if path.stem in DRAWERS] == []


def test_a_package_names_modules_that_are_there() -> None:
    """What a package's docstring tells of is a module in it, beside it or at the top, or something it defines."""
    missing = [
        f"{named(path)}: {name}"
        for path in FILES
        if path.name == "__init__.py" and folder_of(path) == "src" and named(path) not in TELLS_OF_FIELDS
        for name in re.findall(r"`([a-z_]+(?:\.[a-z_]+)*)`", ast.get_docstring(parsed(path)) or "")
        if not is_there(name, path.parent)
    ]
    assert missing == []


def is_there(name: str, package: Path) -> bool:
    """Say whether a package can speak of something by this name: a module, or a function of its own."""
    place = name.replace(".", "/")
    folders = (ROOT / "src" / "holdfast", package.parent, *(path for path in package.rglob("*") if path.is_dir()))
    modules = ((folder / place, folder / f"{place}.py") for folder in (package, *folders))
    return any(path.exists() for pair in modules for path in pair) or any(
        function.name == name for file in package.rglob("*.py") for function in functions(file)
    )


def parsed(path: Path) -> ast.Module:
    """Return the tree of a file."""
    return ast.parse(path.read_text(encoding="utf-8"))


def test_every_module_says_what_lives_in_it() -> None:
    silent = [named(path) for path in FILES if not ast.get_docstring(parsed(path))]
    assert silent == []


def test_every_ignore_names_its_code_and_its_reason() -> None:
    bare = re.compile(r"type: ignore(?!\[[\w, -]+\]  # \S)|noqa(?!: [A-Z]+\d+ - \S)")
    found = [
        f"{named(path)}:{number}"
        for path in FILES
        if path.name != "test_shape.py"
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if bare.search(line)
    ]
    assert found == []


def test_no_file_names_this_machine_or_a_registry() -> None:
    """Only what holds anywhere is committed."""
    machine = re.compile(
        r"(?<![\w.])/(?:" + "|".join(("wo" + "rk", "ro" + "ot", "ho" + r"me/\w+")) + r")/|py" + r"pi\.org"
    )
    texts = [
        path
        for pattern in ("*.md", "*.toml", "*.txt", "Makefile", ".ci/*", "docs/**/*.md", "src/**/*.sql")
        for path in ROOT.glob(pattern)
    ]
    found = [named(path) for path in [*FILES, *texts] if machine.search(path.read_text(encoding="utf-8"))]
    assert found == []


def test_what_is_listed_as_slow_is_there() -> None:
    assert [name for name in SLOW if not (ROOT / "tests" / name).exists()] == []
