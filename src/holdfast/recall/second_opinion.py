"""What a reranker says of the best candidates: it may fail, and then costs their new order and no answer.

A reranker is anybody's code, or a model that may be missing. Must not live here: what its opinion counts.
"""

from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING

from holdfast.machine import failures

if TYPE_CHECKING:
    from holdfast.ports import Reranker

STEP = "rerank"
"""What a trace says was tried."""


def opinions_on(texts: Sequence[str], question: str, reranker: "Reranker") -> list[float] | None:
    """Return how well each text answers a question; None, and a trace, where that is not to be had."""
    try:
        opinions = [float(opinion) for opinion in reranker.rerank(question, texts)]
    except Exception as error:
        problem = failures.describe(error)
    else:
        if len(opinions) == len(texts) and all(map(isfinite, opinions)):
            return opinions
        problem = f"{len(opinions)} opinions on {len(texts)} texts, or one that is no number"
    failures.leave_once(STEP, "", problem)  # of no project: whoever reranks knows of none
    return None
