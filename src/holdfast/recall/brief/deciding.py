"""How much a turn settles, told from how it is worded: what was decided is in few of a session's turns.

A rule is stated flatly: few words, numbers, "only", "never", "at most", an order, "so …", "from now on". Talk
about code is long, asks, wonders and remembers. What the other side turns down at once settled nothing; what it
accepts in a few words is settled. Must not live here: what a turn is about (`evidence`), and which of two rules
holds (`amendments`). `statements` picks the sentences of a turn by it.
"""

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct

from holdfast.model.patterns import regex
from holdfast.model.session import Turn
from holdfast.text.sentences import Sentence, sentences


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SETTLES = regex(
    r"(?:(?:ok(?:ay)?|alright|great|good|excellent|perfect|right|yes|yep)[,.!]? (?:so |then )?)?"
    r"(?:final|settled|agreed|decided|decision|confirmed|recorded|noted|done|understood|got it|changed|"
    r"updated|recap|"
    r"summary|amended|amending|so|then|removed|added|set)\b[^.?!\n]{0,60}?(?::|—|–| - |,)"
)
"""How a text begins that says what was settled."""

RECAPS = (
    "recap", "in summary", "to summarise", "to summarize", "to sum up", "in short", "bottom line",
    "to be explicit", "the final ", "the agreed ", "the whole rule", "the new rule", "the new policy",
)  # fmt: skip
CHOOSES = (
    "we decided", "i decided", "we agreed", "we settled", "we chose", "we picked", "go with", "going with",
    "went with", "we switched", "we're switching", "we are switching", "we moved", "we are moving", "we're moving",
    "i moved", "we adopt", "we standardi", "we take", "we consolidated", "team voted", "we'll use", "we use",
    "ship it",
)  # fmt: skip
RULE_NOUNS = _words(
    "rule policy contract convention standard limit default ceiling order requirement threshold timeout period "
    "format budget schedule"
)
COPULAS = _words("is are becomes become stays stay remains remain will should")
FORWARD_WORDS = _words("now instead stays stay unchanged remains remain henceforth anymore")
FORWARD_PHRASES = ("going forward", "from today", "as of", "no longer", "any more")
RULE_WORDS = _words(
    "must mustn't never always only exactly forbidden require required requires cap caps capped limit "
    "limits limited "
    "unless except don't keep keeps drop drops ignore ignored win wins tie ties ordered ascending "
    "descending first "
    "reject rejects rejected stays stay remains remain no every everything"
)
RULE_PHRASES = (
    "at most", "at least", "no more than", "not allowed", "do not", "has to", "have to", "by default",
)  # fmt: skip
NUMBER_WORDS = _words(
    "one two three four five six seven eight nine ten twelve fifteen twenty thirty forty sixty ninety"
)
ORDERS = _words(
    "use keep make set put cut raise lower drop add remove store sort round name write take go do don't "
    "never always "
    "fall flag retry cap stop start send sign lock log run build return reject ignore allow require prefer avoid "
    "treat show hide delete order record leave widen move switch change update limit mark merge deploy cache skip "
    "apply compare emit"
)
FILLERS = _words("please then just so yes ok okay no right and but also")
"""Words that may stand before an order."""

DOUBT_WORDS = _words(
    "maybe might perhaps wonder wondering probably possibly curious remember could would seem seems "
    "hunch potentially"
)
DOUBT_PHRASES = (
    "i think", "i guess", "what if", "not sure", "i was looking", "i was just", "i was thinking", "i was digging",
    "i was reviewing", "i was checking", "feels like", "feel like", "thinking aloud",
)  # fmt: skip
CHATS = regex(
    r"(?:yeah|yep|exactly|absolutely|definitely|totally|good (?:point|question|call|catch|to know)|"
    r"(?:that )?makes sense|"
    r"sounds (?:good|like)|right,|ah|interesting|hey|oh|smart|nice|cool|mostly|spot on|thanks|that's a good)\b"
)
"""How a text begins that goes on with a chat."""

THANKS = _words("thanks thank appreciate appreciated cheers")

PERSONAL = _words("i i'm i'd i'll i've you you're")
ACCEPTS = regex(
    r"(?:right|yes|yep|exactly|correct|perfect|that's (?:the|it|right|what)|that\b|agreed|ship it|sounds "
    r"good|works|"
    r"fine|merged|good|great|nice|leave it|keep it|ok(?:ay)?|done|do that|approved|lgtm|confirmed)\b"
)
REFUSES = regex(
    r"(?:no\b|nope|not\b|wait|hmm|careful|almost|too \w+|actually|but\b|wrong|hold on|hang on|it's not|we tried|"
    r"only on|oh\b|that (?:breaks|won't|doesn't|hides))"
)

TAKES_BACK = regex(
    r"(?:oh\b|wait|hmm|scrap|actually|on second thought|never ?mind|forget (?:it|that)|true,|too \w+|fair\b|"
    r"i changed my mind|sorry|correction)"
)
"""How somebody begins who thinks better of what they said before."""

