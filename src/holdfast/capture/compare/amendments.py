"""The cue table of supersession: the words by which people revise what was settled before.

Constants only; how they are weighed is in `revision`. Patterns are matched against the
words of one sentence as `statement` reads them: lower case, contractions written out, pauses as words of
their own.
"""

import re

from holdfast.model.patterns import regex
from holdfast.model.value import Value


class Cue(Value):
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
