"""The words of an agent's message that an answer takes over: the option that it names, else the last question.

"2", "the second one", "yes, Postgres everywhere" say nothing without the words they answer. The judge decides
whether an answer lasts; this module only finds which of the agent's words belong to it, and whether the person
took them over or answered something else.
"""

import re

from msgspec import Struct

from holdfast.capture.sessions.asked import points_back
from holdfast.capture.sessions.talk import asks, says_something
from holdfast.model.patterns import regex
from holdfast.model.session import Turn
from holdfast.text.sentences import SentenceSpan, sentences
from holdfast.text.words import topic

MOST_ANSWER = 14
"""Words of a turn that only answers; a longer one says by itself what it wants."""

LONGEST = 240
"""Characters that are taken over."""

CLOSING_READ = 3_000
"""Characters at the end of an agent's message that an answer is about."""

_ORDINALS = {"first": "1", "second": "2", "third": "3", "fourth": "4", "fifth": "5", "former": "1", "latter": "2"}
_CHOICE = regex(
    r"^\W*(?:(?:ok(?:ay)?|yes|yeah|yep|let'?s|i(?:'d| would)?|we)\b[\s,]*)*"
    r"(?:(?:do|go|use|take|choose|pick|prefer|like|go with|went with)\b[\s,]*)?"
    r"(?:(?:the|option|number|approach|#)\s*)*"
    r"(?P<mark>\d{1,2}|[a-h]|first|second|third|fourth|fifth|former|latter)"
    r"(?:\s+(?:one|option|approach))?(?=[\s).,;:!]|$)(?!\s+(?:is|are|of|more|things?|time|finding|question))",
    re.IGNORECASE,
)
_OPTION = regex(
    r"^[ \t]*(?:[-*]\s*)?(?:\*\*)?[\[(]?(?:option\s+|approach\s+)?(?P<mark>\d{1,2}|[a-h])[.):\]]+[ \t]*"
    r"(?P<text>[^\n]{3,})$",
    re.IGNORECASE | re.MULTILINE,
)
_INLINE_OPTION = regex(
    r"[\[(](?P<mark>\d{1,2}|[a-h])[\])]\s+(?P<text>[^\n(\[]{3,240}?)"
    r"(?=[,;]?\s+(?:or\s+)?[\[(](?:\d{1,2}|[a-h])[\])]|[.?]\s|[.?]?$)",
    re.IGNORECASE | re.MULTILINE,
)


_TAKES = regex(
    r"^\W*(?:yes|yeah|yep|yup|sure|ok(?:ay)?|agreed|exactly|correct|right|perfect|great|good|fine"
    r"|sounds (?:good|right)|both|all(?: of them)?|do (?:that|it|so|both|all)|go (?:for|with|ahead)"
    r"|keep (?:it|that|this) (?:like|that way)|(?:let'?s|please) (?:do|go|keep))\b",
    re.IGNORECASE,
)
_TURNS = regex(r"\b(?:but|instead|rather|however|except|although|wait)\b", re.IGNORECASE)


class Passage(Struct, frozen=True):
    """Words of a message that an answer is about, where they stand, and whether the person took them over."""

    text: str
    start: int
    end: int
    accepted: bool


def proposal_of(reply: Turn | None, answer: str) -> Passage | None:
    """Return the agent's words that a short answer is about: those it takes over, else the question it answers."""
    if reply is None or len(answer.split()) > MOST_ANSWER or asks(answer):
        return None
    option = _chosen(reply.text, answer)
    if option is not None:
        return _passage(option.start("text"), option.end("text"), reply.text, accepted=True)
    closing = [piece for piece in sentences(reply.text) if piece.end > len(reply.text) - CLOSING_READ]
    sentence = _asked_or_said(closing)
    accepted = points_back(answer) or (_TAKES.match(answer) is not None and _TURNS.search(answer) is None)
    if sentence is None or not (accepted or asks(sentence.text)):
        return None
    return _passage(sentence.start, sentence.end, reply.text, accepted=accepted)


def _chosen(text: str, answer: str) -> re.Match[str] | None:
    choice = _CHOICE.match(answer)
    if choice is None:
        return None
    mark = choice["mark"].lower()
    for form in (_OPTION, _INLINE_OPTION):
        options = {option["mark"].lower(): option for option in form.finditer(text)}
        if len(options) > 1:
            return options.get(_ORDINALS.get(mark, mark))
    return None


def _asked_or_said(closing: list[SentenceSpan]) -> SentenceSpan | None:
    """Return the last question that says what it is about, else the last such sentence."""
    telling = [piece for piece in closing if says_something(piece.text) and len(topic(piece.text)) >= 2]
    questions = [piece for piece in telling if asks(piece.text)]
    return (questions or telling)[-1] if telling else None


def _passage(start: int, end: int, text: str, *, accepted: bool) -> Passage:
    words = " ".join(text[start:end].replace("*", "").split())
    return Passage(words[:LONGEST].strip(" ,;"), start, end, accepted)
