"""What a turn settles: what a person asks for, and what a person takes over from an agent.

Explicit words ("remember that", "from now on") are enough. Everything else that a person asks for is weighed
(`lasting`): what has enough points is kept as it was said, what has some waits for a person's word, and what has
few is only noted, so that it counts when it is said again in another session or changes what is known.

An agent alone settles nothing: what it calls agreed, plans or diagnoses becomes a finding only once a person took
it over, an option by its number or name, or a statement that the person settles. The content is in the agent's
turn, the decision in the person's: both are evidence. "Yes" alone lets the agent go on with its work and settles
nothing, unless the agent had called something decided; "that's our rule then", "keep that in mind", "leave it at
that" settle what was said. Which findings are new, and what a later turn takes back, is the business of `extract`.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from holdfast.capture.compare.amendments import CUES
from holdfast.capture.compare.statement import tokens
from holdfast.capture.sessions.findings import wording
from holdfast.capture.sessions.findings.acts import Act
from holdfast.capture.sessions.findings.lasting import asks_for_memory, forbids, wishes
from holdfast.capture.sessions.findings.reading import Passage, SentenceReading, passages, runs, topic
from holdfast.capture.sessions.findings.statements import LEAST_TOPIC, TalkStatement, shows_a_file, statements
from holdfast.model.finding import (
    ACCEPTED,
    AMENDMENT,
    ASKED,
    AT_ONCE,
    CORRECTION,
    HYPOTHESIS,
    LIKELY,
    RECAP,
    Evidence,
)
from holdfast.model.limits import FINDING_CHARS
from holdfast.model.patterns import regex

_REVISING = tuple(cue for cue in CUES if cue.name in ("amendment", "update", "change of mind", "from now on"))

IMPORTANT = 0.8
BRIEF_ANSWER = 8
"""Content words of an answer that chooses; a longer one lays something down only in words of a rule."""

BELIEF = 0.6
"""How sure it is that a recap holds what the person meant: these are an agent's words."""


class FindingDraft(Struct, frozen=True):
    """A finding to be: what it says, where, and what speaks for it."""

    kind: str
    passage: Passage
    act: Act
    importance: float
    confidence: float
    signals: frozenset[str] = field(default_factory=frozenset)
    more: tuple[Evidence, ...] = ()
    """Where else it was said: the answer that took a proposal over."""


def revises(readings: Iterable[SentenceReading]) -> bool:
    """Say whether sentences announce that they change what was said before."""
    words = [" ".join(tokens(reading.sentence.text)) for reading in readings]
    return any(cue.pattern.search(text) for cue in _REVISING for text in words)


def recap_proposals(now: Act, before: Sequence[Act]) -> Iterator[FindingDraft]:
    """Yield what an agent sums up as settled, where it goes back to a person."""
    recap_runs = labelled_runs(now)
    if not any(is_grounded(reading, before) for run in recap_runs for reading in run):
        return
    for run in recap_runs:
        signals = {RECAP, AMENDMENT} if revises(run) else {RECAP}
        for passage in passages(now.turn.text, run):
            yield FindingDraft("decision", passage, now, IMPORTANT, BELIEF, frozenset(signals))


def labelled_runs(act: Act) -> list[list[SentenceReading]]:
    """Return the sentences that say of themselves what was settled, each to the end of its paragraph."""
    recap_flags, block = [], -1
    for reading in act.readings:
        if reading.firm and wording.LABEL.match(reading.cue + " "):
            block = reading.sentence.block
        recap_flags.append(reading.sentence.block == block and reading.firm and not reading.doing)
    return list(runs(act.readings, recap_flags))


def is_grounded(reading: SentenceReading, before: Sequence[Act]) -> bool:
    """Say whether what an agent calls agreed goes back to what a person said, not only asked or ordered."""
    person_acts = [act for act in before if act.by_user]
    if not person_acts or person_acts[-1].wonders or person_acts[-1].puts_off:
        return False
    law = frozenset().union(
        *(sentence.topic for act in person_acts for sentence in act.readings if _tells(sentence))
    )
    if _answers(person_acts[-1], before) or person_acts[-1].rejects or person_acts[-1].opens_in_agreement:
        law |= person_acts[-1].topic
    shared_words = reading.topic & law
    return len(shared_words) >= 2 or any(word[0].isdigit() for word in shared_words)


