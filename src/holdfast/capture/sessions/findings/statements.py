"""The sentences of a person's turn as statements: whole enough to make sense alone, weighed by `lasting`.

A fragment belongs to the sentence before it ("run it before you push. every time."), a sentence that points back
takes in what it points at, a reason stays with what it is the reason of. What can never be remembered is left out
here: questions, thinking aloud, others' words, error messages.

Whether a prompt sounds as if it should be noted is cheap enough for every prompt, and right more often than not is
enough, because the running agent, which has read the talk, decides. A prompt is taken as one amid a session.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from holdfast.capture.compare.statement import content, tokens
from holdfast.capture.sessions.findings import wording
from holdfast.capture.sessions.findings.acts import Act
from holdfast.capture.sessions.findings.lasting import (
    Remark,
    TalkPosition,
    blames,
    commands,
    forbids,
    is_explicit,
    points,
    revises,
)
from holdfast.capture.sessions.findings.reading import Passage, SentenceReading, plain, topic
from holdfast.capture.sessions.findings.wording import within
from holdfast.model.patterns import regex
from holdfast.model.session import Turn
from holdfast.text.sentences import Sentence, is_template

FRAGMENT = 3
"""Words of a piece that says nothing without the sentence before it."""

MOST_WORDS = 28
"""Content words of a statement; a longer one is told by its parts."""

LEAST_TALK_SHARE = 0.6
"""Share of a turn that must be talk; below, something was pasted into it."""

_WONDERS = wording.within(
    r"maybe|perhaps|might|wonder\w*|not sure|unsure|probably|could|would be|i guess|i think|one day|some ?day"
    r"|what if"
    r"|not decided|undecided|thinking (?:loud|aloud|about)|i'd say|not yet decided"
)
_MOMENTARY = wording.within(
    r"yet|so far|this time|(?:in|on|for|to) this (?:branch|pr|pull request|ticket|commit|session|task|one"
    r"|step)|next ticket"
    r"|right away|(?:don't|do not|needn't|not) (?:note|remember|save|record) (?:it|that|this)"
)
"""Words that bind what is said to the work at hand."""

_COMPLAINS = wording.within(
    r"still not|for some reason|(?:is|are|am|was)(?: (?:still )?not|n'?t) (?:doing|working|saved|showing|able"
    r"|updated|found|visible)"
    r"|(?:it|that|this|page|app)(?: will| just| also| now)? (?:always|never|still|keeps?) (?!be\b|stays?"
    r"|remains?)\w+"
    r"|looks? (?:\w+ )?(?:ugly|weird|wrong|off|bad)|unfortunately|(?:always|such) a (?:pain|mess)"
    r"|i (?:still )?(?:get|got|see) (?:this|an?|the same)"
)
"""What is wrong just now, in whatever strong words."""

_REVIEWS = wording.opens(r"(?:consider|suggest(?:ion|ed)?)\b(?: \w+ing| this)?")
"""How remarks of a review begin, which are passed on and not said."""

_INTERJECTION = regex(
    r"^\W*(?:(?:nah|nope|hm+|yep|yeah|ok(?:ay)?|super|top|danke|merci|thx|pls|hey|ugh|lol)\b\W*)+"
)
_SAYS_YES = wording.opens(r"(?:yes|yeah|yep|ok(?:ay)?)[\s,.!]*(?:let'?s|we|do|i|use|go|make)")
_POINTS_BACK = wording.opens(
    r"(?:(?:and|so|but|then|because|cause|since|otherwise|or|instead|just|only|not)\b[\s,]*)*(?:this|that|it"
    r"|these|those"
    r"|they|them|he|she|which|instead|otherwise|because|only|not|for example|e\.g)"
)
_POINTS_ONLY = regex(
    r"^\W*(?:this|that|these|those)(?:'?s|'re)?(?: (?:is|are|was))?(?:n'?t| not) [^,;:.–—]*[.!]*$"
)
"""A first sentence in which somebody holds up what an agent shows: nothing in it says what that is."""

_GOES_ON = wording.opens(
    r"because|cause|since|otherwise|so that|that's|that is|it|this|they|only|not|never|instead|no|and|or|if"
)
_OWN_FILE = regex(r"(?<![\w.~-])(?:/(?:Users|home|root|tmp|private|var/folders)/|[A-Za-z]:\\)[^\s`'\")]+")
"""A path that begins at the root of a machine; `~/` is everybody's."""

