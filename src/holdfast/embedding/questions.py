"""What makes the vector of a question about stores that the bundled model embedded.

The model, where this process has loaded it anyway, for a text to be kept, say; else the static table, which gives
a vector in the same space at once. What is near enough to be an answer differs between the two (`recall.ranking`),
so the vector says who made it.
"""

from holdfast.model.type_hints import TYPE_CHECKING
from holdfast.model.vectors import MINILM, STATIC, QuestionVector

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.embedding.minilm import MiniLM
    from holdfast.ports import Embedder

    Encode = Callable[[str], QuestionVector]


def by_model_or_table(model: "MiniLM") -> "Encode":
    """Return what encodes questions in the bundled model's space."""

    def encode(text: str) -> QuestionVector:
        if model.loaded:
            return QuestionVector(model.embed_query(text), MINILM)
        from holdfast.embedding.static import bundled  # 2 ms, instead of 300 for the model

        return QuestionVector(bundled().encode(text), STATIC)

    return encode


def by_itself(embedder: "Embedder") -> "Encode":
    """Return what encodes questions as an embedder does its texts."""
    return lambda text: QuestionVector(embedder.embed_query(text), embedder.model)
