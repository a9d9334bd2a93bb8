"""How much a person's sentence sounds like something that lasts: a rule, a wish, a correction, a fact.

No single word tells. Strong ones are rare in what lasts and common in complaints, and most rules are said softly,
in passing, inside an order or as a correction. So forms of speech and the place in the talk each add or take
points, fitted on labelled talk of several projects, each judged by the others (docs/decisions/0083). Forms only,
never subjects. What is done with a sentence that has enough of them is decided in `decisions`.
"""

from collections.abc import Callable

from msgspec import Struct

from holdfast.capture.sessions.findings.reading import SentenceReading
from holdfast.capture.sessions.findings.wording import opens, within
from holdfast.model.patterns import regex

TYPE_CHECKING = False  # typing's own, without importing typing
if TYPE_CHECKING:
    from re import Pattern

LEAD = (
    r"(?:(?:and|so|but|then|also|ok(?:ay)?|yes|yeah|no|nope|nah|well|now|hm+|please|pls|just|again|anyway"
    r"|great|good|nice"
    r"|right|btw|listen|for the record|in future|in general)\b[\s,.!:–—-]*)*"
)
"""What stands before the word that a sentence really opens with."""

_ALWAYS = within(r"always|never|ever|every time|in all cases|at all times|forever|nobody|no ?one|nothing")
_LASTS = within(
    r"from (?:now|today|here|this point) on|in (?:the )?future|going forward|next time|any ?more|remember"
    r"|keep in mind"
    r"|for the record|as a rule|generally|in general|by default|from today|lesson"
)
_EVERYWHERE = within(
    r"everywhere|anywhere|nowhere|across|throughout|later on|re-?use\w*|easier|at all|in all|for all|every|each"
)
_STATE = within(
    r"(?:is|are|isn't|aren't|gets?|stays?)(?: \w+)? (?:not|just|only|already|always|never|generated|used|kept"
    r"|stored|done"
    r"|allowed|forbidden|needed|required|supported|deprecated|separate|static|fixed|read|pinned|rounded"
    r"|overwritten|out)"
)
_WANTS = within(
    r"(?:i|we)(?: \w+)? (?:want|prefer|like|hate|love|expect|decided)|(?:i|we) (?:do not"
    r"|don't) (?:\w+ )?(?:want|like)"
    r"|(?:i|we)(?:'d| would) (?:like|prefer|rather)|you (?:may|are to)"
)
_LIKES = within(
    r"i(?: \w+)? (?:want|prefer|like|hate|love)|i (?:do not|don't) (?:\w+ )?(?:want|like)|i(?:'d"
    r"| would) (?:like|prefer|rather)"
    r"|my (?:preference|taste)|for my taste"
)
"""What one person likes; what "we" want is a decision."""

_PREFERS = opens(
    LEAD
    + r"i(?: (?:strongly|really|always|generally|usually|much))? prefer(?! (?:to see|option|the (?:first|second)))"
)