_PROGRAM = regex(
    r"\w(?:Error|Exception)\b[):]|\bSELECT\b.*\bFROM\b|\*\* \(|\w:\d+:\d|[{}]|::|\bat \S+\.\w+:\d|\w+\.\w+/\d\b"
)
"""What programs print, in the middle of what somebody says."""

A_TALK = 2
"""Turns of a person that show what sort of talk it is."""

DISCUSSING = 0.6
"""Share of a person's turns that ask or understand, above which the talk is a discussion."""

ASKED_WITHIN = 300
"""Characters at the end of an agent's turn in which a question is one to the person."""

LEAST_TOPIC = 2
"""Content words without which a sentence is about nothing, unless it asks to be remembered."""

OWN_WORDS = 6
"""Content words around a quotation that make a sentence its speaker's own."""

_MEMORY_REQUESTS = within(
    "remember", "from now on", "keep (?:that|this|it )?in mind", "don'?t forget", "for the record", "note that"
)
"""Words with which a person asks for something to be remembered; `lasting` tells what they mean."""

SOUNDS = 6
"""Points from which on a sentence is worth a look by somebody who understands it."""


class TalkStatement(Struct, frozen=True):
    """Neighbouring sentences of one turn that say one thing, and how much they sound as if it should last."""

    readings: tuple[SentenceReading, ...]
    points: int

    @property
    def passage(self) -> Passage:
        """Its words and their place in the turn."""
        sentences = [reading.sentence for reading in self.readings]
        text = " ".join(sentence.text for sentence in sentences)
        return Passage(text, sentences[0].start, sentences[-1].end)


def statements(now: Act, before: Sequence[Act], least: int) -> list[TalkStatement]:
    """Return what a person says in a turn that has at least so many points, in whole sentences."""
    remarks = remarks_of(now, before)
    weights = [_weight(remark, least) for remark in remarks]
    chosen_places = [place for place, weight in enumerate(weights) if weight >= least]
    wanted_places = {place for chosen_place in chosen_places for place in _with_neighbours(chosen_place, remarks)}
    weighty_statements = []
    for run in _runs(sorted(wanted_places), remarks):
        best = max(weights[place] for place in run)
        if best >= least:
            weighty_statements.append(TalkStatement(tuple(remarks[place].reading for place in run), best))
    return weighty_statements


def _weight(remark: Remark, least: int) -> int:
    """Return the points of a sentence; one that announces a change has the least at least."""
    if not may_last(remark.reading) or (remark.place == 0 and _POINTS_ONLY.search(remark.cue)):
        return least - 1
    return max(points(remark), least) if revises(remark.cue) else points(remark)


def remarks_of(now: Act, before: Sequence[Act]) -> list[Remark]:
    """Return the sentences of a person's turn, fragments joined, as they stand in the talk."""
    readings = _whole(now.readings)
    moment = moment_of(now, before, readings)
    return [Remark(reading, moment, place) for place, reading in enumerate(readings)]


def moment_of(now: Act, before: Sequence[Act], readings: Sequence[SentenceReading]) -> TalkPosition:
    """Return where in the talk a turn stands."""
    agent = next((act for act in reversed(before) if act.by_agent), None)
    return TalkPosition(
        replies=agent is not None,
        opens=not any(act.by_user and act.readings for act in before),
        corrects=now.corrects,
        interrupts=bool(before) and before[-1].by_user and is_template(before[-1].turn.text),
        asked=agent is not None and "?" in agent.turn.text.rstrip()[-ASKED_WITHIN:],
        understands=now.understands,
        agrees=bool(readings) and wording.AGREES.search(readings[0].cue) is not None,
        asks=now.wonders,
        discusses=_discusses([act for act in (*before, now) if act.by_user and act.readings]),
        pasted=sum(len(reading.sentence.text) for reading in readings)
        < LEAST_TALK_SHARE * len(now.turn.text.strip()),
        heard=agent.closing_topic if agent is not None else frozenset(),
        words=sum(len(reading.cue.split()) for reading in readings),
        sentences=len(readings),
    )


def _discusses(person_acts: Sequence[Act]) -> bool:
    """Say whether a person asks, wonders and understands in more of the turns than not, and orders nothing."""
    musing = [act for act in person_acts if act.wonders or act.understands or act.muses]
    return len(person_acts) >= A_TALK and len(musing) > DISCUSSING * len(person_acts)


