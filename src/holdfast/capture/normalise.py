"""Text as it is kept: valid Unicode, one kind of line end, no NUL."""

from holdfast.model.memory import Json


def normalise(text: str) -> str:
    """Return text that every store can hold. Never raises."""
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return whole.replace("\x00", "").replace("\r\n", "\n").replace("\r", "\n").strip()


def normalise_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return labels without blanks around them, each once, in the order given."""
    return tuple(dict.fromkeys(name for name in map(normalise, names) if name))


def normalise_json(value: Json) -> Json:
    """Return a JSON object whose every text is normalised."""
    return {normalise(key): _normalise_any(item) for key, item in value.items()}


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
