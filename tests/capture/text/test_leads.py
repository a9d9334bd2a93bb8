"""With which letters a match of a pattern can begin."""

import json
import re
from pathlib import Path

import pytest

from holdfast.capture.classify import CUES, LEADS
from holdfast.capture.text.leads import leads, leads_in
from scripts.cue_leads import written

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


def test_no_cue_of_a_sentence_is_passed_over() -> None:
    """Every cue against every labelled sentence: where it matches, one of its leads stands in the sentence."""
    lines = [
        line
        for name in ("classification", "classification_fresh")
        for line in (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    texts = [json.loads(line)["text"] for line in lines]
    begun = [(text, leads_in(text)) for text in texts]
    for _, _, cue in CUES:
        pattern = re.compile(rf"(?<![\w-])(?:{cue})(?![\w-])", re.IGNORECASE)
        mine = leads(cue)
        assert [text for text, known in begun if pattern.search(text) and mine.isdisjoint(known)] == []


def test_most_cues_are_not_tried_on_a_sentence() -> None:
    """Or nothing would be gained."""
    known = leads_in("The deploy script needs the VPN to be up before it starts")
    assert sum(not leads(cue).isdisjoint(known) for _, _, cue in CUES) < len(CUES) / 4


def test_the_committed_leads_are_those_of_the_cues() -> None:
    """`make docs` writes them."""
    assert Path(LEADS).read_text(encoding="utf-8") == written()
