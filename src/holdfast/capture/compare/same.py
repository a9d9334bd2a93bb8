"""Say whether two texts say the same, so surely that one may stand for both; and how nearly they do.

What differs in a number, a name, a path, a negation, a tense, a quantity, a condition or in who does what to whom
is not the same, however alike it looks. What may differ is what English lets one choose: small words, order of
phrases, active and passive, singular and plural.

A sentence is read as a core and the phrases that hang on it, each with the word that ties it ("for", "when").
Words keep their order within the core and within a phrase; phrases may stand anywhere. A passive has a second
reading, with who does it in front. Two sentences are the same when they have a reading in common.

The measure behind `similar_to` looks at the text alone, so it is the same for every model, and it is cheap enough
for each candidate of a write. Half of it is shared content words (any order, any inflection), half is shared runs
of three characters (order and wording). Two texts that differ in a number or in a negation are not
near-duplicates, however alike they look: "retry 3 times" and "retry 5 times" must never be merged. Not here: exact
duplicates (fingerprints) and merging.
"""

import re
from collections import Counter

from holdfast.capture.compare.statement import NUMBER_WORDS, Statement, stem, tokens
from holdfast.model.patterns import regex

Phrase = tuple[str, tuple[str, ...]]
Reading = tuple[tuple[str, ...], frozenset[tuple[Phrase, int]]]
"""The core, and its phrases with how often each stands there."""

LONGEST = 600
"""Characters; longer texts have too many places to differ in."""

_SENTENCE = regex(r"(?<=[.!?])\s+|\n+")
_OPERATOR = regex(r"[<>=≠≤≥+*%$€£^~|&@\\#]|(?<!\w)-(?=\d)")
_OPENING = regex(
    r"^(?:just so you know|for the record|by the way|please note|note(?: that)?|remember(?: that)?|reminder|fyi)\b"
    r"[:,]?\s+",
    re.IGNORECASE,
)
_CLOSING = regex(r",?\s+(?:by the way|please|here)(?=[.!?]*$)", re.IGNORECASE)

_SMALL = frozenset(
    """a an the this that these those our your my their its his her we i you they he she it do does so just really
    actually basically simply please always all every each must also too""".split()
)
"""Words that may be there or not. What is left says something: "only", "some", "should", "was", "now", "not"."""

_ARTICLES = frozenset("a an the this that these those our your my their its every each all".split())
_BE = frozenset("is are be am get gets being been".split())
_NOBODY = frozenset("we i you they".split())
"""Who does something, where it does not matter who."""

SOMEBODY = "somebody"
"""Who does what "is done" and what "we" do; what is asked for has nobody in front."""

_REQUEST_WORDS = frozenset(("must", "never"))
_ADVERBS = frozenset("never not last first always only".split())
_TIES = frozenset(
    """about above across after against along among around as at because before below beneath beside between beyond
    by despite during except for from if in inside into like near of off on onto out outside over past per since
    than through till to toward under unless until up upon via when whenever where while with within
    without""".split()
)
_CLAUSES = frozenset("as because if like since than till unless until when whenever where while".split())
"""Ties that a whole clause hangs on, with a verb of its own."""

_PAUSES = frozenset(",;")
_PARTICIPLES = {
    "kept": "keep", "held": "hold", "built": "build", "rebuilt": "rebuild", "sent": "send", "written": "write",
    "taken": "take", "made": "make", "found": "find", "left": "leave", "given": "give", "shown": "show",
    "known": "know", "chosen": "choose", "caught": "catch", "brought": "bring", "thrown": "throw", "drawn": "draw",
    "lost": "lose", "frozen": "freeze", "fed": "feed", "hidden": "hide", "bound": "bind", "told": "tell",
    "paid": "pay", "spent": "spend", "driven": "drive", "overridden": "override", "broken": "break",
    "sold": "sell",
}  # fmt: skip
"""Irregular participles of passives; regular ones lose their ending."""

LEAST_SIMILARITY = 0.8
"""From here on two texts count as near-duplicates."""

DIFFERENT = 0.5
"""The most that two texts can reach when a number or a negation differs."""


def say_the_same(first: str, second: str) -> bool:
    """Say whether one text can stand for both."""
    if max(len(first), len(second)) > LONGEST or _OPERATOR.findall(first) != _OPERATOR.findall(second):
        return False
    left, right = _sentences(first), _sentences(second)
    return len(left) == len(right) and all(_are_same(a, b) for a, b in zip(left, right, strict=True))


def _are_same(first: str, second: str) -> bool:
    if first.endswith("?") != second.endswith("?"):
        return False
    return not readings(first).isdisjoint(readings(second))


def _sentences(text: str) -> list[str]:
    plain = _CLOSING.sub("", _OPENING.sub("", text.strip()))
    return [sentence for sentence in _SENTENCE.split(plain) if sentence.strip()]


def readings(sentence: str) -> set[Reading]:
    """Return what a sentence can be taken to say; nothing for one without a core."""
    words = [NUMBER_WORDS.get(word, word) for word in _written_out(tokens(sentence))]
    core, phrases = _split_phrases(words)
    possible_readings = [_reading(core, phrases), _active(core, phrases)]
    if core and core[0] in _NOBODY:
        possible_readings.append(((SOMEBODY, *_word_forms(core)), _count_phrases(phrases)))
    return {reading for reading in possible_readings if reading and reading[0]}


def _written_out(words: list[str]) -> list[str]:
    return [part for word in words if word != ":" for part in (("can", "not") if word == "cannot" else (word,))]


