"""A caller's text as it may be kept: without private blocks, normalised, without secrets.

The one door between what was said and what is stored: every field of every write goes through a `Cleaner`. When
the redactor fails the text is refused, never kept as it was. Light: shared with hooks.
"""

from holdfast.capture.text.normalise import normalise
from holdfast.capture.text.redact import cut, redact
from holdfast.capture.text.strip import strip_from
from holdfast.errors import NotRedacted
from holdfast.model.ids import digest_bytes
from holdfast.model.limits import NAME_CHARS

TYPE_CHECKING = False  # typing's own, without importing typing: the hooks share this module
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    Redactor = Callable[[str, tuple[str, ...]], tuple[str, tuple[tuple[str, int], ...]]]

WORD_CHARS = 15
"""A word of up to so many letters has no room for a secret, and most labels are one."""

ECHO_CHARS = 60
_MOST_LABELS = 256
_READ_FOR_ECHO = 4_096
_LONG_NUMBER = 9  # digits of the shortest number that is personal data


class Cleaner:
    """strip → normalise → redact, for every shape that texts come in."""

    def __init__(self, allow: "Iterable[str]" = (), redactor: "Redactor" = redact) -> None:
        self._allow = tuple(allow)
        self._redactor = redactor
        self._known_labels: dict[str, str] = {}

    def text(self, text: str) -> str:
        """Clean a text."""
        return self.piece(text, 0)[0]

    def piece(self, text: str, depth: int) -> tuple[str, int]:
        """Clean a text that begins inside so many private blocks; also return inside how many it ends."""
        public, depth = strip_from(text, depth)
        return self.redacted(normalise(public)).strip(), depth

    def redacted(self, text: str) -> str:
        """Put placeholders in place of secrets."""
        return text if _is_word(text) else self.found(text)[0]

    def found(self, text: str) -> tuple[str, tuple[tuple[str, int], ...]]:
        """Put placeholders in place of secrets, and say how many of each sort there were."""
        try:
            return self._redactor(text, self._allow)
        except Exception as error:
            # The cause is cut off: its message or its frames may hold the text.
            raise NotRedacted(problem=type(error).__name__) from None

    def label(self, name: str) -> str:
        """Clean a short text and put it on one line; the same ones come with every entry of a file."""
        known_label = self._known_labels.get(name)
        if known_label is not None:
            return known_label
        label = " ".join(self.text(name).split("\n")).replace("\t", " ").strip()
        if len(name) <= NAME_CHARS:
            if len(self._known_labels) >= _MOST_LABELS:
                self._known_labels.clear()
            self._known_labels[name] = label
        return label

    def labels(self, names: "Iterable[str]") -> tuple[str, ...]:
        """Clean short texts; each comes once, in the order given, and what has nothing left goes."""
        return tuple(dict.fromkeys(name for name in map(self.label, names) if name))

    def ref(self, ref: str) -> str:
        """Clean a caller's own key. Keys that differ in a secret only stay apart by two bytes of a hash."""
        clean = self.label(ref)
        if clean == ref.strip():
            return clean
        return f"{clean}#{digest_bytes(ref.encode(errors='replace'))[:4]}"

    def json(self, value: "Mapping[object, object]") -> dict[str, object]:
        """Clean an object: its names, its values, and its values in the light of their names."""
        named_values = [(self.text(str(name)), item) for name, item in value.items()]
        return {name: self._value(name, item) for name, item in named_values if name}

    def _value(self, name: str, value: object) -> object:
        match value:
            case str():
                return self._redact_named(name, self.text(value))
            case dict():
                return self.json(value)
            case list() | tuple():
                return [self._value(name, item) for item in value]
            case int() if len(str(value)) >= _LONG_NUMBER:
                clean = self.redacted(str(value))
                return value if clean == str(value) else clean
            case _:
                return value

    def _redact_named(self, name: str, value: str) -> str:
        """Redact a value that only its name gives away, as in {"password": "tulip"}."""
        before, after = f'{name} = "', '"'
        redacted_text, rule_counts = self.found(f"{before}{value}{after}") if value else ("", ())
        if not rule_counts:
            return value
        if redacted_text.startswith(before) and redacted_text.endswith(after):
            return redacted_text[len(before) : -len(after)]
        return f"[REDACTED:{rule_counts[0][0]}]"


def echo(value: object, most: int = ECHO_CHARS) -> object:
    """Return a caller's value as an error may show it: short, and without what may not be kept."""
    if value is None or isinstance(value, bool | int | float):
        return value
    try:
        text = cut(value if isinstance(value, str) else repr(value), max(_READ_FOR_ECHO, most))[0]
        safe_text = redact(normalise(strip_from(text, 0)[0]))[0]
    except Exception:  # an error is being told already: it is told without the value
        return type(value).__name__
    return safe_text if len(safe_text) <= most else safe_text[: most - 1] + "…"


def quote(value: object) -> str:
    """Return a caller's value in quotes, where it is a text, as an error may show it."""
    return repr(echo(value)) if isinstance(value, str) else str(echo(value))


def _is_word(text: str) -> bool:
    return len(text) <= WORD_CHARS and text.isalpha()
