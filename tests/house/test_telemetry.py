"""What reports to its makers is imported in one place, which switches that off first."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HOME = ROOT / "src/holdfast/embedding/__init__.py"
REPORTING = {"onnxruntime", "fastembed", "huggingface_hub", "transformers"}
"""onnxruntime itself, and the packages of our extras and tools that bring it in or report on their own."""

BY_NAME = {"import_module", "__import__", "importorskip"}
"""Functions that import what their first argument names."""


def imported(tree: ast.AST) -> Iterator[str]:
    """Name the packages that a module imports when it runs, by a statement or by name."""
    for node in ast.iter_child_nodes(tree):
        match node:
            case ast.If(test=ast.Name("TYPE_CHECKING")):
                continue
            case ast.Import(names):
                yield from (alias.name.split(".")[0] for alias in names)
            case ast.ImportFrom(module=str(module), level=0):
                yield module.split(".")[0]
            case ast.Call(
                func=ast.Name(called) | ast.Attribute(attr=called), args=[ast.Constant(str(name)), *_]
            ) if called in BY_NAME:
                yield name.split(".")[0]
        yield from imported(node)


def test_nobody_else_imports_what_reports_to_its_makers() -> None:
    files = [
        file for folder in ("src", "scripts", "benchmarks", "tests") for file in (ROOT / folder).rglob("*.py")
    ]
    assert len(files) > 500
    guilty = {
        f"{file.relative_to(ROOT)}: {name}"
        for file in files
        if file != HOME
        for name in REPORTING & set(imported(ast.parse(file.read_text("utf-8"))))
    }
    assert guilty == set(), "import it with holdfast.embedding.import_without_telemetry"


def test_every_way_to_import_it_is_seen(subtests: pytest.Subtests) -> None:
    for text in [
        "import onnxruntime",
        "import numpy, onnxruntime.capi as capi",
        "from onnxruntime import InferenceSession",
        "def late():\n    if x:\n        import onnxruntime",
        "import importlib; importlib.import_module('onnxruntime')",
        "pytest.importorskip('onnxruntime')",
    ]:
        with subtests.test(text=text):
            assert "onnxruntime" in set(imported(ast.parse(text)))


def test_an_import_for_types_alone_counts_for_nothing() -> None:
    assert "onnxruntime" not in set(imported(ast.parse("if TYPE_CHECKING:\n    import onnxruntime")))
