"""Vectors as the store keeps and finds them. The arrays themselves are numpy's, which is not imported here."""

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from array import array

    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Vector = array[float] | Floats
    """A question's vector: a buffer of 32-bit floats."""

MEMORY, TURN = VECTOR_TARGETS = ("memory", "turn")
"""What has vectors. A session is found by those of its turns."""


class VectorModel(Struct, frozen=True):
    """Which embedder made a store's vectors."""

    name: str
    dimensions: int


class Unembedded(Struct, frozen=True):
    """A row that waits for its vectors. The mark changes with its text."""

    id: str
    mark: int


class Near(Struct, frozen=True):
    """A row and the cosine of its nearest chunk."""

    id: str
    cosine: float


class Failure(Struct, frozen=True):
    """Why no vectors of a model could be made, and since when."""

    model: str
    problem: str
    since: int


MINILM = "minilm"
STATIC = "static"
"""Encoders of questions in the bundled model's space. What is near enough to be an answer differs between them."""


class QuestionVector(Struct, frozen=True):
    """The vector of a question, and the name of the encoder that made it."""

    vector: "Vector"
    encoder: str
