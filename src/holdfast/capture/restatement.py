"""Sentences that say again what a memory says: they go with it when it is forgotten.

Surer than `sessions/voices`, which only counts repeated demands: what is cut out of a person's words does not come
back. Of the talk of six projects, 166 sentences outside the turn of a rule pass these bounds, and some 146 of them
are about it. With three shared words instead of four it was one in three: every project has words that stand
everywhere ("session", "task"). What says no where the rule says yes is about it, too: most often it complains.

The judge is not asked: of the few sentences that it adds one in five says something else, and may say the
opposite in the same words ("use the production key" where "use the staging key" is forgotten).
`forget_told` takes the same out of what briefs told.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from holdfast.capture.opposed import share
from holdfast.capture.relations import say_the_same
from holdfast.model.limits import BRIEF_TEXTS
from holdfast.model.patterns import regex
from holdfast.ports import Store
from holdfast.text import sentences
from holdfast.text.words import numbers, topic

Span = tuple[int, int]

LEAST_SHARED = 4
"""Content words that another wording must share with what is forgotten."""

ALIKE = 0.6
"""How much of the words of both they must share."""

EMBEDDED_BOUNDS = (5, 0.75, 0.5)
"""The same for what stands among other words: shared words, how much of what is forgotten, and of both."""

PHRASE_CHARS = 20
PHRASE_WORDS = 4
"""What is shorter in both is nobody's in particular ("run the tests"), and is not looked for."""

ROOT = 4
"""Letters that the forms of a word have in common."""

MOST_SENTENCES = 100
"""Sentences of one text that are looked for."""

MOST_WORDS = 60
"""Words of a sentence that are looked for as they stand."""

MOST_CLAUSES = 10
"""Clauses of a sentence that are looked at by themselves."""

LONGEST = 2_000
"""Characters of a sentence that is compared by its words; what is longer is a listing."""

_CLAUSE = regex(r"[,:;](?=\s)|\s[-–—]+\s|\s(?=(?:and|but|so|because)\s)|[()]")
_WORD = regex(r"\w+")
_ENDING = " \t\r.!?;"


class _Original(NamedTuple):
    """One sentence of what is forgotten."""

    text: str
    topic: frozenset[str]
    phrase: re.Pattern[str]


class Wording:
    """What is forgotten, and how to find it in what people and agents say."""

    def __init__(self, contents: Iterable[str]) -> None:
        self._originals = [original for content in contents for original in _originals_in(content)]

    def __bool__(self) -> bool:
        return bool(self._originals)

    @property
    def texts(self) -> list[str]:
        """The sentences that are looked for."""
        return [original.text for original in self._originals]

    def spans(self, text: str, *, loosely: bool) -> list[Span]:
        """Return where a text says it: as it was worded and, loosely, in other words too."""
        spans = [match.span() for original in self._originals for match in original.phrase.finditer(text)]
        if loosely:
            places = [place for place in sentences.spans(text) if place[1] - place[0] <= LONGEST]
            spans += [span for place in places if (span := self._reworded_span(text, place))]
        return merge_spans(spans)

    def _reworded_span(self, text: str, place: Span) -> Span | None:
        """Return the part of a sentence that shares its words, and says nothing else as far as can be told."""
        parts = [
            (_likeness(original, text[a:b]), a, b)
            for original in self._candidates(text[slice(*place)])
            for a, b in _parts(text, *place)
        ]
        # The latest start of equals: an opening such as "understood:" adds nothing and stays.
        likeness, start, end = max(parts, default=(0.0, 0, 0))
        return (start, end) if likeness else None

    def _candidates(self, sentence: str) -> list[_Original]:
        """Return what a sentence may say again: two words of it must stand there."""
        lower_sentence = sentence.lower()
        return [
            original
            for original in self._originals
            if sum(word[:ROOT] in lower_sentence for word in original.topic) >= 2
        ]


def pieces(text: str) -> Iterator[Span]:
    """Yield the sentences of a text and their clauses that are one's own words, without the sign at the end."""
    for place in sentences.spans(text):
        for start, end in dict.fromkeys((*_parts(text, *place, runs=False), _without_ending(text, *place))):
            if _is_particular(text[start:end]):
                yield start, end


def merge_spans(spans: Iterable[Span]) -> list[Span]:
    """Return spans in their order, those that overlap as one."""
    merged_spans: list[Span] = []
    for start, end in sorted(spans):
        if merged_spans and start < merged_spans[-1][1]:
            merged_spans[-1] = (merged_spans[-1][0], max(end, merged_spans[-1][1]))
        else:
            merged_spans.append((start, end))
    return merged_spans