def _tells(reading: SentenceReading) -> bool:
    """Say whether a person says how things are to be: no order of work, nothing that is broken or over."""
    return reading.norm and not reading.task and not reading.passing and not wording.ERRORS.search(reading.cue)


def _answers(act: Act, before: Sequence[Act]) -> bool:
    """Say whether a person's turn answers a question that an agent asked."""
    place = before.index(act)
    is_asked = place > 0 and before[place - 1].by_agent and before[place - 1].asks
    if not is_asked or any(reading.question or reading.hypothesis for reading in act.readings):
        return False
    return len(act.topic) <= BRIEF_ANSWER or any(reading.standing or reading.value for reading in act.readings)


SURE = 9
"""Points from which on a statement is kept without asking."""

LIKELY_POINTS = 7
"""Points from which on it waits for a person's word."""

NOTED_POINTS = -10
"""Points from which on it is noted: no memory, unless it is said again elsewhere or changes one."""

ASKED_IMPORTANCE, LIKELY_IMPORTANCE, SLIGHT = 0.7, 0.7, 0.3

ASKED_BELIEF = 0.9
"""How sure it is that what was said was meant to last, at `SURE` points and above."""

_OPENING = regex(
    r"^\W*(?:(?:ok(?:ay)?|hm+|well|oh|ah|hey|great|good|nice|perfect|right|yes|yeah|yep|no|nope|nah|wait|stop"
    r"|listen|btw|and|so"
    r"|also|super|cool)[,.!:–—-]+\s+|(?:ok(?:ay)?|hm+|btw|listen|and|so|also)\s+(?=\w+ \w)"
    r"|(?:please |pls )?(?:remember(?: that|:)|keep in mind that|for the record[:,]|note that)\s+)+"
)
"""What leads up to a statement and is no part of it; "no" only where a pause shows that it is not "no lodash"."""

_REJECTION = regex(
    r"^\W*(?:(?:no|nope|nah|wait|stop)[,.!:–—-]+\s+)*"
    r"(?:not (?:like (?:this|that)|(?:this|that) way|quite|so)|(?:that's )?wrong)[,.!:–—-]+\s+"
)
"""How somebody turns down what an agent did, before saying what holds: that stands without it."""

LEAST_LEFT = 0.6
"""Share of a statement's words that must be left when its opening is cut off."""

ACCEPTED_IMPORTANCE = 0.7

ACCEPTED_BELIEF = 0.8
"""How sure it is that what was taken over was meant to last."""

MOST_ANSWER = 14
"""Words of a turn that chooses; a longer one says by itself what it wants."""

MOST_SETTLED = 3
"""Sentences of an agent's turn that a person can settle at once; in a long one assent means the core of it."""

LONGEST_OPTION = 240
"""Characters of an option."""

_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "former": 1, "latter": 2}
_CHOICE = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|yes|yeah|yep|let's|lets|i(?:'d| would)?|we)\b[\s,]*)*"
    r"(?:(?:do|go|use|take|choose|pick|prefer|like|go with|went with|plan out)\b[\s,]*)?"
    r"(?:(?:the|option|number|approach|variant|#)\s*)*"
    r"(?:(?P<number>\d{1,2})|(?P<letter>[a-h])|(?P<ordinal>first|second|third|fourth|fifth|former|latter))"
    r"(?:\s+(?:one|option|approach))?(?=[\s).,;:!]|$)(?!\s+(?:is|are|of|more|thing|things|time|finding"
    r"|question|wait))",
    re.IGNORECASE,
)
_OPTION = re.compile(
    r"(?:^|[\s,;:])(?:option\s+|approach\s+)?[\[(]?(?P<mark>\d{1,2}|[a-h])[\])][.:]?\s+(?P<inline>[^\n(]{3,240}?)"
    r"(?=[,;]?\s+(?:or\s+)?[\[(]?(?:\d{1,2}|[a-h])[\])]\s|[?\n]|$)"
    r"|^[ \t]*(?:[-*]\s*)?(?:\*\*)?(?:option\s+|approach\s+)?(?P<lead>\d{1,2}"
    r"|[a-h])[.):][ \t]*(?P<line>[^\n]{3,})$",
    re.IGNORECASE | re.MULTILINE,
)
_ONCE = wording.opens(
    r"(?:re-?run|run|copy|commit|push|pull|merge|rebase|stash|revert|continue|proceed|start|restart|investigate|look"
    r"|check|explain|debug)"
)
"""Options that are work to be done now: whoever picks one lets the agent go on, and settles nothing."""

