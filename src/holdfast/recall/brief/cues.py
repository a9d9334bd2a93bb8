"""The words by which people settle, ask, accept and refuse. Constants only; `deciding` weighs them.

They were gathered from development chats before their weights were set, and none is a phrase of one data set.
Texts are compared in lower case.
"""

from holdfast.model.patterns import regex


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SETTLES = regex(
    r"(?:(?:ok(?:ay)?|alright|great|good|excellent|perfect|right|yes|yep)[,.!]? (?:so |then )?)?"
    r"(?:final|settled|agreed|decided|decision|confirmed|recorded|noted|done|understood|got it|changed|"
    r"updated|recap|"
    r"summary|amended|amending|so|then|removed|added|set)\b[^.?!\n]{0,60}?(?::|—|–| - |,)"
)
"""How a text begins that says what was settled."""

RECAPS = (
    "recap", "in summary", "to summarise", "to summarize", "to sum up", "in short", "bottom line",
    "to be explicit", "the final ", "the agreed ", "the whole rule", "the new rule", "the new policy",
)  # fmt: skip
CHOOSES = (
    "we decided", "i decided", "we agreed", "we settled", "we chose", "we picked", "go with", "going with",
    "went with", "we switched", "we're switching", "we are switching", "we moved", "we are moving", "we're moving",
    "i moved", "we adopt", "we standardi", "we take", "we consolidated", "team voted", "we'll use", "we use",
    "ship it",
)  # fmt: skip
RULE_NOUNS = _words(
    "rule policy contract convention standard limit default ceiling order requirement threshold timeout period "
    "format budget schedule"
)
COPULAS = _words("is are becomes become stays stay remains remain will should")
FORWARD_WORDS = _words("now instead stays stay unchanged remains remain henceforth anymore")
FORWARD_PHRASES = ("going forward", "from today", "as of", "no longer", "any more")
RULE_WORDS = _words(
    "must mustn't never always only exactly forbidden require required requires cap caps capped limit "
    "limits limited "
    "unless except don't keep keeps drop drops ignore ignored win wins tie ties ordered ascending "
    "descending first "
    "reject rejects rejected stays stay remains remain no every everything"
)
RULE_PHRASES = (
    "at most", "at least", "no more than", "not allowed", "do not", "has to", "have to", "by default",
)  # fmt: skip
NUMBER_WORDS = _words(
    "one two three four five six seven eight nine ten twelve fifteen twenty thirty forty sixty ninety"
)
ORDERS = _words(
    "use keep make set put cut raise lower drop add remove store sort round name write take go do don't "
    "never always "
    "fall flag retry cap stop start send sign lock log run build return reject ignore allow require prefer avoid "
    "treat show hide delete order record leave widen move switch change update limit mark merge deploy cache skip "
    "apply compare emit"
)
FILLERS = _words("please then just so yes ok okay no right and but also")
"""Words that may stand before an order."""

DOUBT_WORDS = _words(
    "maybe might perhaps wonder wondering probably possibly curious remember could would seem seems "
    "hunch potentially"
)
DOUBT_PHRASES = (
    "i think", "i guess", "what if", "not sure", "i was looking", "i was just", "i was thinking", "i was digging",
    "i was reviewing", "i was checking", "feels like", "feel like", "thinking aloud",
)  # fmt: skip
CHATS = regex(
    r"(?:yeah|yep|exactly|absolutely|definitely|totally|good (?:point|question|call|catch|to know)|"
    r"(?:that )?makes sense|"
    r"sounds (?:good|like)|right,|ah|interesting|hey|oh|smart|nice|cool|mostly|spot on|thanks|that's a good)\b"
)
"""How a text begins that goes on with a chat."""

THANKS = _words("thanks thank appreciate appreciated cheers")

PERSONAL = _words("i i'm i'd i'll i've you you're")
ACCEPTS = regex(
    r"(?:right|yes|yep|exactly|correct|perfect|that's (?:the|it|right|what)|that\b|agreed|ship it|sounds "
    r"good|works|"
    r"fine|merged|good|great|nice|leave it|keep it|ok(?:ay)?|done|do that|approved|lgtm|confirmed)\b"
)
REFUSES = regex(
    r"(?:no\b|nope|not\b|wait|hmm|careful|almost|too \w+|actually|but\b|wrong|hold on|hang on|it's not|we tried|"
    r"only on|oh\b|that (?:breaks|won't|doesn't|hides))"
)

TAKES_BACK = regex(
    r"(?:oh\b|wait|hmm|scrap|actually|on second thought|never ?mind|forget (?:it|that)|true,|too \w+|fair\b|"
    r"i changed my mind|sorry|correction)"
)
"""How somebody begins who thinks better of what they said before."""

SORTS: dict[str, tuple[str, ...]] = {}
"""What each single word tells, so that a text is gone through once."""
for _name, _group in (
    ("rule", RULE_WORDS),
    ("number", NUMBER_WORDS),
    ("doubt", DOUBT_WORDS),
    ("personal", PERSONAL),
    ("forward", FORWARD_WORDS),
    ("thanks", THANKS),
    ("noun", RULE_NOUNS),
    ("order", ORDERS),
):
    for _word in _group:
        SORTS[_word] = (*SORTS.get(_word, ()), _name)

NARRATES = regex(
    r"(?:(?:perfect|great|excellent|good|ok(?:ay)?|alright|now|first|next|then|so|and|but|hmm?)[,.!:]*\s+)*"
    r"(?:i(?:'ll| will|'m| am|'ve| have|'d| would| see| need| can| found| think| notice)|let me|let's|looking at|"
    r"here(?:'s| is| are)|now (?:i|let)|you're (?:absolutely )?right)\b"
)
"""How an agent tells what it does."""