def meets(span: Span, other_spans: Iterable[Span]) -> bool:
    """Say whether a span shares a character with one of others."""
    return any(span[0] < end and start < span[1] for start, end in other_spans)


def _originals_in(content: str) -> Iterator[_Original]:
    """Yield the sentences of a text that can be told from others; in a long text only those with words enough."""
    texts = [content[start:end] for start, end in sentences.spans(content)][:MOST_SENTENCES]
    least = 1 if len(texts) == 1 else LEAST_SHARED
    for text in texts:
        words, about = _WORD.findall(text)[:MOST_WORDS], _about(text)
        if len(about) >= least and _is_particular(text):
            phrase = r"(?<!\w)" + r"\W+".join(map(re.escape, words)) + r"(?!\w)"
            yield _Original(text, about, re.compile(phrase, re.IGNORECASE))


def _about(text: str) -> frozenset[str]:
    return topic(text) | numbers(text)


def _is_particular(text: str) -> bool:
    """Say whether a text is long enough to be somebody's own words."""
    words = len(_WORD.findall(text))
    return words >= PHRASE_WORDS or (words > 1 and len(text) >= PHRASE_CHARS)


def _parts(text: str, start: int, end: int, *, runs: bool = True) -> Iterator[Span]:
    """Yield the clauses of a sentence, or every run of neighbouring ones, the sentence itself among them."""
    ends = [match.span() for match in _CLAUSE.finditer(text, start, end)][: MOST_CLAUSES - 1]
    begins = [start, *(after for _, after in ends)]
    stops = [*(before for before, _ in ends), end]
    for first, begin in enumerate(begins):
        for stop in stops[first:] if runs else stops[first : first + 1]:
            part = _without_ending(text, begin, stop)
            if part[0] < part[1]:
                yield part


def _without_ending(text: str, start: int, end: int) -> Span:
    """Return the same characters without blanks around them and the sign at their end."""
    part = text[start:end].rstrip(_ENDING)
    return start + len(part) - len(part.lstrip()), start + len(part)


def _likeness(original: _Original, part: str) -> float:
    """Say how much of the words of both are shared; nothing where the part does not say the same."""
    words = _about(part)
    shared_count, alike = len(original.topic & words), share(original.topic, words)
    most, least_share, least = EMBEDDED_BOUNDS
    if not shared_count or alike < least:
        return 0.0
    is_embedded = shared_count >= most and shared_count >= least_share * len(original.topic)
    if (is_embedded or (shared_count >= LEAST_SHARED and alike >= ALIKE)) and not _another_number(
        original.topic, words
    ):
        return alike
    return alike if len(original.topic) >= 2 and say_the_same(original.text, part) else 0.0


def _another_number(original_words: frozenset[str], words: frozenset[str]) -> bool:
    """Say whether each names a number that the other does not: "25 MB" and "30 MB" are two rules."""
    return all(
        any(word[0].isdigit() for word in first - second)
        for first, second in ((original_words, words), (words, original_words))
    )


def forget_told(store: Store, ids: Collection[str], words: Iterable[str]) -> None:
    """Let go of what briefs said that name one of the entries, or say their words; inside a transaction."""
    texts = store.receipts.texts()
    if not texts:
        return
    naming_ids = {
        receipt.id
        for receipt in store.receipts.recent(BRIEF_TEXTS)
        if any(item.id in ids for item in receipt.items)
    }
    contents = list(dict.fromkeys(words))
    phrases = [phrase for content in contents if (phrase := _flat(content))]
    wording = Wording(contents)
    gone_ids = [
        receipt_id
        for receipt_id, text in texts.items()
        if receipt_id in naming_ids or _says(text, phrases, wording)
    ]
    store.receipts.reword(dict.fromkeys(gone_ids, ""))


def forget_told_since(store: Store, moment: int) -> None:
    """Let go of all that was said in briefs since a session began: they may have told what was said in it."""
    texts = store.receipts.texts()
    later_ids = [receipt.id for receipt in store.receipts.recent(BRIEF_TEXTS) if receipt.at >= moment]
    store.receipts.reword({receipt_id: "" for receipt_id in later_ids if receipt_id in texts})


def _says(text: str, phrases: Iterable[str], wording: Wording) -> bool:
    flat_text = _flat(text)
    return any(phrase in flat_text for phrase in phrases) or bool(wording.spans(text, loosely=True))


def _flat(text: str) -> str:
    return " ".join(text.casefold().split())