_KEEPS = within(
    r"keep|leave|stay|stays|stick|remains?|belongs?|lives? in|goes (?:in|via|through|into|to)|go (?:through"
    r"|via|in|into)"
    r"|takes precedence|put up with"
)
_DECIDES = within(
    r"let'?s (?:keep|stick|use|go|cap|do|make|call|have|put)|that'?s (?:our|the|now|settled|agreed|final)"
    r"|settled|agreed"
    r"|we(?:'re| are) (?:going|using|on|sticking|staying|not)|we(?:'ll| will) (?:use|keep|stay|go|stick|not)"
    r"|we (?:\w+ )?(?:use|stay|stop|go|keep|never|always|only|support|don't|do not|no longer)|decided|it is$"
)
_USES = opens(LEAD + r"(?:use|keep|leave|stay|stick|prefer|make sure|ensure|be sure|follow|treat|take|ask me)")
_ONLY = within(r"just|only|exactly|solely|nothing else|nowhere else|instead|at least|at most|no more than")
_MYSELF = within(r"(?:i'?ll|i will|i do|i can)(?: \w+){0,4} (?:myself|that part)|myself|ask me|tell me|with me")
_SHOULD = within(
    r"should(?:n't)?|ought to|supposed to|meant to|ha(?:s|ve) to|must(?:n't)?|may not|needs? (?:to|a|an)"
)
_WILL = within(r"will|going to")
_FORBIDS = regex(
    r"(?:^\W*|[,.;:–—-] ?|(?<![\w-])(?:and|or|so|but|listen|in future|please|pls|then|to) )"
    r"(?:no|not|never|nothing|nobody|don'?t|do not|stop|avoid) (?!need|problem|worries|idea|sure|now|yet|really"
    r"|longer|way|see|know|think|matter|wait|good|bad|too|so |much|more|less|forget)\w",
)
_CONTRAST = within(
    r"instead|rather than|rather|except|unless|not (?:in|the|a|an|on|as|by|through|at|with|against|to|for"
    r"|from|via)"
)
_COMMA_NOT = regex(r", (?:and )?not |\bnot \w+(?: \w+)?$")
_IS = within(r"is|are|means|gets?|isn't|aren't")
_NO_NEED = within(
    r"no need|not need(?:ed)?|don'?t need|needn'?t|not necessary|don'?t care|doesn'?t (?:matter|care|need)"
)
_REASON = within(
    r"because|since|cause|otherwise|so that|so (?:we|i|you|it|that|clients|they|there)|that'?s (?:what|why"
    r"|how)|reason"
    r"|in case|or (?:we|else|it)"
)
_PRESENT = within(
    r"is|are|isn't|aren't|has|have|gets?|goes|go|stays?|needs?|must|takes?|uses?|use|belongs?|lives?|comes?"
    r"|runs?|keeps?"
    r"|returns?|don't|doesn't|do|does|should|can"
)
_BARE = regex(
    rf"^\W*{LEAD}(?!(?:i|you|we|it|this|that|these|those|they|the|there|here|my|can|could|is|are|do|does|did"
    rf"|what|why|how"
    r"|let|lets|let's|please|if|when|add|make|use)\b)[a-z_<@'/.-]+(?: [a-z_<>@'/.-]+){0,4}?"
    r" (?:is|are|has|have|gets?|goes|go|stays?|needs?|must|should|shouldn't|don't|doesn't|can|can't|never"
    r"|always|only|not"
    r"|takes?|uses?|belongs?|lives?|comes?|runs?|calls?|wins?|returns?|keeps?)\b"
)
_EXPLICIT = regex(
    rf"^\W*{LEAD}(?:remember(?::|,| (?!when|how|the time|our|last|if|back))|from now on|keep in mind|don'?t forget"
    rf"|note that|for the record)"
    r"|(?<![\w-])from now on(?![\w-])|(?:^|[,.;:] |and |please )remember (?:that|this|to|it)(?![\w-])"
    r"|(?:^|[,.;:] |please )keep (?:that|this|it) in mind(?![\w-])",
)
"""A person asks for it to be remembered, or says from when on it holds."""

_COMMANDS = regex(
    r"(?:^\W*|[,;.:!–—-] |(?<![\w-])(?:and|but|so|please|pls|or|again) )(?:please |pls )?(?:always|never"
    r"|do not ever|don'?t ever) "
    r"(?!(?:mind|a|an|the|been|was|were|had|got|happens?|works?|gets?|good|nice|better|again|really"
    r"|quite)\b)\w|, (?:never|always|ever)\W*$"
    r"|please always",
)
"""A clause without a subject that opens with "always" or "never": said to who does the work, for every time."""

_LABELS = regex(
    r"^\W*(?:(?:ok(?:ay)?|so|then|and)\b[\s,]*)*(?:(?:the|our|new|final|amended|house|we) )*(?:rule|policy"
    r"|convention|decision"
    r"|settled|decided|agreed|lesson|reminder|recap|final|amendment|amended)(?: is| (?:of|for|on"
    r"|to) [^:]{1,40}|, [^:]{1,40})?\s*:",
)
"""A person says of what follows that it is settled."""

