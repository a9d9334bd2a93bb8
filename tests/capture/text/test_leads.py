"""With which letters a match of a pattern can begin."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.capture.classify import CUES, LEADS, _first_places
from holdfast.capture.text.leads import LeadTable, alternatives, leads
from scripts.cue_leads import needed_texts, written

DATA = Path(__file__).resolve().parents[2] / "data"


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("decided", {"decid"}),
        ("we|i", {"we\0", "i\0"}),
        ("fix(?:es|ed)?", {"fixes", "fixed", "fix\0"}),
        ("we(?:'ll| will)", {"we'll", "we wi"}),
        ("don't", {"don't"}),
        ("(?<!no )plan[sz]? it", {"plan ", "plans", "planz"}),
        ("a{0,2}b", {"a", "b\0"}),
        (r"\d+ files", {""}),
        ("[A-Z][a-z]+ wants", {""}),
        ("(?-i:E)rror", {"error"}),
        ("'d rather", {""}),
        ("ab.d", {"ab"}),
        (r"x(?=\)|y)z", {"xz\0"}),
    ],
)
def test_leads_are_the_first_letters_of_every_match(pattern: str, found: set[str]) -> None:
    """A whole word is marked by its end; what cannot be told ends a lead early."""
    assert leads(pattern) == found


LINES = [
    json.loads(line)["text"]
    for name in ("classification", "classification_fresh")
    for line in (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
]


def test_a_pattern_is_its_alternatives() -> None:
    """Bars inside groups and classes part nothing."""
    assert alternatives(r"a(?:b|c)|[|d]e|f\||g") == ["a(?:b|c)", "[|d]e", r"f\|", "g"]


def test_every_cue_is_found_where_it_first_stands() -> None:
    """Every cue against every labelled sentence: tried at few places, or passed over, it is found all the same."""
    patterns = [re.compile(rf"(?<![\w-])(?:{cue})(?![\w-])", re.IGNORECASE) for _, _, cue in CUES]
    for text in [*LINES, "Retry 3 of 5", "İ always lower it", "M setup.py", "x" * 3_000]:
        searched = {place: match.start() for place, cue in enumerate(patterns) if (match := cue.search(text))}
        assert _first_places(text) == searched


@given(st.lists(st.sampled_from([*" ".join(LINES[:40]).split(), "-", "\n", "3", "FILE", "'d", "Éa"]), max_size=30))
def test_cues_are_found_in_any_order_of_words(words: list[str]) -> None:
    """What begins anywhere and what begins at a word."""
    text = " ".join(words)
    patterns = [re.compile(rf"(?<![\w-])(?:{cue})(?![\w-])", re.IGNORECASE) for _, _, cue in CUES]
    searched = {place: match.start() for place, cue in enumerate(patterns) if (match := cue.search(text))}
    assert _first_places(text) == searched


def test_most_cues_are_not_tried_on_a_sentence() -> None:
    """Or nothing would be gained."""
    starts = LeadTable(table_of_leads()).starts_in("the deploy script needs the vpn to be up before it starts")
    assert len(starts) < len(CUES) / 8


@pytest.mark.parametrize(
    ("pattern", "needs"),
    [
        (r"(?:would|'d) rather", {" rather"}),
        (r"\d+ files? changed", {" changed"}),
        (r"\S*\d\S*", {"\\d"}),
        (r"[A-Z]\w*(?:Error|Warning)", {"error", "warning"}),
        (r"(?<=[a-z] )[A-Z]\w+", set()),
        (r"(?:ab)?c{0,2}\w", set()),
    ],
)
def test_what_every_match_of_a_pattern_holds(pattern: str, needs: set[str]) -> None:
    """The longest text that cannot be missing; nothing where nothing is sure."""
    assert needed_texts(pattern) == needs


def table_of_leads() -> dict[str, list[int]]:
    """Return the committed leads."""
    tables: dict[str, dict[str, list[int]]] = json.loads(Path(LEADS).read_text(encoding="utf-8"))
    return tables["leads"]


def test_the_committed_leads_are_those_of_the_cues() -> None:
    """`make docs` writes them."""
    assert Path(LEADS).read_text(encoding="utf-8") == written()
