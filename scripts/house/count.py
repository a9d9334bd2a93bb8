"""Numbers that are read from files: lines, files, classes, pages, words. Nothing of the package is imported.

A line of code holds a token other than a comment, a line feed or an indent, and is no part of a docstring. A
docstring here is every statement that is only a string: those of modules, classes and functions, and those that
stand below a constant or a field.
"""

import ast
import re
import tokenize
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

_NO_CODE = frozenset(
    (
        tokenize.COMMENT,
        tokenize.NL,
        tokenize.NEWLINE,
        tokenize.INDENT,
        tokenize.DEDENT,
        tokenize.ENCODING,
        tokenize.ENDMARKER,
    )
)
_QUESTIONS = frozenset("what who whose whoever whether how where when whatever".split())
_PEOPLE = "whoever who whose whatever somebody nobody".split()
_SETTING = re.compile(r"^\| `[a-z_]+\.[a-z_]+` \|", re.MULTILINE)

Numbers = dict[str, float]


def of_source(root: Path) -> Numbers:
    """Return the numbers that a test holds: those of the package and its settings."""
    package = root / "src" / "holdfast"
    return {
        "code lines of src": code_lines(root / "src"),
        "files of src": len(list((root / "src").rglob("*.py"))),
        "units at the top": len(units(package)),
        "run-time dependencies": len(dependencies(root)),
        "settings": len(_SETTING.findall((root / "docs" / "configuration.md").read_text(encoding="utf-8"))),
        "error classes": len(list(_classes(package / "errors.py"))),
        "store port methods": port_methods(package / "ports"),
    }


def of_the_rest(root: Path) -> Numbers:
    """Return the numbers of tests, pages and prose."""
    texts = list(_docstrings(root / "src"))
    return {
        "code lines of tests": code_lines(root / "tests"),
        "docs pages": len([page for page in (root / "docs").rglob("*.md") if page.parent.name != "decisions"]),
        "decision records": len(list((root / "docs" / "decisions").glob("[0-9]*.md"))),
        "docstrings that open with a question word, %": round(100 * opening_share(texts), 1),
        "who, whose, whoever, whatever, somebody, nobody per 1,000 words": round(1_000 * people_share(texts), 2),
    }


def code_lines(folder: Path) -> int:
    """Count the lines of code below a folder."""
    return sum(lines_of_code(path.read_bytes()) for path in folder.rglob("*.py"))


def lines_of_code(source: bytes) -> int:
    """Count the lines of code of one file."""
    feed = iter(source.splitlines(keepends=True))
    lines: set[int] = set()
    for token in tokenize.tokenize(lambda: next(feed, b"")):
        if token.type not in _NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for text in _bare_texts(ast.parse(source)):
        lines.difference_update(range(text.lineno, (text.end_lineno or text.lineno) + 1))
    return len(lines)


def units(package: Path) -> list[str]:
    """Return the modules and packages at the top, the package's own `__init__` apart."""
    return sorted(
        path.name
        for path in package.iterdir()
        if (path.suffix == ".py" and path.name != "__init__.py") or (path / "__init__.py").exists()
    )


def dependencies(root: Path) -> list[str]:
    """Return what pyproject.toml asks for without any extra."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return list(project["dependencies"])


def port_methods(folder: Path) -> int:
    """Count the methods of the protocols that a store's facets keep."""
    return sum(
        isinstance(member, ast.FunctionDef)
        for protocol in _classes(folder / "facets.py")
        for member in protocol.body
    )


def opening_share(texts: list[str]) -> float:
    """Return the share of docstrings that open with a question word."""
    openings = [found[0].lower() for text in texts if (found := re.search(r"\w+", text))]
    return sum(word in _QUESTIONS for word in openings) / max(1, len(openings))


def people_share(texts: list[str]) -> float:
    """Return the share of words that name a person by a pronoun."""
    words = Counter(word for text in texts for word in re.findall(r"[a-z]+", text.lower()))
    return sum(words[word] for word in _PEOPLE) / max(1, words.total())


def _docstrings(folder: Path) -> Iterator[str]:
    for path in sorted(folder.rglob("*.py")):
        for text in _bare_texts(ast.parse(path.read_bytes())):
            yield str(text.value)


def _bare_texts(tree: ast.Module) -> Iterator[ast.Constant]:
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            yield node.value


def _classes(path: Path) -> Iterator[ast.ClassDef]:
    for node in ast.parse(path.read_bytes()).body:
        if isinstance(node, ast.ClassDef):
            yield node
