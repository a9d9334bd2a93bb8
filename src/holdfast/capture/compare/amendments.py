"""The cues of supersession: the words by which people revise what was settled before, and what two texts would
have to hold before it is worth reading them.

How cues are weighed is in `revision`. Patterns are matched against the words of one sentence as `statement` reads
them: lower case, contractions written out, pauses as words of their own.

Signs are told at first sight, from a text's words alone. Every answer may be a false yes, never a false no; a test
holds that against the judgements. Nothing is decided here.
"""

import re
from functools import cached_property

from msgspec import Struct

from holdfast.capture.compare.statement import (
    AXES,
    EXAMINED_CHARS,
    NEGATORS,
    NUMBER_WORDS,
    ReadText,
    join_phrases,
    stem,
    tokens,
)
from holdfast.model.patterns import regex
from holdfast.stores.topics import topic_of


class Cue(Struct, frozen=True):
    """Words that announce a change, and how much of the topic must be shared before they are believed."""

    name: str
    pattern: re.Pattern[str]
    of_smaller: float  # share of the smaller topic
    of_union: float  # share of both topics together
    whole_text: bool = False  # speaks for all sentences, not only its own
    numbers: bool = False  # means something only where numbers differ
    targeted: bool = False  # means something only where the old memory is about what it names
    slot: bool = False  # means something only where the same thing gets another number
    permits: bool = False  # means something only where what it allows was forbidden


def _words(pattern: str) -> re.Pattern[str]:
    return regex(rf"(?<!\S)(?:{pattern})(?!\S)")


_SHIFT_VERBS = (
    r"(?:switch(?:es|ed|ing)?|mov(?:e|es|ed|ing)|migrat(?:e|es|ed|ing)|chang(?:ed|ing)|convert(?:ed|ing)?)"
)
_SIZE_VERBS = (
    r"bump(?:s|ed|ing)?|rais(?:e|es|ed|ing)|increas(?:e|es|ed|ing)|lower(?:s|ed|ing)?|reduc(?:e|es|ed|ing)|"
    r"decreas(?:e|es|ed|ing)|upgrad(?:e|es|ed|ing)|extend(?:s|ed|ing)?|shorten(?:s|ed|ing)?|"
    r"doubl(?:e|es|ed|ing)|"
    r"halv(?:e|es|ed|ing)|cut|up|down|tighten(?:s|ed|ing)?|relax(?:es|ed|ing)?|set|chang(?:ed|ing)"
)
_RETIREMENT = (
    r"dropp(?:ed|ing)|deprecat(?:ed|ing)|discontinued|obsolete|retir(?:ed|ing)|abandon(?:ed|ing)|"
    r"remov(?:ed|ing)|"
    r"(?:is|are) (?:gone|out)|phased out|sunset|scrapp(?:ed|ing)|ditch(?:ed|ing)"
)
_AS_OF = r"as of (?:now|today|tomorrow|next|this|version|release|v?\d\S*|\w+day)"
_FORMER = r"(?:previous|earlier|old|original|former|last)"