_JUDGES = within(
    r"(?:is|are|was|it's|that's|be)(?: \w+){0,3} (?:good|great|nice|neat|cool|clean(?:er)?|tricky|subtle"
    r"|painful?|a pain|powerful"
    r"|crucial|elegant|reasonable|fine|clever|interesting|helpful|annoying|surprising|relief)|always (?:a|get"
    r"|good|nice)|makes sense"
    r"|good (?:to know|point|call|idea|catch)|driving me"
)
"""Praise and sighs."""

_EXPLAINS = within(
    r"(?:it|that|this|which|they)(?:'s| is| are)? (?:like|similar|implies|means|essentially|basically"
    r"|technically|about|because"
    r"|also|already|almost)|(?:isn't|is not|not) just|for instance|for example|technically|essentially"
    r"|basically|implies"
    r"|which is|which (?:means|makes)|kind of|sort of|something like|there(?:'s| is) (?:quite|a)|definitely"
    r"|certainly|honestly"
)
"""Somebody explains how something works, to himself or to others."""

_BLAMES = within(
    r"you (?:did|didn'?t|just|forgot|missed|left|broke|were|had|are not|made|put|\w{3,}ed)|you'?re (?:\w+ing"
    r"|not)|you'?ve"
    r"|why (?:did|are|on earth|would|so|didn'?t you)|are you \w+ing|did you|didn'?t (?:that|you)|i (?:said"
    r"|asked|told|meant)"
)
_VALUE = regex(r"\d")
_ORDERS = opens(
    LEAD
    + r"(?:(?:first|next|finally|go ahead and|lets?|let's|can you|could you|i want you to|we need to|i need to"
    r"|need to)"
    r"[\s,]+)*(?:add|fix|run|rerun|show|write|create|make|change|update|remove|delete|rename|move|check|look"
    r"|find|implement"
    r"|try|give|explain|help|commit|push|merge|review|read|open|build|test|continue|do|address|investigate"
    r"|replace|start|set"
    r"|see|think|proceed|draft|get|extract|convert|install|swap|sort|scan|search|list|tell|compare|analy[sz]e"
    r"|refactor|put"
    r"|go|print|copy|paste|undo|revert|redo|figure|describe|summari[sz]e|generate|prepare|deploy|debug|clean"
    r"|split|improve"
    r"|document|verify|allow|hide|display|mark|raise|drop|trigger|squash|requeue|save)"
)
_SEES = within(
    r"i (?:see|get|got|ran|tried|can see|noticed|thought|just|still|deleted|added|did|undid)|i'?m (?:seeing"
    r"|getting)"
    r"|here'?s|(?:it )?(?:seems|looks)"
)
_TROUBLE = within(
    r"errors?|fails?|failed|failing|broken|crash\w*|bugs?|doesn'?t work|not working|does(?:n'?t| not) (?:show"
    r"|seem)|still"
    r"|wrong|issues?|problems?"
)
_SIMPLE_PAST = within(r"was|were|did|had|got|went|tried|thought|saw|found|used to|\w{3,}ed")
_GOING_ON = within(r"(?:we're|i'm|it's|is|are|you're) (?!going)\w+ing")
_PERSON = within(r"i|you|me|my|your|i'm|i'll|i've|you're|you've")
_REVISES = within(
    r"(?:switch|move|go|goes|raise|lower|increase|reduce|change|bump|extend|cut|up|down|back"
    r"|migrate)(?: \S+){0,6}? to"
    r"|no longer|no more|(?:is|are) (?:out|gone|now|ok(?:ay)? now)|we're on|forget (?:the|about)"
    r"|not .{1,40} any ?more"
)
_ASKS_WORK = within(r"can you|could you|would you|can we|could we|kindly")


class TalkPosition(Struct, frozen=True):
    """Where in the talk a turn of a person stands."""

    replies: bool = False
    """Whether an agent spoke before it."""
    opens: bool = True
    """Whether it is the first of its session."""
    corrects: bool = False
    """Whether it begins by turning something down."""
    interrupts: bool = False
    asked: bool = False
    """Whether the agent had just asked something."""
    understands: bool = False
    """Whether it says that something is clear now, or thanks for it."""
    agrees: bool = False
    """Whether it begins by agreeing."""
    asks: bool = False
    """Whether it also asks something: who asks is still discussing."""
    discusses: bool = False
    """Whether the person has so far mostly asked and understood: a talk about code, not work on it."""
    pasted: bool = False
    """Whether most of it is nobody's word."""
    heard: frozenset[str] = frozenset()
    """The content words of what the agent said last."""
    words: int = 0
    sentences: int = 1


