"""The sentences of a turn that can stand in a brief: whole statements, without what leads to or answers them.

A label without its list, a question, an acknowledgement, a dangling answer ("yes, option 2") and an agent's
narration say nothing to whoever was not there. Must not live here: what a turn is about (`evidence`).
"""

import re
from collections.abc import Sequence

from holdfast.capture.text.prose import Sentence, sentences
from holdfast.model.patterns import regex
from holdfast.recall.brief.deciding import NARRATES

LEAST_WORDS = 4
"""Fewer words than this say something only to who heard what came before."""

MOST_CHARS = 4_000
"""A longer message is a paste: its first paragraphs are read, where its sender says what it is."""

PASSAGE_CHARS = 420
"""What a passage may hold: three or four sentences, about 100 tokens."""

_WORD = regex(r"[^\W_]+(?:['’][^\W_]+)?")
_ACKNOWLEDGES = regex(
    r"(?:ok(?:ay)?|yes|yep|no|sure|right|great|perfect|good|nice|thanks|thank you|done|got it|understood|agreed|"
    r"sounds good|makes sense|lgtm|exactly|correct|continue|proceed|go on|go ahead|do it|option \w+)\b"
    r"[^.!?]{0,24}[.!?]*$",
    re.IGNORECASE,
)
_LEAD = (
    r"(?:(?:and|so|but|then|also|ok(?:ay)?|yes|yeah|yep|no|nope|well|now|hm+|please|pls|just|again|anyway|great|good|"
    r"nice|perfect|right|first|next|finally|go ahead and|lets?|let's|can you|could you|i want you to|we need to|"
    r"i need (?:you )?to|i'd like you to|kindly)\b[\s,.!:–—-]*)*"
)
_ORDERS_WORK = regex(
    _LEAD
    + r"(?:add|fix|run|rerun|show|write|re-?write|create|make|change|update|remove|delete|rename|move|check|look|"
    r"find|implement|try|give|explain|help|commit|push|merge|review|read|open|build|test|continue|address|investigate|"
    r"replace|start|set|see|think|proceed|draft|get|extract|convert|install|swap|sort|scan|search|list|tell|compare|"
    r"analy[sz]e|refactor|put|go|print|copy|paste|undo|revert|redo|figure|describe|summari[sz]e|generate|prepare|deploy|"
    r"debug|clean|split|improve|document|verify|modify|simplify|ensure|provide|work|take a look)\b",
    re.IGNORECASE,
)
"""How an order of work begins: it was carried out long ago."""

_RULE = regex(
    r"\b(?:always|never|only|must|should|every|each|all|any ?more|from now on|instead|rather|unless|except|"
    r"at (?:most|least)|no longer|by default|because|otherwise|not|don'?t|shouldn'?t|mustn'?t|is|are|will)\b",
    re.IGNORECASE,
)
"""Words that bind beyond the order in which they stand."""

_CLIENT_ADDITION = regex(r"\[added by the client\]|\[Image|^@\S+$")

_MARKS = regex(r"[*_`#>|]{2,}|[✅❌🎯🔧🚀✨🎉]|^\W+")


def statements(text: str, *, by_agent: bool = False) -> list[Sentence]:
    """Return the sentences of a turn that make sense alone, in their order."""
    return [sentence for sentence in sentences(text[:MOST_CHARS]) if _stands(sentence.text, by_agent)]


def _stands(sentence: str, by_agent: bool) -> bool:
    plain = sentence.strip()
    if plain.endswith(("?", ":")) or len(_WORD.findall(plain)) < LEAST_WORDS or _ACKNOWLEDGES.match(plain):
        return False
    if _CLIENT_ADDITION.search(plain) or (_ORDERS_WORK.match(plain) and not _RULE.search(plain)):
        return False
    return not (by_agent and NARRATES.match(plain.lower()))


def passage(told_sentences: Sequence[Sentence], best: int, most: int = PASSAGE_CHARS) -> str:
    """Return one line of whole sentences around the best one, what follows before what precedes."""
    first = last = best
    size = len(told_sentences[best].text)
    has_grown = True
    while has_grown:
        has_grown = False
        if last + 1 < len(told_sentences) and size + len(told_sentences[last + 1].text) < most:
            last += 1
            size += len(told_sentences[last].text) + 1
            has_grown = True
        if first > 0 and size + len(told_sentences[first - 1].text) < most:
            first -= 1
            size += len(told_sentences[first].text) + 1
            has_grown = True
    return " ".join(_plain(sentence.text) for sentence in told_sentences[first : last + 1])


def _plain(sentence: str) -> str:
    """Return a sentence without the marks of its format."""
    return _MARKS.sub("", sentence).strip()
