"""How much a turn settles, by the light judge: what was decided is in few of a session's turns.

A turn settles as much as its sentences last, each in its place in the talk, and less the longer it is. What the
other side turns down at once settled nothing, what it accepts in a few words is settled. The judge was trained on
what persons say: that an agent sums up what was settled, and that a short turn accepts or refuses, is still read
from how they begin (`RECAPS`, `ACCEPTS`, `REFUSES`): without these forms recaps are not told (decision 0084).

Must not live here: what a turn is about (`evidence`), and which of two rules holds (`amendments`).
"""

import math
from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct

from holdfast.judge import light_judge
from holdfast.judge.turns import sentences_of
from holdfast.model.kinds import PERSON_ROLES
from holdfast.model.patterns import regex
from holdfast.model.session import Turn
from holdfast.text.sentences import SentenceSpan, sentences
from holdfast.text.words import numbers, topic

DECIDING = 0.42
"""The least weight of a turn that settles something."""

SHIFT = 1.0
"""What is added to the log odds of lasting to make a weight: from a probability of about 0.2 on a turn decides. At
1.3 our own pairs that amend are told currently a little more often (.73, here .71), and more of 200 web questions
are told something (.13, here .10)."""

UNJUDGED = 0.22
"""What counts for every sentence where the judge's file is unusable."""

LONG_WORDS, LONG_STEP, LONG_COST, LONG_MOST = 25, 60, 0.15, 0.3
"""Words up to which length costs nothing; each further step costs so much weight, up to the last."""

ACCEPTED_BY_WORDS = 14
"""A turn of more words goes on talking: it accepts nothing."""

ACCEPTING_FACTOR = 0.5
"""What is left of the weight of a turn that only accepts: it says nothing new."""

REFUSED_FACTOR = 0.4
"""What is left of the weight of a turn that was turned down or taken back."""

RECAP_CHARS, SAID_BACK_CHARS = 800, 300
"""Characters of a recap, and of an agent's sentence or two that say back what was just said; more is a report."""

RECAP, RECAP_MORE, ACCEPTED_RECAP = 0.55, 0.2, 0.75
"""The least weight of a recap, what being one adds, and the least weight of one that was accepted."""

SAID_BACK = 0.3
"""The weight from which on an agent's short turn may say back what was said."""

SHARED_WORDS = 2
"""Words that it shares with what was said."""

TELLING = 0.06
"""The probability of lasting below which a person's sentence is not told as a part of what they said."""

LEAST_WORDS = 4
"""Fewer words than this say something only to those who heard what came before."""

MOST_CHARS, MOST_SENTENCES = 4_000, 16
"""Characters and sentences of a turn that are judged."""

PASSAGE_CHARS = 420
"""What a passage may hold: three or four sentences, about 100 tokens."""

ACCEPTS = regex(
    r"(?:right|yes|yep|exactly|correct|perfect|that's (?:the|it|right|what)|that\b|agreed|ship it|sounds good|"
    r"fine|works|merged|good|great|nice|leave it|keep it|ok(?:ay)?|done|do that|approved|lgtm|confirmed)\b"
)
REFUSES = regex(
    r"(?:no\b|nope|not\b|wait|hmm|careful|almost|too \w+|actually|but\b|wrong|hold on|hang on|it's not|we tried|"
    r"only on|oh\b|that (?:breaks|won't|doesn't|hides)|scrap|on second thought|never ?mind|forget (?:it|that)|"
    r"true,|fair\b|i changed my mind|sorry|correction)"
)
RECAPS = regex(
    r"(?:(?:ok(?:ay)?|alright|great|good|excellent|perfect|right|yes|yep)[,.!]? (?:so |then )?)?"
    r"(?:final|settled|agreed|decided|decision|confirmed|recorded|noted|done|understood|got it|changed|updated|so|"
    r"then|amended|amending|removed|added|set)\b[^.?!\n]{0,60}?(?::|—|–| - |,)"
    r"|(?s:.*)\b(?:recap|in summary|to summari[sz]e|to sum up|in short|bottom line|to be explicit|"
    r"the (?:final|agreed) |the whole rule|the new (?:rule|policy))"
)
_MARKS = regex(r"[*_`#>|]{2,}|[✅❌🎯🔧🚀✨🎉]|^\W+")


class Weight(Struct, frozen=True):
    """How much a turn settles, and what became of it."""

    settles: float
    refused: bool = False
    """Whether it was turned down or taken back."""
    accepted: bool = False
    """Whether the other side took it in a few words."""
    recaps: bool = False
    """Whether it is an agent's short text that says what was settled."""


@lru_cache(maxsize=1_024)
def probabilities(text: str, agent: str = "") -> tuple[float, ...]:
    """Return how probably each sentence of a turn lasts; `agent` is the end of the agent's message before it.

    The texts are kept with the verdicts: callers cut them first.
    """
    reader, pieces = light_judge(), sentences_of(text, agent)[:MOST_SENTENCES]
    verdicts = reader.lasts(pieces) if reader else None
    lasting = [verdict.lasts for verdict in verdicts] if verdicts else [UNJUDGED] * len(pieces)
    return tuple(0.0 if piece.text.endswith("?") else value for piece, value in zip(pieces, lasting, strict=True))