class Remark(Struct, frozen=True):
    """A sentence, and where in its turn and in the talk it stands."""

    reading: SentenceReading
    moment: TalkPosition
    place: int

    @property
    def cue(self) -> str:
        """Its words as the forms expect them."""
        return self.reading.cue

    @property
    def length(self) -> int:
        """Its words."""
        return len(self.reading.cue.split())

    @property
    def brief_reply(self) -> bool:
        """Whether it stands in a short answer to an agent."""
        return self.moment.replies and self.moment.words <= BRIEF

    @property
    def binding(self) -> int:
        """How many forms of a rule it holds."""
        return sum(form.search(self.cue) is not None for form in _RULES)

    @property
    def contrasts(self) -> bool:
        """Whether it sets one thing against another."""
        return bool(_CONTRAST.search(self.cue) or _COMMA_NOT.search(self.cue))

    @property
    def orders(self) -> bool:
        """Whether it opens with a piece of work."""
        return bool(_ORDERS.search(self.cue) or _ASKS_WORK.search(self.cue))

    @property
    def revalues(self) -> bool:
        """Whether it gives something another number."""
        return bool(_REVISES.search(self.cue) and _VALUE.search(self.cue))

    @property
    def states_in_reply(self) -> bool:
        """Whether it answers an agent by saying how all things of a sort are: "vouchers never expire"."""
        return self.brief_reply and not self.moment.opens and _BARE.search(self.cue) is not None

    @property
    def states_fact(self) -> bool:
        """Whether it says how things are, of nobody in particular."""
        other_forms = (_PERSON, _SIMPLE_PAST, _GOING_ON)
        is_statement = (
            not self.reading.question
            and not self.orders
            and not any(form.search(self.cue) for form in other_forms)
        )
        return is_statement and bool(_PRESENT.search(self.cue))


EXPLICIT_POINTS = 20
"""Points of words that ask for it; given, not fitted: they are rare, and nobody says them without meaning it."""

COMMAND_POINTS = 12
"""Points of a command for every time; given, not fitted, for the same reason."""

BRIEF = 40
"""Words of a short answer."""

_RULES = (_ALWAYS, _EVERYWHERE, _ONLY, _SHOULD, _FORBIDS, _CONTRAST, _KEEPS, _LASTS, _REASON)


def _has(form: "Pattern[str]") -> Callable[[Remark], bool]:
    return lambda remark: form.search(remark.cue) is not None


