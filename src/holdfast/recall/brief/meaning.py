"""The meaning of a prompt: one encoder for briefs, in every process.

A hook cannot load the model while an agent waits, and a brief must not depend on who asks for it. So the
question's vector always comes from the static table, which lies in the space of the bundled model's vectors; a
store whose vectors are another model's is read by words alone.
"""

from holdfast.embedding.static import SPACE, bundled
from holdfast.model.type_hints import TYPE_CHECKING

if TYPE_CHECKING:
    from holdfast.ports import Store, Vector

MOST_CHARS = 1_500
"""Of a longer prompt the first two thirds of so many characters and the last third count."""


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