SORTS: dict[str, tuple[str, ...]] = {}
"""What each single word tells, so that a text is gone through once."""
for _name, _group in (
    ("rule", RULE_WORDS),
    ("number", NUMBER_WORDS),
    ("doubt", DOUBT_WORDS),
    ("personal", PERSONAL),
    ("forward", FORWARD_WORDS),
    ("thanks", THANKS),
    ("noun", RULE_NOUNS),
    ("order", ORDERS),
):
    for _word in _group:
        SORTS[_word] = (*SORTS.get(_word, ()), _name)

NARRATES = regex(
    r"(?:(?:perfect|great|excellent|good|ok(?:ay)?|alright|now|first|next|then|so|and|but|hmm?)[,.!:]*\s+)*"
    r"(?:i(?:'ll| will|'m| am|'ve| have|'d| would| see| need| can| found| think| notice)|let me|let's|looking at|"
    r"here(?:'s| is| are)|now (?:i|let)|you're (?:absolutely )?right)\b"
)
"""How an agent tells what it does."""


DECIDING = 0.42
"""The least weight of a turn that settles something: that of a plain statement with next to nothing against it."""

PLAIN = 0.45
"""The weight of a text with nothing for or against it."""

ACCEPTED_BY_WORDS = 14
"""What accepts in more words than this goes on talking."""

ACCEPTING_FACTOR = 0.5
"""What is left of the weight of a turn that only accepts: it says nothing new."""

REFUSED_FACTOR = 0.4
"""What is left of the weight of a turn that was turned down or taken back."""

SAID_BACK_CHARS = 300
"""What an agent says back takes a sentence or two; more is a report."""

SHARED_WORDS = 2
"""Longer words that it shares with what was said."""

RECAP_CHARS = 800
"""What says no more than what was settled takes at most so many characters."""

LONG_WORDS = 25
"""Words up to which length speaks against nothing."""

LONG_STEP = 60
LONG_COST = 0.15
LONG_MOST = 0.3
"""Each further so many words cost so much weight, and all of them no more than the last."""

MOST_CHARS = 4_000
"""Characters of a turn that are read."""

NUMBER = ("number",)
_CODE = regex(r"```.*?(?:```|\Z)", re.DOTALL)
_WORD = regex(r"[a-z]+(?:'[a-z]+)?|\d[\d.,]*")
_CLAUSE = regex(r"[.:;!?—–\n]\s+|, (?:so|and|then) ")


class Weight(Struct, frozen=True):
    """How much a turn settles, and what became of it."""

    settles: float
    refused: bool = False
    """Whether it was turned down or taken back."""
    accepted: bool = False
    """Whether the other side took it in a few words."""
    recaps: bool = False
    """Whether it is a short text that says what was settled: an agent's that repeats the person's word."""


def settling(turns: Sequence[Turn]) -> list[Weight]:
    """Return how much each of a session's consecutive turns settles, from 0 to 1."""
    statement_weights = [statement(turn.text) for turn in turns]
    return [_weigh_turn(turns, statement_weights, place) for place in range(len(turns))]


@lru_cache(maxsize=2048)
def statement(text: str) -> float:
    """Return how much a text settles by itself."""
    prose = _CODE.sub(" ", text[:MOST_CHARS]).strip().lower().replace("’", "'")
    words = _WORD.findall(prose)
    if not words:
        return 0.0
    cue_counts = _count_cues(words)
    weight = PLAIN + _for(prose, words, cue_counts) - _against(prose, words, cue_counts)
    return round(max(0.0, min(1.0, weight)), 3)


def _weigh_turn(turns: Sequence[Turn], statement_weights: Sequence[float], place: int) -> Weight:
    """Weigh a turn by itself and by what is said to it; who only accepts says nothing new."""
    weight = statement_weights[place] * (ACCEPTING_FACTOR if _accepts(turns, place) else 1.0)
    sums_up = recaps(turns[place].text) or _says_back(turns, place)
    if _taken_back(turns, place):
        return Weight(weight * REFUSED_FACTOR, refused=True)
    if place + 1 == len(turns) or turns[place + 1].role == turns[place].role:
        return Weight(weight, recaps=sums_up)
    if _accepts(turns, place + 1):
        return Weight(max(weight, statement_weights[place + 1], DECIDING), accepted=True, recaps=sums_up)
    if REFUSES.match(_lower_case(turns[place + 1].text)):
        return Weight(weight * REFUSED_FACTOR, refused=True)
    return Weight(weight, recaps=sums_up)


def _says_back(turns: Sequence[Turn], place: int) -> bool:
    """Say whether a turn puts into a sentence or two what was just said: it shares its longer words."""
    text = turns[place].text
    if not place or len(text) > SAID_BACK_CHARS or "```" in text or text.rstrip().endswith("?"):
        return False
    if turns[place - 1].role == turns[place].role or NARRATES.match(_lower_case(text)):
        return False
    preceding_text = " ".join(turn.text[:MOST_CHARS] for turn in turns[max(0, place - 3) : place])
    return len(_long_words(text) & _long_words(preceding_text)) >= SHARED_WORDS


