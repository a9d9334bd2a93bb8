"""Say what kind of memory a text is, from the cues in it.

The scoring; the cues and their weights are in `cues`. A caller's own kind is never asked about. Light: the table
is compiled on first use.

Every cue counts once, where it first occurs: one and a half times among the opening words (the verb there
says what the sentence is about: "Decided to add retries" is a decision), half in later sentences. The best
sum wins, ties go to the kind that comes first in `PRIORITY`, and below `FLOOR` the text is an observation.
Only the first 2,000 characters are read, which also bounds the time.
"""

import json
import os
import re

from holdfast.capture.cues import CUES, PRIORITY
from holdfast.capture.text.filenames import FILE
from holdfast.capture.text.leads import leads_in
from holdfast.model.kinds import OBSERVATION
from holdfast.model.patterns import regex

TYPE_CHECKING = False  # typing's own, without importing typing: the hooks share this module
if TYPE_CHECKING:
    from collections.abc import Iterator

EXAMINED_CHARS = 2000
FLOOR = 2.0
OPENING_WORDS = 3
PLAIN = 3.0
"""The most a text can score as a fact: many small signs of a plain statement never outweigh one clear cue."""

LEADS = os.path.join(os.path.dirname(__file__), "cue_leads.json")
"""The places of the cues in their table by what each can begin with; `scripts/cue_leads.py` writes it."""

_CODE = regex(r"`([^`\n]{1,200})`")
_SENTENCE_END = regex(r"[.!?;]\s|\n")
_OPENING = regex(rf"(?:\S+\s+){{{OPENING_WORDS - 1}}}")
_by_lead: dict[str, list[int]] = {}
_cue_patterns: dict[int, re.Pattern[str]] = {}


def classify(text: str) -> tuple[str, float]:
    """Return the kind of `text` and how sure that is, from 0 (no cue at all) to 1."""
    ranking = sorted(scores(text).items(), key=lambda item: (-item[1], PRIORITY.index(item[0])))
    if not ranking or ranking[0][1] < FLOOR:
        return OBSERVATION, 0.0
    kind, best = ranking[0]
    second = max(ranking[1][1], 0.0) if len(ranking) > 1 else 0.0
    return kind, round(best / (best + second + 1), 2)


def scores(text: str) -> dict[str, float]:
    """Return the sum of cue weights for every kind that has one in `text`."""
    masked_text = _mask(text[:EXAMINED_CHARS])
    opening = _OPENING.match(masked_text)
    head = opening.end() if opening else len(masked_text)
    first_end = _SENTENCE_END.search(masked_text)
    sentence = first_end.start() if first_end else len(masked_text)
    totals: dict[str, float] = {}
    for kind, weight, cue in _cues_for(masked_text):
        if match := cue.search(masked_text):
            at = match.start()
            factor = 1.5 if at <= head and weight > 1 else 1.0 if at <= sentence else 0.5
            totals[kind] = totals.get(kind, 0.0) + weight * factor
    return {kind: min(total, PLAIN) if kind == "fact" else total for kind, total in totals.items()}


def _mask(text: str) -> str:
    """Hide names that would look like cues: `fix_bug.py` fixes nothing."""
    text = _CODE.sub(lambda code: "FILE" if FILE.fullmatch(code[1]) else "CODE", text.strip())
    return FILE.sub("FILE", text.replace("’", "'"))


def _cues_for(text: str) -> "Iterator[tuple[str, float, re.Pattern[str]]]":
    """Yield the cues that may stand in a text, in the table's order; each is compiled when it is first tried."""
    if not _by_lead:
        with open(LEADS, encoding="utf-8") as file:
            _by_lead.update(json.load(file))
    candidate_places = {place for lead in _by_lead.keys() & leads_in(text) for place in _by_lead[lead]}
    for place in sorted(candidate_places):
        kind, weight, cue = CUES[place]
        if place not in _cue_patterns:
            _cue_patterns[place] = re.compile(rf"(?<![\w-])(?:{cue})(?![\w-])", re.IGNORECASE)
        yield kind, weight, _cue_patterns[place]
