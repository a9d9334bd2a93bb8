"""The words of rules and calls, as far as both are compared by them. Light: loaded before every tool call."""

import re

COMMAND = "command"
"""The sort of a touch point whose words stand in a call in their order, with others between."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")
_ENDINGS = ("ations", "ation", "ings", "ing", "ies", "ied", "ers", "er", "ed", "es", "ly", "s", "e", "y")
STOP = frozenset(
    (
        "a about again all also always am an and any are as at be because been before being but by can "
        "could did do does don each else even every everything for from get had has have here how i if in "
        "instead into is it its just keep let like make may me more most must my need needs never new no "
        "not nothing now of off ok okay on once one only or other our out over own please put re really "
        "same see shall should since so some still such sure t take than that the their them then there "
        "these they thing things this those through to too under until up us use used using ve very want "
        "was way we well were what when where which while who why will with without won would yes you your"
    ).split()
)


def stems_of(text: str) -> dict[str, str]:
    """Return the stems of a text's words with one word each: identifiers in parts, without stop words."""
    stems: dict[str, str] = {}
    for word in _WORD.findall(text):
        lower = word.lower()
        if len(lower) > 1 and lower not in STOP:
            stems[stem_of(lower)] = lower
    return stems


def stem_of(word: str) -> str:
    """Cut a word's ending, where at least three letters stay."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word