def may_last(reading: SentenceReading) -> bool:
    """Say whether a sentence can be remembered at all."""
    never = (_WONDERS, _MOMENTARY, _COMPLAINS, _REVIEWS)
    least = 1 if is_explicit(reading) else LEAST_TOPIC
    if len(topic(_INTERJECTION.sub("", reading.cue))) < least or _PROGRAM.search(reading.sentence.text):
        return False
    if reading.cue.endswith(":") or any(form.search(reading.cue) for form in never):
        return False
    if shows_a_file(reading.sentence.text) and not is_explicit(reading):
        return False
    if reading.question:
        return blames(reading)
    has_quote = "quote" in reading.cue and "quote" not in reading.sentence.text.lower()
    return not (has_quote and len(content(tokens(reading.cue))) < OWN_WORDS)


def shows_a_file(text: str) -> bool:
    """Say whether a sentence points at a file of somebody's own machine: it is to be looked at now."""
    return _OWN_FILE.search(text) is not None


def _whole(readings: Sequence[SentenceReading]) -> list[SentenceReading]:
    """Join fragments to the sentence before them in their paragraph."""
    whole: list[SentenceReading] = []
    for reading in map(_under_its_heading, readings):
        last = whole[-1] if whole else None
        joins = last and (_is_fragment(reading, last) or _answers_itself(reading, last))
        if last and joins and last.sentence.block == reading.sentence.block:
            whole[-1] = SentenceReading(_join_sentences(last.sentence, reading.sentence), asks=False)
        else:
            whole.append(reading)
    return whole


def _under_its_heading(reading: SentenceReading) -> SentenceReading:
    """Let a heading that forbids ("Never do this"), or binds always, speak for what stands under it."""
    sentence = reading.sentence
    head = sentence.head.rstrip(": ")
    if not head or not (commands(plain(head)) or forbids(plain(head))):
        return reading
    return SentenceReading(replace(sentence, text=f"{head}: {sentence.text}"))


def _is_fragment(reading: SentenceReading, last: SentenceReading) -> bool:
    small = len(reading.cue.split()) <= FRAGMENT and not reading.question and not reading.courtesy
    return small and not last.question and len(last.cue.split()) > FRAGMENT


def _answers_itself(reading: SentenceReading, last: SentenceReading) -> bool:
    """Say whether somebody answers his own question: "can we go to 120? yes let's do 120"."""
    return last.question and not reading.question and _SAYS_YES.search(reading.cue) is not None


def _join_sentences(left: Sentence, right: Sentence) -> Sentence:
    return Sentence(f"{left.text} {right.text}", left.start, right.end, left.head, left.block, left.item)


def _with_neighbours(place: int, remarks: Sequence[Remark]) -> Iterator[int]:
    """Yield a sentence, what it points back at, and what goes on with it."""
    yield place
    if place > 0 and _POINTS_BACK.search(remarks[place].cue):
        yield place - 1
    if (
        place + 1 < len(remarks)
        and _GOES_ON.search(remarks[place + 1].cue)
        and not remarks[place + 1].reading.question
    ):
        yield place + 1


def _runs(places: Sequence[int], remarks: Sequence[Remark]) -> Iterator[list[int]]:
    """Yield neighbours together, as long as they make one statement."""
    run: list[int] = []
    for place in places:
        apart = run and (place != run[-1] + 1 or is_explicit(remarks[place].reading))
        if run and (apart or _size([*run, place], remarks) > MOST_WORDS):
            yield run
            run = []
        run.append(place)
    if run:
        yield run


def _size(run: Sequence[int], remarks: Sequence[Remark]) -> int:
    return len(frozenset().union(*(remarks[place].reading.topic for place in run)))


def sounds_lasting(prompt: str, answer: str = "") -> bool:
    """Say whether a person's prompt holds something that may last; `answer` is what the agent said before it."""
    before = [Act(_turn("assistant", answer))] if answer.strip() else []
    remarks = remarks_of(Act(_turn("user", prompt)), before)
    amid = [replace(remark, moment=replace(remark.moment, opens=False)) for remark in remarks]
    return any(may_last(remark.reading) and points(remark) >= SOUNDS for remark in amid)


def asks_to_remember(prompt: str) -> bool:
    """Say whether words that ask for memory stand in a prompt: worth reading it at once, no more."""
    return _MEMORY_REQUESTS.search(prompt.lower()) is not None


def _turn(role: str, text: str) -> Turn:
    return Turn(id="", session="", role=role, text=text, at=0)
