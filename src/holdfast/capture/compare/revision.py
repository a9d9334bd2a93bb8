"""Find out whether a new memory revises an old one.

The judgement on two statements. Not here: the words of amendment (`amendments`), opposition without such words
(`conflict`), and whether the new one *may* supersede (trust, status, pins: `precedence` decides).

A revision needs a cue in the new text and a shared topic, and the weaker the cue, the more topic: "amendment"
speaks for itself, "now" alone says little. A cue counts for its own sentence, an announced amendment for the whole
text. Questions and thinking aloud revise nothing. Numbers are read with what they are numbers of: "cap at 50",
"node 22.11", "14 days".

A revision is `whole` when it may stand in for the old memory. It is not when the old one is long and only touched
in a part, or when the two share little more than the name that is given up: to hide the old one then would risk
losing what still holds, so that is a conflict for a person to settle.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from msgspec import Struct

from holdfast.capture.compare.amendments import CUES, SWITCHES, TARGETS, Cue
from holdfast.capture.compare.statement import (
    NUMBER_WORDS,
    STOP_WORDS,
    Overlap,
    ParsedSentence,
    Statement,
    content,
    overlap,
    stem,
)

BEFORE = 6
BEHIND = 2
"""Words before and behind a number among which the thing stands that it is a number of."""

NEAREST = 2
"""Things before a number that count: its own, and what that belongs to."""

_PAUSES = frozenset(",;:")

Slots = Mapping[str, frozenset[str]]
"""The numbers that a sentence gives to each thing, things as stems."""

LEAST_COVER = 0.25
LEAST_COVER_OF_MANY = 0.5
"""Share of the old topic that the new text must touch to replace all of it: up to two sentences, more."""

LEAST_NAME_SHARE = 0.6
"""Share of the words of a given-up name that the old memory must contain."""

VAGUE = frozenset({"support", "usag", "option", "default", "approach"})
"""Words that belong to giving something up, not to its name."""

SLOT_CUES = frozenset({"now", "from now on", "no longer", "back to", "instead of"})


class Revision(Struct, frozen=True):
    """The cue that announced it, the words shared, and whether it replaces the old memory as a whole."""

    cue: str
    shared: frozenset[str]
    whole: bool


def detect_revision(new: Statement, old: Statement) -> Revision | None:
    """Return how `new` revises `old`, or None when it does not."""
    if new.text == old.text or new.topic.isdisjoint(old.topic):
        return None
    if not any(sentence.earnest for sentence in old.sentences):
        return None
    thin = None
    for cue, sentence in _announcements(new):
        topic = new.topic if cue.whole_text else sentence.topic
        topic_overlap = overlap(topic, old.topic)
        if any(_is_believed(cue, sentence, overlap(topic, part), old) for part in _parts(old)):
            return Revision(cue.name, topic_overlap.shared, _covers(topic_overlap, old) or _decides(cue, old))
        if not thin and (_gives_up_all(cue, sentence, old) or _refills(cue, sentence, old)):
            thin = Revision(cue.name, topic_overlap.shared, whole=False)
    return thin


def _parts(old: Statement) -> list[frozenset[str]]:
    """Return the topics that a revision may be about: all of the old memory, or one of its sentences."""
    sentences = [part.topic for part in old.sentences if part.earnest]
    return [old.topic, *sentences] if len(old.sentences) > 1 else [old.topic]


def _covers(topic_overlap: Overlap, old: Statement) -> bool:
    share = LEAST_COVER if len(old.sentences) <= 2 else LEAST_COVER_OF_MANY
    return len(topic_overlap.shared) >= share * len(old.topic)


def _decides(cue: Cue, old: Statement) -> bool:
    """Whether the cue names what the old memory decides: it holds no longer, however much it says beside."""
    return (cue.slot or cue.permits) and len(old.sentences) <= 2


def _announcements(new: Statement) -> Iterator[tuple[Cue, ParsedSentence]]:
    for sentence in new.sentences:
        if sentence.earnest:
            yield from ((cue, sentence) for cue in _cues_in(sentence.words))


@lru_cache(maxsize=1_000)
def _cues_in(words: tuple[str, ...]) -> tuple[Cue, ...]:
    """Return the cues in a sentence; remembered, because a new text is compared with several old ones."""
    text = " ".join(words)
    return tuple(cue for cue in CUES if cue.pattern.search(text))


def _is_believed(cue: Cue, sentence: ParsedSentence, topic_overlap: Overlap, old: Statement) -> bool:
    if cue.slot:
        return _gets_another_value(cue, sentence, topic_overlap, old)
    if cue.permits:
        return _permits(sentence, topic_overlap, old)
    if cue.name == "switched" and _switches(sentence, old):
        return True
    if (
        len(topic_overlap.shared) < 2
        or topic_overlap.of_smaller < cue.of_smaller
        or topic_overlap.of_union < cue.of_union
    ):
        return False
    if cue.numbers and not _numbers_differ(sentence, old):
        return False
    if not cue.targeted:
        return True
    return (_names(cue, sentence, old) or _denies(sentence, old)) and not _says_it_already(cue, old)


def _gets_another_value(cue: Cue, sentence: ParsedSentence, topic_overlap: Overlap, old: Statement) -> bool:
    """Whether the sentence gives another number to what the old memory gives one to.

    One shared word is enough where the sentence is about nothing else, or where it names a version ("node 22.11").
    """
    things = revalued_things(slots([sentence]), slots(old.sentences))
    if not things:
        return False
    share = len(topic_overlap.shared) / max(1, len(sentence.topic))
    return share >= cue.of_smaller or any(_is_version(thing, sentence) for thing in things)


def _switches(sentence: ParsedSentence, old: Statement) -> bool:
    """Whether the old memory is about what the sentence switches, and names a value of the same sort."""
    match = SWITCHES.search(" ".join(sentence.words))
    if match is None:
        return False
    thing, value = content(match["thing"].split()), content(match["value"].split())
    return bool(thing) and thing <= old.topic and bool(value & old.topic) and not value <= old.topic


def _is_version(thing: str, sentence: ParsedSentence) -> bool:
    """Whether a number of two parts stands right behind its thing."""
    pairs = zip(sentence.words, sentence.words[1:], strict=False)
    return any(stem(name) == thing and "." in number and number[0].isdigit() for name, number in pairs)


def _permits(sentence: ParsedSentence, topic_overlap: Overlap, old: Statement) -> bool:
    """Whether the sentence allows what the old memory forbids: the same thing, not only the same verb."""
    allowed_verbs = {verb for verb in sentence.topic if sentence.stance.get(verb) == 1}
    for part in old.sentences:
        shared_words = topic_overlap.shared & part.topic
        is_same_thing = len(shared_words) > 1 or 2 * len(shared_words) > len(part.topic)
        if is_same_thing and any(part.stance.get(verb) == -1 for verb in allowed_verbs):
            return True
    return False


def _numbers_differ(sentence: ParsedSentence, old: Statement) -> bool:
    before = {number for part in old.sentences for number in part.numbers}
    return bool(before) and bool(sentence.numbers) and set(sentence.numbers) != before


def _targets(cue: Cue, sentence: ParsedSentence) -> Iterator[frozenset[str]]:
    words = " ".join(sentence.words)
    for name, pattern in TARGETS:
        if (
            name == cue.name
            and (match := pattern.search(words))
            and (target := content(match["target"].split()) - VAGUE)
        ):
            yield target


def _names(cue: Cue, sentence: ParsedSentence, old: Statement) -> bool:
    """Whether the old memory is about what the sentence gives up."""
    return any(len(target & old.topic) >= LEAST_NAME_SHARE * len(target) for target in _targets(cue, sentence))


def _denies(sentence: ParsedSentence, old: Statement) -> bool:
    """Whether the sentence negates a verb that the old memory uses."""
    denied_verbs = {
        verb for verb, sign in sentence.stance.items() if sign < 0 and verb.isalpha() and verb not in STOP_WORDS
    }
    return any(part.stance.get(verb) == 1 for verb in denied_verbs for part in old.sentences)


def _says_it_already(cue: Cue, old: Statement) -> bool:
    return any(cue in _cues_in(sentence.words) for sentence in old.sentences)


def _gives_up_all(cue: Cue, sentence: ParsedSentence, old: Statement) -> bool:
    """Whether the old memory is about nothing else ("switched from npm" after "we use npm for installs")."""
    core = frozenset().union(*(part.core for part in old.sentences))
    if len(old.sentences) > 2 or _says_it_already(cue, old):
        return False
    return any(
        core & target and target <= old.topic and core <= target | sentence.topic
        for target in _targets(cue, sentence)
    )


def _refills(cue: Cue, sentence: ParsedSentence, old: Statement) -> bool:
    """Whether a short rule is said again with another value ("we use A for X", "we now use B for X")."""
    if cue.name not in SLOT_CUES or len(old.sentences) != 1:
        return False
    before = old.sentences[0]
    if _subject(sentence) and _subject(sentence) == _subject(before):
        return True
    purpose, purpose_before = _after("for", sentence), _after("for", before)
    if purpose and purpose == purpose_before:
        return sentence.stance.get("use", 0) == before.stance.get("use", 0) == 1
    if not sentence.core or sentence.core != before.core:
        return False
    return any(_after(word, sentence) and _after(word, before) for word in ("on", "at", "every"))


def _subject(sentence: ParsedSentence) -> frozenset[str]:
    """Return the content words before the copula ("order ids" in "order ids are UUIDs now")."""
    for position, word in enumerate(sentence.words):
        if word in ("is", "are"):
            return content(sentence.words[:position])
    return frozenset()


def _after(word: str, sentence: ParsedSentence) -> frozenset[str]:
    if word not in sentence.words:
        return frozenset()
    return content(sentence.words[sentence.words.index(word) + 1 :])


def slots(sentences: Iterable[ParsedSentence]) -> Slots:
    """Return what sentences give numbers to."""
    values_by_thing: defaultdict[str, set[str]] = defaultdict(set)
    for sentence in sentences:
        words = sentence.words
        for place, word in enumerate(words):
            if word[0].isdigit() or word in NUMBER_WORDS:
                for thing in _things(words, place):
                    values_by_thing[thing].add(NUMBER_WORDS.get(word, word))
    return {thing: frozenset(values) for thing, values in values_by_thing.items()}


def _things(words: tuple[str, ...], place: int) -> list[str]:
    before: list[str] = []
    for word in reversed(words[max(0, place - BEFORE) : place]):
        if word in _PAUSES or len(before) == NEAREST:
            break
        before += content([word])
    behind: list[str] = []
    for word in words[place + 1 : place + 1 + BEHIND]:
        if word in _PAUSES:
            break
        behind += content([word])
    return [*before, *behind[:1]]


def revalued_things(new: Slots, old: Slots) -> frozenset[str]:
    """Return the things that both give numbers to, and not the same."""
    return frozenset(thing for thing in new.keys() & old.keys() if new[thing].isdisjoint(old[thing]))
