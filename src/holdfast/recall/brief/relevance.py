"""How much a text has to do with a prompt, on one scale for memories and for what was said.

Two things tell: how near their meanings are, and how many rare words they share. For a memory they are added: a
rule that shares no word with a prompt may apply to it, and a rare name in both says more than a cosine. The scale
is absolute, because a pool of junk has a best entry too; what a prompt wants decides how far up something must be
to be told.

There is one encoder for briefs, in every process: a hook cannot load the model while an agent waits, and a brief
must not depend on who asks for it. So a prompt's vector always comes from the static table, which lies in the
space of the bundled model's vectors; a store whose vectors are another model's is read by words alone.
"""

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from holdfast.embedding.common_words import RARE_IDF, idf
from holdfast.embedding.static import SPACE, bundled
from holdfast.model.search import Filters, Matches, Term
from holdfast.recall.bm25 import TURNS, word_shares
from holdfast.recall.brief.prompt import ACT, ASK, READ, RECALL

if TYPE_CHECKING:
    from holdfast.ports import Store, Vector

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

MOST_CHARS = 1_500
"""Of a longer prompt the first two thirds of so many characters and the last third count."""


class Floors(Struct, frozen=True):
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

WORK = Floors(rule=0.43, memory=0.62, talk=1.25)
"""For a prompt that wants something done."""

AGREEMENT = Floors(rule=0.43, memory=0.55, talk=0.5)
"""For one that speaks of those who work on the project and of what they agreed on."""

ANSWER = Floors(rule=0.64, memory=0.75, talk=1.25)
"""For one that wants to be answered: only what is plainly about it."""

FLOORS = {ACT: WORK, RECALL: AGREEMENT, ASK: ANSWER, READ: ANSWER}
"""By what a prompt wants; a greeting is told nothing."""


class WordWeights(Struct, frozen=True):
    """What each term of a prompt weighs, as a share of the rarest word there is."""

    shares: tuple[float, ...]

    @classmethod
    def of(cls, terms: Sequence[Term], matches: Sequence[Matches]) -> "WordWeights":
        """Weigh terms by how rare they are in the stores together, but never above how rare they are at all."""
        return cls(tuple(word_shares(matches, [idf(term.word.lower()) / RARE_IDF for term in terms])))

    def held(self, frequencies: Iterable[float], saturation: float = TURNS.saturation) -> float:
        """Return how many of the rarest words these frequencies amount to."""
        pairs = zip(self.shares, frequencies, strict=True)
        return sum(share * count / (count + saturation) for share, count in pairs if count)


def relevance(rare_words: float, cosine: float | None) -> float:
    """Return how relevant a memory is that holds so many rare words and is so near."""
    return UNKNOWN_COSINE + WORD_ALONE * rare_words if cosine is None else max(0.0, cosine) + WORD * rare_words


def talk_relevance(rare_words: float, cosine: float | None) -> float:
    """Return how relevant what was said is. It takes both: of thousands of sentences some come near to anything,
    and a long prompt shares words with many."""
    closeness = UNKNOWN_TALK_COSINE if cosine is None else max(0.0, cosine)
    return math.sqrt(rare_words + WORDLESS) * closeness


def question_vector(text: str) -> "Vector":
    """Return the vector of a prompt."""
    if len(text) > MOST_CHARS:
        text = f"{text[: 2 * MOST_CHARS // 3]} {text[-MOST_CHARS // 3 :]}"
    return bundled().encode(text)


def vector_for(store: "Store", vector: "Vector | None") -> "Vector | None":
    """Return a prompt's vector where a store's vectors can be held against it."""
    model = store.vectors.model() if vector is not None else None
    fits = model is not None and model.name == SPACE and vector is not None and model.dimensions == len(vector)
    return vector if fits else None


def cosines_of(
    target: str, vector: "Vector | None", store: "Store", filters: Filters, nearest: int, ids: Sequence[str]
) -> dict[str, float]:
    """Return the cosines of so many nearest rows and of others that words found."""
    if vector is None:
        return {}
    neighbours = store.vectors.nearest(target, vector, filters, nearest) if nearest else []
    cosines = {neighbour.id: neighbour.cosine for neighbour in neighbours}
    return cosines | store.vectors.cosines(target, vector, [row for row in ids if row not in cosines])
