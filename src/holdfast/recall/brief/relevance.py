"""How much a text has to do with a prompt, on one scale for memories and for what was said.

Two things tell: how near their meanings are, and how many rare words they share. For a memory they are added: a
rule that shares no word with a prompt may apply to it, and a rare name in both says more than a cosine. The
scale is absolute, because a pool of junk has a best entry too; what a prompt wants decides how far up something
must be to be told.
"""

import math
from collections.abc import Iterable, Sequence

from holdfast.embedding.common_words import RARE_IDF, idf
from holdfast.model.search import Matches, Term
from holdfast.model.value import Value
from holdfast.recall.brief.intent import ACT, ASK, READ, RECALL

SATURATION = 1.2
"""A word that is said again counts less and less; BM25's k1."""

SMALL = 50
"""Documents that a store counts as at least: one of a few says little about how rare a word is."""

WORD = 0.2
"""What one word of the rarest, held often, adds to a cosine; .2 to .3 do as well on the development sets."""

UNKNOWN_COSINE = 0.23
"""What meaning counts as where it is not known: about the mean cosine of a prompt and any rule."""

WORD_ALONE = 0.4
"""What a word adds there: texts that share a rare word are nearer to each other than others."""

WORDLESS = 0.25
"""What talk that shares no word at all counts as, so that meaning alone can be enough where it is very near."""

UNKNOWN_TALK_COSINE = 0.42
"""What the meaning of talk counts as where it is not known."""


class Floors(Value):
    """The relevance from which on something is told."""

    rule: float
    """A memory that a person stands behind."""
    memory: float
    """Any other."""
    talk: float
    """What was said."""

    def raised(self, factor: float) -> "Floors":
        """Return floors that are higher by a factor."""
        return Floors(self.rule * factor, self.memory * factor, self.talk * factor)


LATER = 1.2
"""How much higher the floors are for a prompt that is not its session's first: an aside must be worth more."""

WORK = Floors(rule=0.43, memory=0.62, talk=0.6)
"""For a prompt that wants something done."""

AGREEMENT = Floors(rule=0.43, memory=0.55, talk=0.4)
"""For one that speaks of those who work on the project and of what they agreed on."""

ANSWER = Floors(rule=0.64, memory=0.75, talk=0.8)
"""For one that wants to be answered: only what is plainly about it."""

FLOORS = {ACT: WORK, RECALL: AGREEMENT, ASK: ANSWER, READ: ANSWER}
"""By what a prompt wants; a greeting is told nothing."""


class WordWeights(Value):
    """What each term of a prompt weighs, as a share of the rarest word there is."""

    shares: tuple[float, ...]

    @classmethod
    def of(cls, terms: Sequence[Term], matches: Sequence[Matches]) -> "WordWeights":
        """Weigh terms by how rare they are in the stores together, but never above how rare they are at all."""
        documents = max(SMALL, sum(match.documents for match in matches))
        most = _idf(1, documents)
        shares = []
        for place, term in enumerate(terms):
            holding = sum(match.document_frequencies[place] for match in matches)
            looked_for = any(match.searched[place] for match in matches)
            share = min(1.0, _idf(holding, documents) / most, idf(term.word.lower()) / RARE_IDF)
            shares.append(share if looked_for else 0.0)
        return cls(tuple(shares))

    def held(self, frequencies: Iterable[float], saturation: float = SATURATION) -> float:
        """Return how many of the rarest words these frequencies amount to."""
        pairs = zip(self.shares, frequencies, strict=True)
        return sum(share * count / (count + saturation) for share, count in pairs if count)


def _idf(holding: int, documents: int) -> float:
    return math.log(1 + (documents - holding + 0.5) / (holding + 0.5))


def relevance(rare_words: float, cosine: float | None) -> float:
    """Return how relevant a memory is that holds so many rare words and is so near."""
    return UNKNOWN_COSINE + WORD_ALONE * rare_words if cosine is None else max(0.0, cosine) + WORD * rare_words


def talk_relevance(rare_words: float, cosine: float | None) -> float:
    """Return how relevant what was said is. It takes both: of thousands of sentences some come near to anything,
    and a long prompt shares words with many."""
    closeness = UNKNOWN_TALK_COSINE if cosine is None else max(0.0, cosine)
    return math.sqrt(rare_words + WORDLESS) * closeness
