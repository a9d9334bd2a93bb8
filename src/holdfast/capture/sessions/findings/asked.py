"""What a person asks for: rules, wishes, corrections and facts of the project, said to last.

Explicit words ("remember that", "from now on") are enough. Everything else is weighed (`lasting`): what has enough
points is kept as it was said, what has some waits for a person's word, and what has few is only noted, so that it
counts when it is said again in another session or changes what is known.
"""

from collections.abc import Callable, Iterator, Sequence

from holdfast.capture.compare.topic import tokens
from holdfast.capture.sessions.findings import wording
from holdfast.capture.sessions.findings.acts import Act
from holdfast.capture.sessions.findings.lasting import asks_for_memory, forbids, wishes
from holdfast.capture.sessions.findings.passages import Passage
from holdfast.capture.sessions.findings.proposals import FindingDraft, revises
from holdfast.capture.sessions.findings.reading import SentenceReading
from holdfast.capture.sessions.findings.statements import TalkStatement, statements
from holdfast.model.finding import AMENDMENT, ASKED, AT_ONCE, CORRECTION, HYPOTHESIS, LIKELY
from holdfast.model.limits import FINDING_CHARS

SURE = 9
"""Points from which on a statement is kept without asking."""

LIKELY_POINTS = 7
"""Points from which on it waits for a person's word."""

NOTED_POINTS = -10
"""Points from which on it is noted: no memory, unless it is said again elsewhere or changes one."""

IMPORTANT, LIKELY_IMPORTANCE, SLIGHT = 0.7, 0.7, 0.3
BELIEF = 0.9
"""How sure it is that what was said was meant to last, at `SURE` points and above."""

_OPENING = wording.Form(
    r"^\W*(?:(?:ok(?:ay)?|hm+|well|oh|ah|hey|great|good|nice|perfect|right|yes|yeah|yep|no|nope|nah|wait|stop"
    r"|listen|btw|and|so"
    r"|also|super|cool)[,.!:–—-]+\s+|(?:ok(?:ay)?|hm+|btw|listen|and|so|also)\s+(?=\w+ \w)"
    r"|(?:please |pls )?(?:remember(?: that|:)|keep in mind that|for the record[:,]|note that)\s+)+"
)
"""What leads up to a statement and is no part of it; "no" only where a pause shows that it is not "no lodash"."""


def asked(
    now: Act, before: Sequence[Act], spare: Callable[[Sequence[SentenceReading]], bool] | None = None
) -> Iterator[FindingDraft]:
    """Yield what a person says in a turn that may be meant to last, less what only takes something over."""
    for statement in statements(now, before, NOTED_POINTS):
        if spare and spare(statement.readings):
            continue
        signals = _signals(statement, now)
        sure = ASKED in signals
        importance = IMPORTANT if sure else LIKELY_IMPORTANCE if LIKELY in signals else SLIGHT
        belief = BELIEF if sure else 0.6
        yield FindingDraft(kind_of(statement), _passage(statement), now, importance, belief, frozenset(signals))


def _signals(statement: TalkStatement, now: Act) -> set[str]:
    signals = {_strength(statement.points)}
    if ASKED in signals and any(map(asks_for_memory, statement.readings)):
        signals.add(AT_ONCE)
    if now.corrects:
        signals.add(CORRECTION)
    if revises(statement.readings):
        signals.add(AMENDMENT)
    return signals


def _strength(points: int) -> str:
    if points >= SURE:
        return ASKED
    return LIKELY if points >= LIKELY_POINTS else HYPOTHESIS


def kind_of(statement: TalkStatement) -> str:
    """Return the kind of a statement: a prohibition is a warning, a wish a preference, all else a decision."""
    cues = [reading.cue for reading in statement.readings]
    if any(wishes(cue) for cue in cues):
        return "preference"
    if any(forbids(cue) or wording.WARNS.search(cue) for cue in cues):
        return "warning"
    return "decision"


def _passage(statement: TalkStatement) -> Passage:
    """Return its words without what only leads up to them."""
    whole = statement.passage
    opening = _OPENING.match(whole.text.lower())
    rest = whole.text[opening.end() :] if opening else whole.text
    text = rest if len(tokens(rest)) > MOST_LOST * len(tokens(whole.text)) else whole.text
    return Passage(text[:FINDING_CHARS], whole.start, whole.end)


MOST_LOST = 0.6
"""Share of a statement's words that must be left when its opening is cut off."""
