"""The few forms by which a person asks for memory in so many words, takes something back, or goes on.

All that is decided by words and not by the judge when a session is read.
"""

import re

from holdfast.model.patterns import regex

_LEAD = (
    r"^\W*(?:(?:and|also|but|ok(?:ay)?|hm+|please|pls|so|well|oh|yes|yeah|no(?=[,.!:;–—-])|btw|hey"
    r"|one more thing|listen|right|good|great|nice|perfect|cool)\b[\s,.!:;–—-]+)*"
)
_ASKS = regex(
    _LEAD + r"(?:(?:can|could|will|would) you |you (?:should|must|need to|have to) |i want you to |let'?s )?"
    r"(?:please )?(?:always )?(?:remember(?: that\b| this\b|:|,| to (?:always|never)\b)"
    r"|keep (?:this |that |it )?in mind|(?:don'?t|do not|never) forget(?: that\b|:|,)"
    r"|from now on\b|new rule\b|rule:)",
    re.IGNORECASE,
)
_MAY_ASK = regex(
    _LEAD + r"(?:please )?(?:remember (?:we|our|the|i|my|all)\b|(?:don'?t|do not|never) forget (?:we|our|the|to)\b"
    r"|note (?:that\b|down\b)|for the record\b|from here on\b|going forward\b|henceforth\b)"
    r"|\b(?:from (?:now|here) on|going forward)(?=\s*[,;:–—-])",
    re.IGNORECASE,
)
_ASKS_BEHIND = regex(
    r"\b(?:from (?:now|here) on|going forward"
    r"|(?:please |pls )?(?:remember|memori[sz]e|keep|note) (?:this|that|it)"
    r"(?: in mind| for (?:later|next time|the future)| down)?)\W*$",
    re.IGNORECASE,
)
_ASKS_ALONE = regex(
    _LEAD + r"(?:remember|note|keep in mind|memori[sz]e)(?: (?:this|that|it|the following))?\W*$", re.IGNORECASE
)
_NO_REQUEST = regex(
    r"\b(?:do|did) (?:you|we|they) (?:still )?remember\b"
    r"|\b(?:i|we|they) (?:do |still |can |just )?remember\b|\?\W*$"
    r"|\b(?:don'?t|do not|needn'?t|no need to|not necessary to) (?:remember|memori[sz]e|note|keep|save)\b",
    re.IGNORECASE,
)

_TAKES_BACK = regex(
    _LEAD + r"(?:never ?mind|on second thought|i changed my mind|i take (?:that|it) back"
    r"|(?:scrap|forget|drop|ignore|undo|strike|disregard) (?:that|it|this|what i (?:just )?said)"
    r"(?=\W*$|\s*[,.;:!–—-]|\s+(?:and|then|with|about|i|we|let)\b))",
    re.IGNORECASE,
)
_GOES_ON = regex(
    r"^\W*(?:(?:and|but|so|or|then)\s+)?(?:because|cause|since|otherwise|so that|that(?:'s| is| way| means)|this"
    r"|it(?:'s)?|they|them|those|these|which|no exceptions?|every ?time|for example"
    r"|e\.g)\b",
    re.IGNORECASE,
)
_LEANS = regex(r"^\W*(?:(?:and|but|so|or|then)\s+)?(?:only|not|never|instead|always|ever)\b", re.IGNORECASE)
_POINTS_BACK = regex(
    _LEAD + r"(?:(?:remember|note|memori[sz]e|save) (?:(?:this|it)\b(?!\s*:)|that\W*$)"
    r"|keep (?:this|that|it) in mind\b(?!\s*:))",
    re.IGNORECASE,
)
_FILLER = regex(
    _LEAD + r"(?:(?:please |pls )?(?:remember(?: that|:)|keep in mind(?: that)?|for the record[:,]|note that"
    r"|don'?t forget(?: that|:))\s+)?",
    re.IGNORECASE,
)


def asks_for_memory(text: str, *, alone: bool = False) -> bool:
    """Return whether a sentence asks for something to be remembered; `alone`: and says nothing else itself."""
    if _NO_REQUEST.search(text):
        return False
    if alone:
        return _ASKS_ALONE.match(text) is not None
    return any(form.search(text) for form in (_ASKS, _ASKS_BEHIND, _ASKS_ALONE))


def may_ask(text: str) -> bool:
    """Return whether a sentence asks for memory if it lasts: "note that …" opens reports of the moment, too."""
    return _MAY_ASK.search(text) is not None and _NO_REQUEST.search(text) is None


def takes_back(text: str) -> bool:
    """Return whether a sentence takes back what was said before it, without saying what."""
    return _TAKES_BACK.match(text) is not None


def goes_on(text: str) -> bool:
    """Return whether a sentence says nothing without the one before it."""
    return _GOES_ON.match(text) is not None or points_back(text)


def leans(text: str) -> bool:
    """Return whether a sentence opens like "not even for tests": a rule of its own where it names something."""
    return _LEANS.match(text) is not None


def points_back(text: str) -> bool:
    """Return whether a sentence asks to remember what was said just before it."""
    return _POINTS_BACK.match(text) is not None


def lead_of(text: str) -> int:
    """Return where a statement begins behind "ok, please remember that"; 0 where little would be left."""
    match = _FILLER.match(text)
    end = match.end() if match else 0
    return end if len(text) - end >= len(text) // 2 else 0
