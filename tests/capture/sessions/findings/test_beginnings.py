"""With which words forms of speech begin: what is not compiled would not have matched."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from holdfast.capture.sessions.findings import lasting, statements, wording
from holdfast.capture.sessions.findings.beginnings import leads_of, may_begin
from holdfast.capture.sessions.findings.reading import plain
from holdfast.capture.sessions.findings.wording import Form, within

DATA = Path(__file__).parents[3] / "data"
FORMS = {
    f"{module.__name__}.{name}": form
    for module in (wording, lasting, statements)
    for name, form in vars(module).items()
    if isinstance(form, Form)
}
WORDS = sorted({word for form in FORMS.values() for word in plain(form._pattern).replace("'", " ").split()})


def sentences() -> list[str]:
    """Return every text of the data that tests have."""
    lines = [line for file in sorted(DATA.glob("*.jsonl")) for line in file.read_text("utf-8").splitlines()]
    texts = [value for line in lines for value in json.loads(line).values() if isinstance(value, str)]
    return sorted({plain(text[:2_000]) for text in texts})


@pytest.mark.parametrize(
    ("alternatives", "whole", "parts"),
    [
        ("always|never", {"always", "never"}, set()),
        ("errors?|crash\\w*", {"error", "errors"}, {"crash"}),
        ("(?:i|we)(?: \\w+)? want", {"i", "we"}, set()),
        ("(?:quick |full )?recap", {"quick", "full", "recap"}, set()),
        ("any ?more|don'?t|it's", {"it"}, {"any", "don"}),
        ("(?<!of )whether", {"whether"}, set()),
        ("an? (?:option|idea)", {"a", "an"}, set()),
    ],
)
def test_the_beginnings_are_read_off_the_pattern(alternatives: str, whole: set[str], parts: set[str]) -> None:
    leads = leads_of(alternatives)
    assert leads is not None
    assert leads[0] >= whole
    assert {*leads[0], *leads[1]} >= parts
    assert all(may_begin(leads, f"so {word}s" if word in parts else f"so {word}") for word in whole | parts)
    assert not may_begin(leads, "nothing of that")


@pytest.mark.parametrize("alternatives", [r"\d+ of them|always", r"(?:ok)?[\s,]*sure|no", r"[a-z]+ing"])
def test_what_can_begin_with_anything_is_always_looked_for(alternatives: str) -> None:
    assert leads_of(alternatives) is None
    assert within(alternatives)._may_be_in("")


def test_no_form_passes_over_what_it_would_find() -> None:
    missed = [
        (name, text)
        for name, form in FORMS.items()
        for text in sentences()
        if form._regex.search(text) and not form._may_be_in(text)
    ]
    assert missed == []


@given(some.lists(some.sampled_from(WORDS), min_size=1, max_size=6))
def test_nor_in_any_row_of_the_words_that_forms_are_made_of(words: list[str]) -> None:
    text = " ".join(words)
    assert [name for name, form in FORMS.items() if form._regex.search(text) and not form._may_be_in(text)] == []