_SETTLES = wording.within(
    r"(?:that|this|it)(?:'s| is)(?: \w+)? (?:our|the|my)(?: \w+)? (?:rule|policy|convention|standard|decision"
    r"|contract)"
    r"|keep (?:that|this|it) in mind|remember (?:that|this|it)(?=[.,!;]|$)|(?:that|this|it) will bite us"
    r"|(?:do|use) (?:that|this) (?:for all"
    r"|everywhere|always|from now on)|(?:for )?all of them and new ones|lock (?:it|that) in|that's how (?:it"
    r"|we|this|i)"
    r"|leave it (?:at|as|like that)|keep it (?:at|that way|like that)|(?:stays?|keep it) (?:that|this) way"
    r"|nothing to add"
    r"|(?:makes sense|good),? (?:do|use) (?:that|this) everywhere|that's (?:the one|final|settled|agreed"
    r"|it,? final)"
    r"|exactly (?:that|those|right)|precisely|final answer|signed off|approved|that's what we (?:want|do)"
)
"""A person not only agrees but says that it holds."""

OWN_WORDS = 3
"""Content words besides those that settle, from which on a sentence is a statement of its own."""

MATTER = 120
"""Characters of what an option is about."""

MOST_ECHO_WORDS = 1
"""Content words beside an acknowledgement that still say nothing."""


def turn_proposals(now: Act, before: Sequence[Act]) -> Iterator[FindingDraft]:
    """Yield what a turn settles or may settle."""
    if now.by_agent:
        yield from recap_proposals(now, before)
    if not now.by_user:
        return
    acceptances = list(accepted(now, before))
    yield from asked(now, before, spare=settles if acceptances else None)
    yield from acceptances


def asked(
    now: Act, before: Sequence[Act], spare: Callable[[Sequence[SentenceReading]], bool] | None = None
) -> Iterator[FindingDraft]:
    """Yield what a person says in a turn that may be meant to last, less what only takes something over."""
    for statement in statements(now, before, NOTED_POINTS):
        if spare and spare(statement.readings):
            continue
        signals = _signals(statement, now)
        sure = ASKED in signals
        importance = ASKED_IMPORTANCE if sure else LIKELY_IMPORTANCE if LIKELY in signals else SLIGHT
        belief = ASKED_BELIEF if sure else 0.6
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
    claim = _without_rejection(whole.text)
    opening = _OPENING.match(claim.lower())
    rest = claim[opening.end() :] if opening else claim
    text = rest if len(tokens(rest)) > LEAST_LEFT * len(tokens(claim)) else claim
    return Passage(text[:FINDING_CHARS], whole.start, whole.end)


def _without_rejection(text: str) -> str:
    """Return what a person says holds, where what follows is about something."""
    rejection = _REJECTION.match(text.lower())
    rest = text[rejection.end() :] if rejection else text
    return rest if len(topic(rest)) >= LEAST_TOPIC else text


def accepted(now: Act, before: Sequence[Act]) -> Iterator[FindingDraft]:
    """Yield what a person takes over from what the agent said just before."""
    agent = before[-1] if before and before[-1].by_agent else None
    if agent is None or now.wonders or now.puts_off:
        return
    option = _chosen_option(now, agent)
    if option is not None:
        matter = _matter(agent, before)
        yield _proposal(replace(option, text=f"{matter}: {option.text}") if matter else option, now, agent)
    elif settles(now.readings) and not _says_it_itself(now.readings):
        yield from _settled_proposals(now, agent)
    elif now.confirms:
        yield from (
            _proposal(passage, now, agent)
            for run in labelled_runs(agent)
            for passage in passages(agent.turn.text, run)
        )


def settles(readings: Sequence[SentenceReading]) -> bool:
    """Say whether a person closes a matter that somebody else put into words."""
    return any(_SETTLES.search(reading.cue) and reading.firm for reading in readings[:3])


def _says_it_itself(readings: Sequence[SentenceReading]) -> bool:
    """Say whether a person who closes a matter puts it into words: "never on Fridays, that is the rule"."""
    return any(len(topic(_unsettling(reading.cue))) >= OWN_WORDS and reading.firm for reading in readings)


