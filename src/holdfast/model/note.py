"""What somebody who read a session would note of it."""

from holdfast.model.value import Value


class ExtractedNote(Value, kw_only=True):
    """A sentence to remember, and the user's words that it rests on. Both are a model's until they are checked."""

    content: str
    quote: str
    kind: str | None = None