def _split_phrases(words: list[str]) -> tuple[list[str], list[list[str]]]:
    """Split into the core and its phrases. A phrase that opens the sentence ends at a pause or at an article."""
    core: list[str] = []
    phrases: list[list[str]] = []
    part, is_fronted, head = core, words[:1] != [] and words[0] in _TIES, None
    for place, word in enumerate(words):
        before = words[place - 1] if place else ""
        if word == "of" and part and part[-1] not in _SMALL:  # "the cache of thumbnails" is the thumbnail cache
            head = part.pop()
            continue
        if head and (word in _TIES or word in _PAUSES or word in _BE):
            part.append(head)
            head = None
        if word in _TIES or (word in _PAUSES and not is_fronted):
            phrases.append([word if word in _TIES else ","])
            part = phrases[-1]
        elif word in _PAUSES:
            part, is_fronted = core, False
        else:
            if _resumes(word, before, part, fronted=is_fronted):
                part, is_fronted = core, False
            part.append(word)
    part.extend([head] if head else [])
    return core, phrases


def _resumes(word: str, before: str, part: list[str], *, fronted: bool) -> bool:
    """Say whether a word goes on with the core: "rows without a name *are* skipped", "on startup *the* worker"."""
    if word in _BE:
        return bool(part) and part[0] in _TIES - _CLAUSES
    opens = word in _NOBODY or (word in _ARTICLES and before not in _ARTICLES)
    return fronted and opens and before not in _TIES


def _active(core: list[str], phrases: list[list[str]]) -> Reading | None:
    """Return a passive as its active: who does it, if that is said, then what is done to whom."""
    verb = next((place + 1 for place, word in enumerate(core) if word in _BE), None)
    while verb is not None and verb < len(core) and core[verb] in _BE | _ADVERBS:
        verb += 1
    if verb is None or verb >= len(core) or not _participle(core[verb]):
        return None
    patient = [word for word in core[:verb] if word not in _BE]
    adverbs = [word for word in patient if word in _ADVERBS]
    patient = [word for word in patient if word not in _ADVERBS]
    agents = [phrase[1:] for phrase in phrases if phrase[0] == "by"]
    other_phrases = [phrase for phrase in phrases if phrase[0] != "by"]
    if len(agents) > 1:
        return None
    is_request = not agents and not _REQUEST_WORDS.isdisjoint(
        core
    )  # "bodies must never be logged" is "never log bodies"
    agent = _word_forms(agents[0]) if agents else () if is_request else (SOMEBODY,)
    agent_and_verb = (*agent, *_word_forms(adverbs), _participle(core[verb]) or "")
    return (*agent_and_verb, *_word_forms(patient), *_word_forms(core[verb + 1 :])), _count_phrases(other_phrases)


def _participle(word: str) -> str | None:
    """Return the verb of a participle."""
    verb = _PARTICIPLES.get(word)
    return stem(verb) if verb else stem(word) if word.endswith("ed") else None


def _reading(core: list[str], phrases: list[list[str]]) -> Reading:
    return _word_forms(core), _count_phrases(phrases)


def _count_phrases(phrases: list[list[str]]) -> frozenset[tuple[Phrase, int]]:
    return frozenset(Counter((phrase[0], _word_forms(phrase[1:])) for phrase in phrases).items())


def _word_forms(words: list[str]) -> tuple[str, ...]:
    """Return the words that count in one form; a past tense is not the present."""
    return tuple(
        f"{stem(word)}+ed" if word.endswith("ed") else stem(word)
        for word in words
        if word not in _SMALL and word not in _BE
    )


def similarity(left: Statement, right: Statement) -> float:
    """Return 0 (nothing shared) to 1 (the same but for case, order of words and inflection).

    Where the words alone rule out near-duplicates, the costlier runs are not looked at, and count as nothing.
    """
    if left.text == right.text:
        return 1.0
    words = _dice(left.topic, right.topic)
    if words + 1 < 2 * LEAST_SIMILARITY:  # however alike the runs are
        return round(words / 2, 3)
    alike = (words + _dice(_runs(left), _runs(right))) / 2
    alike *= _length_ratio(left, right)
    return round(min(alike, DIFFERENT) if _differ(left, right) else alike, 3)


def is_near_duplicate(left: Statement, right: Statement) -> bool:
    """Say whether two texts are close enough to be reported as similar."""
    return similarity(left, right) >= LEAST_SIMILARITY


def _dice(left: frozenset[str], right: frozenset[str]) -> float:
    return 2 * len(left & right) / (len(left) + len(right)) if left or right else 0.0


def _runs(statement: Statement) -> frozenset[str]:
    text = f" {' '.join(word for sentence in statement.sentences for word in sentence.words)} "
    return frozenset(text[start : start + 3] for start in range(len(text) - 2))


def _length_ratio(left: Statement, right: Statement) -> float:
    """Keep a long text from passing for its own beginning."""
    shorter, longer = sorted((len(left.text), len(right.text)))
    return 1.0 if longer < 2 * shorter else shorter / longer


def _differ(left: Statement, right: Statement) -> bool:
    told_apart = _numbers(left) != _numbers(right) or _numbered_names(left) != _numbered_names(right)
    return told_apart or _denied_verbs(left) != _denied_verbs(right)


def _numbers(statement: Statement) -> list[str]:
    return sorted(number for sentence in statement.sentences for number in sentence.numbers)


def _numbered_names(statement: Statement) -> set[str]:
    """Return the names that end in a number: "worker 3", migration_0042."""
    words = (word for sentence in statement.sentences for word in sentence.words)
    return {word for word in words if word[-1].isdigit() and not word[0].isdigit()}


def _denied_verbs(statement: Statement) -> set[str]:
    return {verb for sentence in statement.sentences for verb, sign in sentence.stance.items() if sign < 0}
