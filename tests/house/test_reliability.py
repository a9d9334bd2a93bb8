"""Every case of docs/reliability.md is held by a test that exists, or says why not."""

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CASES = [*map(str, range(1, 26)), "25a", "25b", *map(str, range(26, 68))]
EXCUSES = ("*Not tested: ",)


def rows() -> dict[str, str]:
    """Return what holds each case, by its number."""
    text = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
    return dict(re.findall(r"^\| (\d+[ab]?) \|[^|]*\| (.*) \|$", text, re.MULTILINE))


@cache
def known_tests() -> frozenset[str]:
    """Return the names of all tests."""
    files = (path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    return frozenset(name for text in files for name in re.findall(r"def (test_\w+)", text))


def test_every_case_has_a_row_in_order() -> None:
    assert list(rows()) == CASES


def test_what_holds_a_case_exists(subtests: pytest.Subtests) -> None:
    for case in CASES:
        with subtests.test(case=case):
            held_by = rows()[case]
            named = re.findall(r"`(test_\w+)`", held_by)
            assert named or held_by.startswith(EXCUSES), "neither a test nor a reason why not"
            assert [name for name in named if name not in known_tests()] == []
