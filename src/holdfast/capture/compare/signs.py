"""What two texts would have to hold before it is worth reading them: told at first sight, from their words alone.

A prefilter. Every answer may be a false yes, never a false no; a test holds that against the judgements. Nothing
is decided here.
"""

from holdfast.capture.compare.amendments import CUES
from holdfast.capture.compare.opposites import AXES, NEGATORS
from holdfast.capture.compare.statement import NUMBER_WORDS, join_phrases
from holdfast.capture.compare.topic import EXAMINED_CHARS, stem, tokens
from holdfast.model.patterns import regex
from holdfast.model.value import Value
from holdfast.stores.topics import topic_of

_WORD = regex(r"\w+")
_NEGATIVE_VERBS = frozenset().union(*(negative for _, _, negative in AXES))
_OPPOSING = NEGATORS | {"off", "out", "rid", "t"}
"""What turns a verb round; the last four as parts of "turn off", "leave out", "get rid of" and "don't"."""

_ORDERING = frozenset({"over", "instead", "rather"})
_VALUING = NUMBER_WORDS.keys() | {
    "use", "uses", "using", "every", "default", "minimum", "maximum", "main", "primary", "preferred", "official",
    "only", "base", "current",
}  # fmt: skip
_REVISING = frozenset(
    """amend amends amended amending amendment amendments supersede supersedes superseded superseding correction
    update revised revision rule policy changed changing thought thoughts revers reversed reversing revising
    revert reverts reverted reverting override overrides replace replaces replaced replacing ignore forget
    instead contrary unlike longer anymore more after back return returns returned returning place favor favour
    not t switch switches switched switching move moves moved moving migrate migrates migrated migrating convert
    converted converting swapped swapping dropped dropping deprecated deprecating discontinued obsolete retired
    retiring abandoned abandoning removed removing gone out phased sunset scrapped scrapping ditched ditching
    now today of since forward effective henceforth starting bump bumps bumped bumping raise raises raised
    raising increase increases increased increasing lower lowers lowered lowering reduce reduces reduced
    reducing decrease decreases decreased decreasing upgrade upgrades upgraded upgrading extend extends extended
    extending shorten shortens shortened shortening double doubles doubled doubling halve halves halved halving
    cut up down tighten tightens tightened tightening relax relaxes relaxed relaxing set rather""".split()
)
"""Of every cue of `amendments`, a word that it does not go without."""

ALIKE = 0.5
"""The share of their topics that texts that say nearly the same have in common, with room for other counts."""


class Signs(Value):
    """What stands out in a text."""

    topic: frozenset[int]
    revises: bool
    opposes: bool
    orders: bool
    values: bool


def signs_of(text: str) -> Signs:
    """Look at a text."""
    words = frozenset(_WORD.findall(text[:EXAMINED_CHARS].lower()))
    return Signs(
        topic=frozenset(topic_of(text)),
        revises=not words.isdisjoint(_REVISING),
        opposes=not words.isdisjoint(_OPPOSING)
        or not _NEGATIVE_VERBS.isdisjoint(map(stem, words))
        or any(word.startswith("avoid") for word in words),
        orders=not words.isdisjoint(_ORDERING),
        values=not words.isdisjoint(_VALUING) or any(word[0].isdigit() for word in words),
    )


def announces(text: str) -> bool:
    """Say whether a text holds a cue of an amendment, in one of its sentences or across them."""
    joined_words = " ".join(join_phrases(tokens(text)))
    return any(cue.pattern.search(joined_words) for cue in CUES)


def worth_comparing(later: Signs, earlier: Signs) -> bool:
    """Say whether one text may contradict the other, or say nearly the same."""
    if later.opposes or earlier.opposes:
        return True
    if (later.orders and earlier.orders) or (later.values and earlier.values):
        return True
    shared_count, total_count = len(later.topic & earlier.topic), len(later.topic) + len(earlier.topic)
    return 2 * shared_count >= ALIKE * total_count