def _long_words(text: str) -> set[str]:
    return {word for word in _WORD.findall(text.lower()) if len(word) > 3 or word.isdigit()}


def recaps(text: str) -> bool:
    """Say whether a text does nothing but say what was settled; a long one, or one with code, is a report."""
    plain = text.strip().lower().replace("’", "'")
    if len(plain) > RECAP_CHARS or "```" in plain:
        return False
    return bool(SETTLES.match(plain)) or _phrases(plain, RECAPS) > 0


def _taken_back(turns: Sequence[Turn], place: int) -> bool:
    """Say whether whoever said this, answered by the other side, thinks better of it."""
    if place + 2 >= len(turns):
        return False
    answer, again = turns[place + 1], turns[place + 2]
    same_speaker = again.role == turns[place].role != answer.role
    return same_speaker and bool(TAKES_BACK.match(_lower_case(again.text)))


def _accepts(turns: Sequence[Turn], place: int) -> bool:
    """Say whether a turn accepts, in a few words, what the other side said just before."""
    if not place or turns[place - 1].role == turns[place].role:
        return False
    text = turns[place].text
    if len(text) > ACCEPTED_BY_WORDS * 12 or "?" in text or len(text.split()) > ACCEPTED_BY_WORDS:
        return False
    return bool(ACCEPTS.match(_lower_case(text)))


def _lower_case(text: str) -> str:
    return text[:200].lower().replace("’", "'")


def _for(prose: str, words: list[str], cue_counts: Counter[str]) -> float:
    tenth = len(words) / 10
    rules = cue_counts["rule"] + _phrases(prose, RULE_PHRASES)
    return (
        0.2 * bool(SETTLES.match(prose))
        + 0.12 * (_phrases(prose, RECAPS) > 0)
        + 0.12 * (_phrases(prose, CHOOSES) > 0)
        + 0.08 * (cue_counts["noun"] > 0 and _states(words))
        + 0.1 * (cue_counts["forward"] > 0 or _phrases(prose, FORWARD_PHRASES) > 0)
        + min(0.3, 0.12 * rules / tenth)
        + min(0.2, 0.12 * cue_counts["number"] / tenth)
        + 0.06 * min(2, _orders(prose) if cue_counts["order"] else 0)
    )


def _against(prose: str, words: list[str], cue_counts: Counter[str]) -> float:
    doubts = cue_counts["doubt"] + _phrases(prose, DOUBT_PHRASES)
    return (
        min(0.6, 0.2 * doubts)
        + 0.12 * ("?" in prose)
        + 0.12 * prose.endswith("?")
        + min(LONG_MOST, LONG_COST * max(0, len(words) - LONG_WORDS) / LONG_STEP)
        + 0.25 * bool(CHATS.match(prose))
        + 0.15 * (cue_counts["thanks"] > 0)
        + 0.1 * (cue_counts["personal"] > 0)
    )


def _count_cues(words: list[str]) -> Counter[str]:
    """Count the words that tell, by what they tell."""
    cue_counts: Counter[str] = Counter()
    for word in words:
        for sort in SORTS.get(word) or (NUMBER if word[0].isdigit() else ()):
            cue_counts[sort] += 1
    return cue_counts


def _phrases(prose: str, phrases: Sequence[str]) -> int:
    return sum(phrase in prose for phrase in phrases)


def _states(words: Sequence[str]) -> bool:
    """Say whether a rule, a limit or the like is said to be something."""
    for place, word in enumerate(words):
        if word in RULE_NOUNS and not COPULAS.isdisjoint(words[place + 1 : place + 9]):
            return True
    return False


def _orders(prose: str) -> int:
    """Count the clauses that begin with an order."""
    orders = 0
    for clause in _CLAUSE.split(prose):
        words = (match[0] for match in _WORD.finditer(clause, 0, 40))
        orders += next((word for word in words if word not in FILLERS), "") in ORDERS
    return orders


LEAST_WORDS = 4
"""Fewer words than this say something only to who heard what came before."""

MOST_STATED_CHARS = 4_000
"""A longer message is a paste: its first paragraphs are read, where its sender says what it is."""

PASSAGE_CHARS = 420
"""What a passage may hold: three or four sentences, about 100 tokens."""

_STATED_WORD = regex(r"[^\W_]+(?:['’][^\W_]+)?")
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
    return [sentence for sentence in sentences(text[:MOST_STATED_CHARS]) if _stands(sentence.text, by_agent)]


def _stands(sentence: str, by_agent: bool) -> bool:
    plain = sentence.strip()
    if plain.endswith(("?", ":")) or len(_STATED_WORD.findall(plain)) < LEAST_WORDS or _ACKNOWLEDGES.match(plain):
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