FORMS: tuple[tuple[int, str, Callable[[Remark], bool]], ...] = (
    (COMMAND_POINTS, "commands", _has(_COMMANDS)),
    (EXPLICIT_POINTS, "explicit", lambda remark: is_explicit(remark.reading)),
    (6, "always", _has(_ALWAYS)),
    (6, "lasts", _has(_LASTS)),
    (4, "everywhere", _has(_EVERYWHERE)),
    (5, "state", _has(_STATE)),
    (10, "wants", _has(_WANTS)),
    (7, "keeps", _has(_KEEPS)),
    (9, "decides", _has(_DECIDES)),
    (8, "uses", _has(_USES)),
    (8, "myself", _has(_MYSELF)),
    (4, "should", _has(_SHOULD)),
    (7, "will", _has(_WILL)),
    (5, "forbids", _has(_FORBIDS)),
    (8, "forbids in a brief reply", lambda remark: remark.brief_reply and _FORBIDS.search(remark.cue) is not None),
    (3, "contrasts", lambda remark: remark.contrasts),
    (5, "is", _has(_IS)),
    (7, "no need", _has(_NO_NEED)),
    (2, "revises", _has(_REVISES)),
    (8, "revises by a value", lambda remark: remark.revalues),
    (3, "reason", _has(_REASON)),
    (3, "two forms of a rule", lambda remark: remark.binding >= 2),
    (4, "three forms of a rule", lambda remark: remark.binding >= 3),
    (5, "plain present with a value", lambda remark: remark.states_fact and _VALUE.search(remark.cue) is not None),
    (4, "bare subject in a brief reply", lambda remark: remark.states_in_reply),
    (9, "blames", _has(_BLAMES)),
    (-6, "order alone", lambda remark: remark.orders and remark.binding == 0),
    (-2, "supposes", lambda remark: remark.reading.hypothesis),
    (-7, "judges", _has(_JUDGES)),
    (-4, "explains", _has(_EXPLAINS)),
    (-3, "agrees before", lambda remark: remark.moment.agrees and remark.place > 0),
    (-6, "understands", lambda remark: remark.moment.understands),
    (-6, "asks beside", lambda remark: remark.moment.asks),
    (-12, "in a discussion", lambda remark: remark.moment.discusses),
    (-4, "sees", _has(_SEES)),
    (-6, "trouble", _has(_TROUBLE)),
    (-3, "past", _has(_SIMPLE_PAST)),
    (-3, "going on", _has(_GOING_ON)),
    (-6, "person", _has(_PERSON)),
    (-5, "three words", lambda remark: remark.length <= 3),
    (-3, "eight words", lambda remark: 4 <= remark.length <= 8),
    (8, "corrects first", lambda remark: remark.moment.corrects and remark.place == 0),
    (3, "corrects with a rule", lambda remark: remark.moment.corrects and remark.binding > 0),
    (8, "interrupts", lambda remark: remark.moment.interrupts),
    (-3, "first sentence", lambda remark: remark.place == 0 and remark.moment.sentences > 1),
    (-6, "opens the session", lambda remark: remark.moment.opens),
    (3, "on the agent's topic", lambda remark: len(remark.reading.topic & remark.moment.heard) >= 2),
    (-2, "eight sentences", lambda remark: remark.moment.sentences >= 8),
    (-4, "twelve words in all", lambda remark: remark.moment.words <= 12),
    (-4, "pasted", lambda remark: remark.moment.pasted),
)  # fmt: skip
"""Points in tenths of a logit, the form of speech or the place in the talk that earns them, and its test."""


OF_PLACE = frozenset(
    ("three words", "eight words", "twelve words in all", "first sentence", "opens the session", "person")
)
"""Forms that speak against a sentence for its length and place: not against one that says it in so many words."""


def points(remark: Remark) -> int:
    """Return how much a sentence sounds as if it should last."""
    says_it_plainly = is_explicit(remark.reading) or commands(remark.cue) or _PREFERS.search(remark.cue)
    spared_forms = OF_PLACE if says_it_plainly else frozenset()
    return sum(weight for weight, name, has in FORMS if name not in spared_forms and has(remark))


def blames(reading: SentenceReading) -> bool:
    """Say whether a sentence holds up to the agent what it did."""
    return _BLAMES.search(reading.cue) is not None


def is_explicit(reading: SentenceReading) -> bool:
    """Say whether a person asks in so many words that something be remembered, or calls it settled."""
    return asks_for_memory(reading) or (not reading.hypothesis and _LABELS.search(reading.cue) is not None)


def asks_for_memory(reading: SentenceReading) -> bool:
    """Say whether a person asks for it to be remembered, or says that it holds from now on."""
    return not reading.hypothesis and _EXPLICIT.search(reading.cue) is not None


def commands(cue: str) -> bool:
    """Say whether a clause tells whoever does the work what to do always, or never."""
    return _COMMANDS.search(cue) is not None


def forbids(cue: str) -> bool:
    """Say whether a sentence forbids something."""
    return _FORBIDS.search(cue) is not None


def wishes(cue: str) -> bool:
    """Say whether a sentence says what its speaker likes, or keeps for himself."""
    return bool(_LIKES.search(cue) or _MYSELF.search(cue))


def revises(cue: str) -> bool:
    """Say whether a sentence gives something another value, or gives it up."""
    return _REVISES.search(cue) is not None
