"""Texts that are compared with many others: each is read once, however many batches of a bulk add compare with it.

Lives here: what is remembered of a text while many are taken in, and for how many texts. Must not live here: any
judgement on two of them.
"""

from functools import cached_property

from holdfast.capture.compare.amendments import Signs, announces, signs_of
from holdfast.capture.compare.statement import ReadText

MOST_TEXTS = 4_000
"""Texts that are remembered; the entries that a new one is compared with are mostly among the newest."""


class ComparedText(ReadText):
    """A text, with what stands out in it."""

    @cached_property
    def signs(self) -> Signs:
        """What stands out."""
        return signs_of(self.text)

    @cached_property
    def announces(self) -> bool:
        """Whether it holds a cue of an amendment."""
        return self.signs.revises and announces(self.text)


class Readings:
    """What was read of texts lately; for one bulk add or one import."""

    def __init__(self) -> None:
        self._texts: dict[str, ComparedText] = {}

    def of(self, text: str) -> ComparedText:
        """Return a text as it was read before, else unread."""
        known_text = self._texts.pop(text, None)
        if known_text is None and len(self._texts) >= MOST_TEXTS:
            del self._texts[next(iter(self._texts))]
        self._texts[text] = known_text or ComparedText(text)
        return self._texts[text]
