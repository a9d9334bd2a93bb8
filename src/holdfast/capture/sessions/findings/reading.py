"""What one sentence does: ask, doubt, bind, decide, report; and neighbouring sentences as the text of a finding.

What sentences mean between two people is read in `acts`. The words are in `wording`. Passages are whole sentences,
short enough to keep; which sentences belong together is decided by the callers.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from msgspec import Struct

from holdfast.capture.compare.statement import content, tokens
from holdfast.capture.sessions.findings import wording
from holdfast.model.limits import FINDING_CHARS
from holdfast.model.patterns import regex
from holdfast.text.names import FILE
from holdfast.text.sentences import Sentence, sentences

EXAMINED_CHARS = 2_000
"""Characters of a sentence that are searched for cues: longer ones are no sentences, and time stays bounded."""

_CODE = regex(r"`[^`\n]{1,200}`")
_QUOTATION = regex(r"(?<!\w)(['\"])(?=[^'\"\n]*\s[^'\"\n]*\s)[^\n]{8,300}?\1(?!\w)")
"""Three words or more in quotation marks: said by somebody else, or not at all."""

_CLAUSE = regex(r"[;:—]| - |, and (?=i)")
_NUMBER = regex(r"\d[\d.,:_]*\s?(?:%|[a-z]{1,2})?", re.IGNORECASE)
_EMPHASIS = regex(r"[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}")
_NUMBERS = {
    "zero": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7",
    "eight": "8", "nine": "9", "ten": "10", "eleven": "11", "twelve": "12",
}  # fmt: skip

_WHITE = regex(r"\s+")
LIST_MARK = 6
"""Characters of a bullet or a number between two items; more was something that is not a sentence."""

_BREAK = regex(r"[;:,]\s|\s[-–—]\s|\s")


class SentenceReading:
    """One sentence; what it does is read when it is asked for: who looks for little pays for little."""

    def __init__(self, sentence: Sentence, *, asks: bool | None = None) -> None:
        self.sentence = sentence
        self.cue = plain(sentence.text[:EXAMINED_CHARS])
        self._asks = asks

    @cached_property
    def topic(self) -> frozenset[str]:
        """Its content words as stems, and its numbers."""
        return topic(self.sentence.text)

    @cached_property
    def question(self) -> bool:
        """Asks something, with or without its mark; unless who joined it with its answer knows better."""
        if self._asks is not None:
            return self._asks
        return self.cue.rstrip("\"')]* ").endswith("?") or _asks(self.cue, self._after_label)

    @cached_property
    def hypothesis(self) -> bool:
        """Thinks aloud, proposes, or passes on what somebody else holds."""
        return _supposes(self.cue)

    @cached_property
    def report(self) -> bool:
        """Tells what was or what happened."""
        return bool(wording.REPORTS.search(self.cue))

    @cached_property
    def label(self) -> bool:
        """Opens by saying that what follows was agreed."""
        return bool(self._label or wording.RECAP_HEAD.search(plain(self.sentence.head)))

    @cached_property
    def strong(self) -> bool:
        """Holds words of a rule: must, never, only, at most."""
        return bool(wording.STRONG.search(self.cue))

    @cached_property
    def decides(self) -> bool:
        """Performs a decision: from now on, we're going with."""
        return bool(wording.DECIDES.search(self.cue))

    @cached_property
    def imperative(self) -> bool:
        """Tells somebody to do something."""
        return bool(wording.IMPERATIVE.search(self.cue))

    @cached_property
    def task(self) -> bool:
        """Orders a piece of work, which is done and over."""
        return bool(wording.TASK.search(self.cue))

    @cached_property
    def passing(self) -> bool:
        """Is bound to the moment: yet, for now, in this pull request."""
        return bool(wording.PASSING.search(self.cue))

    @cached_property
    def doing(self) -> bool:
        """Says what the speaker is about to do, is doing or has done."""
        return bool(wording.DOES.search(self.cue) or wording.INTENDS.search(_CLAUSE.split(self.cue)[0]))

    @cached_property
    def value(self) -> bool:
        """Gives a number, a limit, a name to something."""
        return bool(wording.VALUE.search(self.cue))

    @cached_property
    def courtesy(self) -> bool:
        """Says nothing but thanks, or that one is ready."""
        return bool(wording.EMPTY_HANDED.search(self.cue))

    @cached_property
    def _label(self) -> "re.Match[str] | None":
        return wording.LABEL.match(self.cue + " ")

    @property
    def _after_label(self) -> str:
        """What follows its label."""
        return self.cue[self._label.end() :] if self._label else ""

    @property
    def firm(self) -> bool:
        """Whether it is said in earnest: no question, no thinking aloud, no courtesy."""
        return not (self.question or self.hypothesis or self.courtesy)

    @property
    def rule(self) -> bool:
        """Whether it binds what comes: said in earnest, in words of a rule, and not about the past."""
        binds = self.strong or self.imperative or self.decides
        return self.firm and not self.report and not self.passing and binds

    @property
    def standing(self) -> bool:
        """Whether it is a rule that can outlive the task at hand, in words that bind more than an order does."""
        return self.rule and (self.strong or self.decides or not self.task)

    @property
    def norm(self) -> bool:
        """Whether it says how things are to be, in however mild words: what a person can confirm as it stands."""
        mild = self.value or wording.MILD.search(self.cue) is not None
        return self.rule or (self.firm and not self.report and mild and not self.doing)


