"""How much a text has to do with a prompt, on one scale for memories and for passages of sessions.

Two things tell: how many rare words they share, counted in words so rare that each stands in one document only,
and how near their meanings are. Neither is enough: a short question in common words is near to many texts, and a
long prompt shares words with all of them. So the two are multiplied, the words' part as a root, because the tenth
shared word says less than the second. The scale is absolute: a pool of junk has a best entry too.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from holdfast.embedding.common_words import RARE_IDF, idf
from holdfast.model.search import Matches, Term

SATURATION = 1.2
"""A word that is said again counts less and less; BM25's k1."""

SMALL = 50
WORDLESS = 0.25
"""What a text that shares no word at all counts as, so that meaning alone can be enough where it is very near."""

UNKNOWN_COSINE = 0.42
"""What meaning counts as where it is not known: no vectors, or none yet."""


@dataclass(frozen=True, slots=True)
class WordWeights:
    """What each term of a prompt weighs, as a share of the rarest word there is."""

    shares: tuple[float, ...]

    @classmethod
    def of(cls, terms: Sequence[Term], matches: Sequence[Matches]) -> "WordWeights":
        """Weigh terms by how rare they are in the stores together, but never above how rare they are at all.

        A store of a few documents says little about how rare a word is: it counts as one of fifty.
        """
        documents = max(SMALL, sum(found.documents for found in matches))
        most = _idf(1, documents)
        shares = []
        for place, term in enumerate(terms):
            holding = sum(found.document_frequencies[place] for found in matches)
            looked_for = any(found.searched[place] for found in matches)
            share = min(1.0, _idf(holding, documents) / most, idf(term.word.lower()) / RARE_IDF)
            shares.append(share if looked_for else 0.0)
        return cls(tuple(shares))

    def held(self, frequencies: Iterable[float], saturation: float = SATURATION) -> float:
        """Return how many of the rarest words these frequencies amount to."""
        pairs = zip(self.shares, frequencies, strict=True)
        return sum(share * count / (count + saturation) for share, count in pairs if count)


def _idf(holding: int, documents: int) -> float:
    return math.log(1 + (documents - holding + 0.5) / (holding + 0.5))


def relevance(held: float, cosine: float | None) -> float:
    """Return how relevant a text is that holds so many rare words and is so near."""
    near = UNKNOWN_COSINE if cosine is None else max(0.0, cosine)
    return math.sqrt(held + WORDLESS) * near