def statement(text: str, agent: str = "") -> float:
    """Return how much a text settles by itself, from 0 to 1."""
    lasting = probabilities(text[:MOST_CHARS], agent[-MOST_CHARS:])
    if not lasting:
        return 0.0
    mean = sum(lasting) / len(lasting)
    odds = mean / max(1e-6, 1 - mean) * math.exp(SHIFT)
    steps = max(0, len(text.split()) - LONG_WORDS) / LONG_STEP
    return round(max(0.0, odds / (1 + odds) - min(LONG_MOST, LONG_COST * steps)), 3)


def settling(turns: Sequence[Turn]) -> list[Weight]:
    """Return how much each of a session's consecutive turns settles, from 0 to 1."""
    weights = [statement(turn.text, _agent_before(turns, place)) for place, turn in enumerate(turns)]
    return [_weigh_turn(turns, weights, place) for place in range(len(turns))]


def sums_up(text: str) -> bool:
    """Say whether a text does nothing but say what was settled; a long one, or one with code, is a report."""
    return len(text) <= RECAP_CHARS and "```" not in text and RECAPS.match(_lower_case(text)) is not None


def statements(text: str, *, by_agent: bool = False) -> list[SentenceSpan]:
    """Return the sentences of a turn that can be told, in their order: of a person's, those that may last."""
    pieces = sentences(text[:MOST_CHARS])
    lasting = () if by_agent else probabilities(text[:MOST_CHARS])
    return [
        piece
        for place, piece in enumerate(pieces)
        if _stands(piece.text) and (by_agent or (place < len(lasting) and lasting[place] >= TELLING))
    ]


def passage(told_sentences: Sequence[SentenceSpan], best: int, most: int = PASSAGE_CHARS) -> str:
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
    return " ".join(_MARKS.sub("", sentence.text).strip() for sentence in told_sentences[first : last + 1])


def _weigh_turn(turns: Sequence[Turn], weights: Sequence[float], place: int) -> Weight:
    """Weigh a turn by itself and by what is said to it; one that only accepts says nothing new."""
    turn, recaps = turns[place], _recaps(turns, weights, place)
    weight = weights[place] * (ACCEPTING_FACTOR if _accepts(turns, place) else 1.0)
    if recaps:
        weight = min(1.0, max(weight + RECAP_MORE, RECAP))
    answer = turns[place + 1] if place + 1 < len(turns) and turns[place + 1].role != turn.role else None
    if answer is None:
        return Weight(weight, recaps=recaps)
    second_thought = turns[place + 2] if place + 2 < len(turns) else None
    if second_thought is not None and second_thought.role == turn.role and _refuses(second_thought):
        return Weight(weight * REFUSED_FACTOR, refused=True)
    if _accepts(turns, place + 1):
        least = max(weights[place + 1], ACCEPTED_RECAP if recaps else DECIDING)
        return Weight(max(weight, least), accepted=True, recaps=recaps)
    if _refuses(answer):
        return Weight(weight * REFUSED_FACTOR, refused=True)
    return Weight(weight, recaps=recaps)


def _agent_before(turns: Sequence[Turn], place: int) -> str:
    """Return the agent's words that a person's turn answers."""
    if not place or not _by_person(turns[place]) or _by_person(turns[place - 1]):
        return ""
    return turns[place - 1].text


def _by_person(turn: Turn) -> bool:
    return turn.role.lower() in PERSON_ROLES


def _recaps(turns: Sequence[Turn], weights: Sequence[float], place: int) -> bool:
    """Say whether an agent sums up, or puts into a sentence or two what was just said."""
    text = turns[place].text
    if not place or _by_person(turns[place]) or "```" in text or text.rstrip().endswith("?"):
        return False
    if sums_up(text):
        return True
    if len(text) > SAID_BACK_CHARS or weights[place] < SAID_BACK:
        return False
    said = frozenset().union(*(_gist(turn.text) for turn in turns[max(0, place - 3) : place]))
    return len(_gist(text) & said) >= SHARED_WORDS


def _gist(text: str) -> frozenset[str]:
    return topic(text) | numbers(text)


def _accepts(turns: Sequence[Turn], place: int) -> bool:
    """Say whether a turn accepts, in a few words, what the other side said just before."""
    text = turns[place].text
    if not place or turns[place - 1].role == turns[place].role or "?" in text:
        return False
    is_short = len(text) <= ACCEPTED_BY_WORDS * 12 and len(text.split()) <= ACCEPTED_BY_WORDS
    return is_short and ACCEPTS.match(_lower_case(text)) is not None


def _refuses(turn: Turn) -> bool:
    return REFUSES.match(_lower_case(turn.text)) is not None


def _lower_case(text: str) -> str:
    return text[:RECAP_CHARS].lower().replace("’", "'")


def _stands(sentence: str) -> bool:
    plain = sentence.strip()
    return not plain.endswith(("?", ":")) and len(plain.split()) >= LEAST_WORDS