def read_sentences(text: str) -> list[SentenceReading]:
    """Read every sentence of a message."""
    return [SentenceReading(sentence) for sentence in sentences(text)]


def _asks(cue: str, after_label: str) -> bool:
    """Say whether a sentence, or what follows its label, asks something."""
    return bool(wording.QUESTION.search(cue) or wording.QUESTION.search(after_label))


def _supposes(cue: str) -> bool:
    """Say whether a sentence thinks aloud, announces a proposal, or passes on what somebody else holds."""
    return any(form.search(cue) for form in (wording.HYPOTHESIS, wording.TENTATIVE, wording.TELLS))


def plain(text: str) -> str:
    """Return a sentence as the patterns of `wording` expect it."""
    masked_text = FILE.sub("code", _CODE.sub(_mask_code, text.replace("’", "'").replace("‘", "'")))
    masked_text = _QUOTATION.sub("quote", masked_text.replace("“", '"').replace("”", '"'))
    return _EMPHASIS.sub("", masked_text).lower().strip()


def _mask_code(code: re.Match[str]) -> str:
    """Hide a name, which could look like a cue; leave a number, which is a value wherever it stands."""
    inner = code[0].strip("` ")
    return inner if _NUMBER.fullmatch(inner) else "code"


def topic(text: str) -> frozenset[str]:
    """Return the content words of a text as stems, and its numbers, spelt out or not, as digits."""
    words = tokens(text.replace("`", " "))
    numbers = {_NUMBERS.get(word, word) for word in words if word[0].isdigit() or word in _NUMBERS}
    return content(words) | numbers


class Passage(Struct, frozen=True):
    """A text with its place in the turn."""

    text: str
    start: int
    end: int


def runs(readings: Sequence[SentenceReading], wanted_flags: Sequence[bool]) -> Iterator[list[SentenceReading]]:
    """Yield the wanted sentences in runs of neighbours from one paragraph or list."""
    run: list[SentenceReading] = []
    for reading, want in zip(readings, wanted_flags, strict=True):
        if run and not (want and _together(run[-1], reading)):
            yield run
            run = []
        if want:
            run.append(reading)
    if run:
        yield run


def _together(left: SentenceReading, right: SentenceReading) -> bool:
    """Say whether two sentences stand in one paragraph, or as items of one list."""
    same_head = bool(left.sentence.head) and left.sentence.head == right.sentence.head
    return same_head or left.sentence.block == right.sentence.block


def passages(text: str, run: Sequence[SentenceReading]) -> Iterator[Passage]:
    """Yield a run of sentences as passages of at most 500 characters, cut between sentences where it can be."""
    passage: Passage | None = None
    for sentence in (reading.sentence for reading in run):
        for piece in _pieces(text, sentence.start, sentence.end):
            if passage and _joinable(text, passage, piece):
                passage = Passage(_join(passage.text, piece.text), passage.start, piece.end)
                continue
            if passage:
                yield passage
            passage = piece
    if passage:
        yield passage


def _joinable(text: str, passage: Passage, piece: Passage) -> bool:
    """Say whether a piece goes on where the passage ended, and fits."""
    between = text[passage.end : piece.start].strip()
    return len(between) <= LIST_MARK and len(passage.text) + len(piece.text) + 2 <= FINDING_CHARS


def _join(left: str, right: str) -> str:
    return f"{left} {right}" if left[-1] in ".!?:;,…" else f"{left}; {right}"


def _pieces(text: str, start: int, end: int) -> Iterator[Passage]:
    """Yield a sentence; one that is too long is cut between clauses."""
    while end - start > FINDING_CHARS:
        cuts = [match.end() for match in _BREAK.finditer(text, start + FINDING_CHARS // 2, start + FINDING_CHARS)]
        strong = [cut for cut in cuts if text[cut - 2 : cut - 1] == ";"] or cuts
        cut = strong[-1] if strong else start + FINDING_CHARS
        yield Passage(_WHITE.sub(" ", text[start:cut]).strip(), start, cut)
        start = cut
    if text[start:end].strip():
        yield Passage(_WHITE.sub(" ", text[start:end]).strip(), start, end)
