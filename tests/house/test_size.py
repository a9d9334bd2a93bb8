"""The house does not grow unnoticed: what is counted in its files stays within the limits of scripts/house."""

from pathlib import Path

import pytest

from scripts.house import LIMITS
from scripts.house.count import Numbers, lines_of_code, of_source, opening_share, people_share

ROOT = Path(__file__).resolve().parents[2]
SOURCE = b'''"""A docstring,
of two lines."""

LIMIT = 3  # a comment
"""About the limit."""


def double(number: int) -> int:
    """Return the double."""
    # no code
    text = """a text
    of two lines"""
    return number * len(
        text
    )
'''


@pytest.fixture(scope="module")
def numbers() -> Numbers:
    """The numbers of this checkout."""
    return of_source(ROOT)


def test_no_number_is_above_its_limit(numbers: Numbers) -> None:
    over = [
        f"{name}: {number}, at most {LIMITS[name]}" for name, number in numbers.items() if number > LIMITS[name]
    ]
    assert over == []


def test_every_number_is_found(numbers: Numbers) -> None:
    """A count of zero means that the counter looks in the wrong place."""
    assert [name for name, number in numbers.items() if number == 0] == []


def test_blank_lines_comments_and_docstrings_are_no_code() -> None:
    assert lines_of_code(SOURCE) == 7


def test_prose_is_counted_by_openings_and_by_pronouns() -> None:
    texts = ["What is kept here.", "Return the limit for somebody.", "Whether it holds."]
    assert opening_share(texts) == 2 / 3
    assert people_share(texts) == 1 / 12
