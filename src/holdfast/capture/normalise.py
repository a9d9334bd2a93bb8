"""Text as it is kept: valid Unicode, one kind of line end, no NUL."""

import re

from holdfast.model.memory import Json

_CONTROL = re.compile(r"[\x00-\x1f]+")


def normalise(text: str) -> str:
    """Return text that every store can hold. Never raises."""
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return whole.replace("\x00", "").replace("\r\n", "\n").replace("\r", "\n").strip()


def normalise_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return labels on one line, without blanks around them, each once, in the order given."""
    flat = (_CONTROL.sub(" ", normalise(name)).strip() for name in names)
    return tuple(dict.fromkeys(name for name in flat if name))


def normalise_json(value: Json) -> Json:
    """Return a JSON object whose every text is normalised."""
    return {normalise(str(key)): _normalise_any(item) for key, item in value.items()}


def _normalise_any(value: object) -> object:
    match value:
        case str():
            return normalise(value)
        case dict():
            return normalise_json(value)
        case list() | tuple():
            return [_normalise_any(item) for item in value]
        case _:
            return value