CUES = (
    Cue("amendment", _words(r"amend(?:s|ed|ing|ments?)?|supersed(?:e|es|ed|ing)|correction :"),
        0.3, 0.15, whole_text=True),
    Cue("update", _words(r"(?:update|revised|revision|new rule|new policy) :"), 0.45, 0.3, whole_text=True),
    Cue("change of mind", _words(
        r"chang(?:ed|ing) (?:our|my|their|the) (?:mind|minds|plan|plans)|on second thoughts?|"
        r"(?:revers|revis|revert)(?:s|ed|ing)? (?:the|our|that) (?:\w+ )?(?:decision|choice|rule)|"
        rf"(?:overrides?|replaces?|ignore|forget|instead of|contrary to|unlike) (?:the|our|my) {_FORMER}"),
        0.3, 0.15, whole_text=True),
    Cue("no longer", _words(r"no longer|not (?:\S+ ){1,12}any ?more"), 0.45, 0.25, targeted=True),
    Cue("after all", _words(r"after all"), 0.5, 0.3),
    Cue("back to", _words(r"(?:back|revert(?:s|ed|ing)?|return(?:s|ed|ing)?) to"), 0.4, 0.2),
    Cue("instead of", _words(r"instead of|in place of|in favou?r of"), 0.5, 0.3),
    Cue("not", _words(r"[,;] (?:and )?not"), 0.4, 0.2, targeted=True),
    Cue("instead", _words(r"instead(?! of)"), 0.6, 0.35),
    Cue("switched", _words(rf"{_SHIFT_VERBS} (?:\w\S* ){{0,8}}?(?:to|onto|into|away from|off)"), 0.5, 0.3),
    Cue("replaced", _words(r"replac(?:e|es|ed|ing)|swapp(?:ed|ing) (?:\w\S* ){1,6}(?:for|with)"), 0.5, 0.25),
    Cue("retired", _words(_RETIREMENT), 0.4, 0.2, targeted=True),
    Cue("from now on", _words(
        rf"from now on|from today|{_AS_OF}|since (?:v|version)? ?\d\S*|going forward|effective|henceforth|"
        r"starting (?:next|with|from|in|on)"), 0.5, 0.3),
    Cue("resized", _words(rf"(?:{_SIZE_VERBS}) (?:\w\S* ){{0,12}}?(?:to|from|by)"), 0.5, 0.3, numbers=True),
    Cue("now", _words(r"now"), 0.5, 0.45),
    Cue("another value", _words(
        rf"(?:{_SIZE_VERBS}|go|goes|going|let|lets|cap|limit) (?:\w\S* ){{0,6}}?(?:to|at)|do \d\S*|from today"
        rf"|we on|re on|are on|"
        rf"from (?:the )?\d\S*|{_AS_OF}|now"),
        0.6, 0.0, slot=True),
    Cue("allowed", _words(
        r"(?:you|we|i|they|agents?|everybody|everyone) may (?!be )\w+|(?:is|are) (?:ok|okay|fine|allowed)"
        r"|can now"),
        0.0, 0.0, whole_text=True, permits=True),
    Cue("given up", _words(
        r"(?:forget|drop|scrap|ditch|kill) (?:about )?(?:the|our|all|any|that)|(?:is|are) (?:out|gone)"
        r"|forward only"),
        0.3, 0.1, targeted=True),
)  # fmt: skip

SWITCHES = regex(
    rf"{_SHIFT_VERBS} (?:the |our |all )?(?P<thing>(?:[\w./]+ ){{1,4}}?)(?:to|over to|onto) (?P<value>[^,;:]+)"
)
"""What is switched, and to what."""

_NAME = r"(?P<target>(?:[\w./]+ ){0,4}?[\w./]+)"
_ENDS = (
    r"(?= (?:to|for|in|on|with|by|at|from|and|as|is|are|because|since|any|anymore|support|completely|"
    r"entirely|[,;:])|$)"
)

TARGETS = (
    (
        "no longer",
        regex(rf"no longer (?:use|uses|using|need|want|support|supports|run|allow) {_NAME}{_ENDS}"),
    ),
    ("no longer", regex(rf"not (?:use|using|need|want|support|run|do) {_NAME} any ?more")),
    ("no longer", regex(rf"^{_NAME} (?:is|are) no longer (?:used|needed|supported|in use|required)")),
    ("instead of", regex(rf"(?:instead|in place) of {_NAME}{_ENDS}")),
    ("not", regex(rf"[,;] (?:and )?not {_NAME}{_ENDS}")),
    ("switched", regex(rf"{_SHIFT_VERBS} (?:\w\S* ){{0,4}}?(?:from|off|away from|off of) {_NAME}{_ENDS}")),
    ("replaced", regex(rf"(?:replac(?:e|es|ed|ing)|swapped|swapping) {_NAME} (?:with|by|for|in|$)")),
    ("replaced", regex(rf"^{_NAME} (?:was|were|is|are|has been|have been|got|being) (?:\w+ )?replaced")),
    ("replaced", regex(rf"replaces {_NAME}{_ENDS}")),
    ("retired", regex(rf"(?:{_RETIREMENT}) {_NAME}{_ENDS}")),
    (
        "given up",
        regex(rf"(?:forget|drop|scrap|ditch|kill) (?:about )?(?:the |our |all |any |that )?{_NAME}{_ENDS}"),
    ),
    ("given up", regex(rf"(?:^|[,;:] ){_NAME} (?:is|are) (?:out|gone)")),
    (
        "retired",
        regex(rf"(?:^|[,;:] ){_NAME} (?:(?:was|were|is|are|has|have|been|now|being) )+(?:{_RETIREMENT}|gone|out)"),
    ),
)
"""Cue and pattern whose group `target` names what is given up."""

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
"""Of every cue above, a word that it does not go without."""

ALIKE = 0.5
"""The share of their topics that texts that say nearly the same have in common, with room for other counts."""


class Signs(Struct, frozen=True):
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