def _unsettling(cue: str) -> str:
    """Return a sentence without the words that only say that something holds."""
    closing = _SETTLES.search(cue)
    return f"{cue[: closing.start()]} {cue[closing.end() :]}" if closing else cue


def _chosen_option(now: Act, agent: Act) -> Passage | None:
    """Return the option of an agent that a person's short answer names."""
    choice = _CHOICE.match(now.turn.text)
    if choice is None or len(now.turn.text.split()) > MOST_ANSWER:
        return None
    chosen_mark = _chosen_mark(choice)
    options = {_mark(option): option for option in _OPTION.finditer(agent.turn.text)}
    option = options.get(chosen_mark)
    if option is None or len(options) < 2:
        return None
    start, end = option.span("inline") if option["inline"] else option.span("line")
    text = " ".join(agent.turn.text[start:end].replace("*", "").split())
    if _ONCE.search(text.lower()):
        return None
    return Passage(text[:LONGEST_OPTION].strip(" ,;"), start, end)


def _matter(agent: Act, before: Sequence[Act]) -> str:
    """Return what an option is one for: what the person had asked about, else what the agent asked."""
    last_act = next((act for act in reversed(before) if act.by_user and act.readings), None)
    last_readings = last_act.readings if last_act else ()
    clear_readings = [
        reading for reading in last_readings if len(reading.topic) > 2 and not shows_a_file(reading.sentence.text)
    ]
    matter_readings = clear_readings or [
        reading for reading in agent.readings if reading.question and not _OPTION.search(reading.sentence.text)
    ]
    return matter_readings[0].sentence.text[:MATTER].rstrip(" .,:;?!") if matter_readings else ""


def _chosen_mark(choice: re.Match[str]) -> str:
    if choice["ordinal"]:
        return str(_ORDINALS[choice["ordinal"].lower()])
    return (choice["number"] or choice["letter"]).lower()


def _mark(option: re.Match[str]) -> str:
    return (option["mark"] or option["lead"]).lower()


def _settled_proposals(now: Act, agent: Act) -> Iterator[FindingDraft]:
    """Yield the sentences in which the agent said how things are to be; where it did not, how it ended."""
    firm_flags = [
        reading.firm and len(reading.topic) > 1 and not reading.doing and not _only_acknowledges(reading)
        for reading in agent.readings
    ]
    norms = [
        firm and reading.norm and reading in agent.stated
        for firm, reading in zip(firm_flags, agent.readings, strict=True)
    ]
    wanted_flags = _with_their_ground(norms, firm_flags, agent.readings) if any(norms) else firm_flags
    settled_passages = [
        passage for run in runs(agent.readings, wanted_flags) for passage in passages(agent.turn.text, run)
    ]
    yield from (
        _proposal(passage, now, agent) for passage in settled_passages[-MOST_SETTLED if any(norms) else -1 :]
    )


def _only_acknowledges(reading: SentenceReading) -> bool:
    """Say whether an agent says that it has heard, and nothing else: "Understood, noted"."""
    acknowledgement = wording.ACKNOWLEDGES.search(reading.cue)
    return acknowledgement is not None and len(topic(reading.cue[acknowledgement.end() :])) <= MOST_ECHO_WORDS


def _with_their_ground(
    norms: Sequence[bool], firm_flags: Sequence[bool], readings: Sequence[SentenceReading]
) -> list[bool]:
    """Mark rules, and the sentence before each that says what it follows from."""
    blocks = [reading.sentence.block for reading in readings]
    after = [*norms[1:], False]
    next_block = [*blocks[1:], -1]
    return [
        norm or (firm and following and block == behind)
        for norm, firm, following, block, behind in zip(norms, firm_flags, after, blocks, next_block, strict=True)
    ]


def _proposal(passage: Passage, now: Act, agent: Act) -> FindingDraft:
    answer = " ".join(now.turn.text.split())
    text = f"{passage.text} (answered: {answer})" if len(answer.split()) <= MOST_ANSWER else passage.text
    signals = {ACCEPTED, AMENDMENT} if revises(now.readings) else {ACCEPTED}
    return FindingDraft(
        "decision",
        Passage(text[:FINDING_CHARS], passage.start, passage.end),
        agent,
        ACCEPTED_IMPORTANCE,
        ACCEPTED_BELIEF,
        frozenset(signals),
        (Evidence(turn=now.turn.id, start=0, end=len(now.turn.text)),),
    )
