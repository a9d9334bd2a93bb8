"""The project's own aliases as verbs. What they do to a search or a brief: `recall.stand_ins`."""

from collections.abc import Callable, Sequence

from holdfast.capture.check import check_name
from holdfast.capture.text.clean import Cleaner, quote
from holdfast.errors import InvalidInput
from holdfast.service.scopes import Scopes
from holdfast.stores.retry import again


class ProjectAliases:
    """Words that a project uses for each other."""

    def __init__(self, scopes: Scopes, cleaner: Cleaner, check_on: Callable[[], None]) -> None:
        self._scopes = scopes
        self._cleaner = cleaner
        self._check_on = check_on

    def all(self) -> dict[str, tuple[str, ...]]:
        """Return every word with what else it is called."""
        return self._scopes.project.aliases.all()

    @again
    def add(self, word: str, meanings: Sequence[str]) -> int:
        """Let a word also be called otherwise; return how many of that is new."""
        self._check_on()
        pairs = [(self._word("word", word), self._word("meaning", meaning)) for meaning in meanings]
        if any(clean_word == clean_meaning for clean_word, clean_meaning in pairs):
            raise InvalidInput(field="meaning", problem="is the word itself. Give another word.")
        store = self._scopes.project
        with store.writing():
            return sum(store.aliases.add(*pair) for pair in pairs)

    @again
    def remove(self, word: str, meanings: Sequence[str] = ()) -> int:
        """Let go of what a word is also called, or of some of it; return how many there were."""
        self._check_on()
        clean_word = self._word("word", word)
        clean_meanings: list[str | None] = [self._word("meaning", meaning) for meaning in meanings]
        store = self._scopes.project
        with store.writing():
            return sum(store.aliases.remove(clean_word, meaning) for meaning in clean_meanings or [None])

    def _word(self, field: str, text: str) -> str:
        """Return a single word as it is kept: in lower case, and not where it looks like a secret."""
        check_name(field, text)
        word = self._cleaner.label(text).lower()
        if word != " ".join(text.split()).lower() or len(word.split()) != 1:
            raise InvalidInput(field=field, problem=f"{quote(text)} must be a single plain word.")
        return word
