"""What is imported is declared: nobody's dependency of a dependency is relied on."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OF_PYTHON_ITSELF = {"_sha2", "_sha256"}  # of CPython: `sys.stdlib_module_names` lists what this version has


def imported_packages() -> set[str]:
    """Return the first names of every import in the package that is neither ours nor Python's."""
    names: set[str] = set()
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names.update(alias.name.split(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                names.add(node.module.split(".")[0])
    return names - sys.stdlib_module_names - OF_PYTHON_ITSELF - {"holdfast"}


def declared_distributions() -> set[str]:
    """Return what pyproject.toml asks for, with every extra."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [
        *project["dependencies"],
        *(one for extra in project["optional-dependencies"].values() for one in extra),
    ]
    return {re.split(r"[\[<>=;~! ]", requirement)[0].lower() for requirement in wanted}


def test_every_package_that_is_imported_is_declared() -> None:
    distributions = packages_distributions()
    declared = declared_distributions()
    undeclared = [
        package
        for package in sorted(imported_packages())
        if declared.isdisjoint(name.lower().replace("_", "-") for name in distributions.get(package, [package]))
    ]
    assert undeclared == []
