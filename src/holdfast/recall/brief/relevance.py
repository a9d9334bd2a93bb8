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
from holdfast.recall.bm25 import pooled_idf, rarest

SATURATION = 1.2
"""A word that is said again counts less and less; BM25's k1."""

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
        """Weigh terms by how rare they are in the stores together, but never more than by how rare they are at
        all."""
        documents = sum(found.documents for found in matches)
        most = rarest(documents) if documents > 1 else 1.0
        return cls(
            tuple(
                min(1.0, weight / most, idf(term.word.lower()) / RARE_IDF)
                for term, weight in zip(terms, pooled_idf(matches), strict=True)
            )
        )

    def held(self, frequencies: Iterable[float], saturation: float = SATURATION) -> float:
        """Return how many of the rarest words these frequencies amount to."""
        pairs = zip(self.shares, frequencies, strict=True)
        return sum(share * count / (count + saturation) for share, count in pairs if count)


def relevance(held: float, cosine: float | None) -> float:
    """Return how relevant a text is that holds so many rare words and is so near."""
    near = UNKNOWN_COSINE if cosine is None else max(0.0, cosine)
    return math.sqrt(held + WORDLESS) * near
