"""The words by which people decide, doubt, agree, correct and take back. Constants only; `reading` applies them.

Patterns are matched against one sentence in lower case, with code replaced by `code`, typographic quotes made
plain and emphasis removed. They name forms of speech, never subjects: nothing here may depend on what a project
is about.
"""

from holdfast.model.patterns import regex

TYPE_CHECKING = False  # typing's own, without importing typing
if TYPE_CHECKING:
    from re import Pattern


def within(*patterns: str) -> "Pattern[str]":
    """Return the form of whole words anywhere in a sentence."""
    return regex(rf"(?<![\w-])(?:{'|'.join(patterns)})(?![\w-])")


def opens(*patterns: str) -> "Pattern[str]":
    """Return the form of words that open a sentence."""
    return regex(rf"^\W*(?:{'|'.join(patterns)})(?![\w-])")


QUESTION = opens(
    r"(?:and |so |but |or |then |also |ok(?:ay)?,? )?(?:should|could|would|can|shall|do|does|did|is|are"
    r"|was|were|has|have|will|may)"
    r" (?:we|you|i|it|they|there|this|that|the|these|those|anyone|anybody|somebody)",
    r"what (?:if|about)|how about|why not|any (?:idea|thoughts|chance)",
    r"(?:and |so |but |ok(?:ay)?,? )?(?:(?:which|whose|who|whom)(?! (?:means|is why))|why|what(?! (?:we"
    r"|i|you|they|counts"
    r"|matters|remains))|how(?! (?:we|it|i|they|you|to)))(?= [^,:]{3,})",
    r"(?:and |so |but )?(?:where|when) (?:do|does|did|should|would|will|can|could|must|is|are)"
    r" (?:we|you|i|it|they|the|that|this)",
)
"""A sentence that asks, with or without its mark."""

REQUESTS = within(r"(?:can|could|would|will) you|please|mind (?:if|\w+ing)")
"""A question that asks for something to be done."""

HYPOTHESIS = within(
    r"maybe|perhaps|possibly|potentially|probably|presumably|hypothetically|ideally|conceivably|in theory",
    r"might|could(?!n't| not)|may (?:be|want|well|also|need)",
    r"(?:i|we|you|they)(?:'d| would)(?! (?:had|been|like you to))|(?:it|that|this|one|which|there|option"
    r"|idea)(?:'d| would)",
    r"what if|how about|why not|suppos(?:e|ing)|imagine|let's say|say we|if it were|were i|if we (?:ever"
    r"|were)",
    r"i (?:think|guess|suppose|suspect|believe|feel|wonder|assume|imagine|doubt|hope|expect)"
    r"|i'm (?:guessing|thinking)",
    r"(?:feels?|seems?|sounds?|looks?) (?:like|as if)|not (?:entirely |quite |really )?sure|unsure"
    r"|no idea yet",
    r"leaning|inclined|tempt(?:ed|ing)|my (?:first |gut )?(?:instinct|thought|hunch|guess|idea|inclination"
    r"|suspicion)",
    r"(?:was|am|i'm|been|started) (?:thinking|wondering|considering|toying)|wondering|consider(?:ing)?"
    r"|curious",
    r"(?:i|we)(?:'d)? (?:suggest|propose|recommend|vote)|suggestion|proposal|proposed|(?:one|another|two"
    r"|an?) (?:option|alternative|idea|way)s?",
    r"options? (?:is|are|would)|alternatively|alternatives?(?: is| would)",
    r"worth (?:a|an|adding|trying|considering|looking|checking|keeping|thinking|doing|exploring|it)",
    r"let me think|think about (?:it|whether)|still (?:discussing|thinking|deciding|open)|to be decided|tbd"
    r"|undecided|(?:not|never|nothing|n't|nobody)(?: \w+)? (?:decided|agreed|settled)|no (?:decision|agreement)"
    r"|open question|(?<!of )(?<!matter )whether|either (?:we|i|you|they)|likely"
    r"|(?:planning|plan|intend|hope|hoping) to|need to (?:decide|think|discuss|ask|see|check)",
    r"at some point|some ?day|one day|eventually|in the future|down the (?:road|line)|next time"
    r"|sooner or later|on the radar",
    r"we (?:should|ought to|can|may)(?! (?:not|never|only))|we shouldn't have|i (?:can|could)|we'll see"
    r"|let's (?:see|wait|try|keep it in mind|discuss|talk)",
    r"rather not decide|experiment(?:al(?:ly)?)?|for the sake of|if (?:you|we) (?:want|like|prefer|need)"
    r"|if needed|feel free",
)  # fmt: skip
"""Thinking aloud, proposing, offering: never a decision, whatever else the sentence holds."""

TENTATIVE = opens(
    r"(?:rfc|draft|proposal|idea|options?|suggestion|recommendation|question|open questions?)(?! \d)[^:]{0,60}:"
    r"|(?:settled|decided|agreed)(?: \w+){0,2}:\s*(?:nothing|none)"
)
"""A label that says of what follows that it is not decided."""

TELLS = within(
    r"(?:he|she|they|someone|somebody|people|folks)(?: \w+){0,3} (?:said|says?|claim(?:s|ed)?|thinks?"
    r"|thought|wrote"
    r"|writes?|argue[sd]?|insist(?:s|ed)?)"
)
"""What somebody else has said, and the speaker only passes on."""

PASSING = within(
    r"for now|for the moment|for the time being|right now|not yet|yet|just this once|this (?:time|once)"
    r"|(?:in|on|for|with) this (?:file|test|function|class|method|script|one|page|pr|pull request"
    r"|branch|commit|change|task|ticket|session|run|step"
    r"|round|patch|diff)"
    r"|until (?:i|you|we (?:have|know|hear|decide|talk|see|get)|tomorrow|monday|tuesday|wednesday"
    r"|thursday|friday|the weekend)"
    r"|(?:before|by|on) (?:tomorrow|tonight|monday|tuesday|wednesday|thursday|friday|the weekend|lunch)"
    r"|tonight|in the meantime|meanwhile|temporarily"
)
"""Words that bind what is said to the moment: an order, however strict, and no rule."""

STRONG = within(
    r"must(?! have)|mustn't|ha(?:s|ve) to|required|mandatory|obligatory|never|always|strictly"
    r"|(?<=\w )(?:exactly|precisely)(?! (?:that|it|this|what|right|because))"
    r"|absolute(?:ly)?(?= \w)(?! (?:sure|certain|right))",
    r"only|solely|nothing (?:else|but)|nowhere else|no one else|nobody|no other|every other"
    r"|everything else|anything else|all others?",
    r"at most|at least|no (?:more|less|fewer|later|earlier) than|up to \S*\d\S*|max(?:imum)?|min(?:imum)?"
    r"|cap(?:s|ped)?(?: \w+){0,3} (?:at|to)|limited? to",
    r"not (?:allowed|permitted|acceptable|negotiable|eligible)|forbidden|prohibited|banned|off.limits"
    r"|rejected|non-negotiable|disallowed",
    r"no exceptions?|full stop|period|under no circumstances|regardless|unconditional(?:ly)?|no matter"
    r"|whatever|even (?:if|when)",
    r"(?:do not|don't)(?! (?:know|think|see|understand|remember|care|mind|need|believe|(?:like"
    r"|want) (?:it|that|this)))"
    r"|does not|doesn't|must not|cannot|can't|may not|shall not|won't|nor|neither"
    r"|not(?= \w+ (?:nor|or|but))|unless|except",
    r"everywhere|(?:all|every|each|any|no)(?: [\w-]+){1,4} (?:needs?|requires?|gets?)",
    r"shall|mandates?|guarantees?|deliberate(?:ly)?|by definition|in all cases|in any case|each and every",
)  # fmt: skip
"""Words of a rule: what is bound, bounded or excluded."""


MILD = within(
    r"should(?:n't)?|will|gets?|goes|stays?|remains?|keeps?|kept|wins?|leads?|needs? to|ought to|may",
    r"(?:is|are) (?:\w+ )?(?:kept|stored|written|ordered|sorted|treated|handled|returned|raised|dropped"
    r"|ignored|rounded|capped|used|chosen|applied|compared|retried|logged|recorded|disabled|enabled)",
    r"first|then|before|after|instead of|rather than|over|in favou?r of|per|by default|otherwise|when"
    r"|whenever|plus|and not|, not",
)  # fmt: skip

_SUBJECT = (
    r"(?:we|the team|everyone|everybody|they|all of us|management|ops|security|legal|finance|design"
    r"|product)"
)
DECIDES = within(
    r"from (?:now|here|today|this (?:point|release|version|sprint)) on(?:wards?)?|going forward|henceforth"
    r"|as of (?:today|now)",
    rf"{_SUBJECT}(?:'ve| have| has)? (?:just |all |finally )?(?:decided?|agreed|settled|voted|chose"
    rf"|concluded|picked|signed (?:it |that |this )?off|approved)",
    r"we(?:'re| are) (?:going (?:with|for|to use)|sticking (?:with|to)|staying (?:with|on)|moving (?:to"
    r"|from|off)|switching|using|keeping|dropping|not (?:using|doing|going))",
    r"we(?:'ll| will) (?:use|go (?:with|for)|keep|stick|stay|do|have|not)|let's (?:go with|use|do|make it"
    r"|stick|keep|lock|standardi[sz]e|settle)",
    r"(?:is|are|it's|that's|that is|this is|consider (?:it|that)) (?:final|settled|decided|agreed|official"
    r"|a given|not up for (?:debate|discussion))",
    r"(?:that's|that is|this is|here's) (?:(?:the|our|my) (?:\w+ )?)?(?:rule|policy|decision|contract"
    r"|convention|standard|call|verdict|agreement)",
    r"(?:the|our|my|that) (?:\w+ ){0,2}(?:rule|policy|decision|contract|convention|agreement|verdict"
    r"|invariant) (?:is|stays|stands|holds|has to|must|says|will)",
    r"that's (?:what|how) (?:we|it)(?:'ll| will|'re| are)?|(?:so|then) we (?:stay|stick|go|remain|keep"
    r"|continue|use|drop)|signed (?:it |that |this )?off|has (?:been )?decided|was decided",
    r"(?:explicitly |already )?(?:approved|rejected|ruled out)|(?:not|isn't|non-?) ?negotiable|(?:ops|team"
    r"|architecture|product|design) decision",
    r"we (?:only|always|never|no longer|now) (?:use|do|ship|support|accept|allow|run|write|keep|store"
    r"|deploy|merge|log|send)|no longer (?:holds|applies|valid)|(?:is|are) (?:out|gone|over) as of",
)  # fmt: skip
"""Words that perform a decision: whoever says them in earnest has decided."""


_MATTER = (
    r"(?:rules?|polic(?:y|ies)|decisions?|contract|plan|agreement|convention|outcome|resolution"
    r"|requirements?|spec(?:ification)?|semantics|behaviou?r|design|approach|order|settings?)"
)
LABEL = regex(
    r"^\W*(?:(?:ok(?:ay)?|great|perfect|good|alright|right|so|and|then|understood|got it|noted|excellent"
    r"|agreed|thanks|just|now|yes)\b[\s,.!:–—-]*)*"
    r"(?:(?P<label>"
    rf"(?:the )?(?:final|full|complete|quick|short|brief|agreed|settled|amended|updated|revised|resulting"
    rf"|official|confirmed)(?:[ -]\w+){{0,3}}? (?:{_MATTER}|recap|weights?|list|map|values?)"
    r"|(?:(?:quick|short|brief) )?summary of (?:what|the|our) [^:]{0,30}?(?:agreed|decided|settled"
    r"|decisions?|rules?|polic(?:y|ies))"
    rf"|{_SUBJECT}(?:'ve| have)? (?:decided?|agreed|settled)"
    r"|settled|final(?! (?:thought|question|note|thing|step|point|comment|remark|word|nit|check|touch))"
    r"|decided|decision|(?:quick |full |short )?recap|amended|confirmed|verdict|resolved|locked in|policy"
    r"|the rule|rule"
    r"|(?:to|let me|just to) (?:sum(?:mari[sz]e)?(?: up)?|recap|restate|confirm|be (?:explicit|clear"
    r"|precise))|putting (?:it|this|that|everything) (?:all )?together|that (?:gives|leaves) us(?: with)?"
    r"|summing up|bottom line"
    rf"|(?:amending|updating|changing|replacing|superseding|restating|recapping) (?:the|our"
    rf"|that)(?: \w+){{0,3}}? {_MATTER}"
    rf"|(?:so |and |then |here(?:'s| is) |that is |that's )*(?:the|our|this"
    rf"|that)(?: \w+){{0,2}}? {_MATTER} (?:is|are|then is|becomes)"
    r"|(?:that|this|here)(?:'s| is)(?: then)? (?:the|our|what) (?:\w+ ){0,2}(?:rule|policy|decision|agreed"
    r"|decided|settled|plan|contract|do)"
    r")(?!\w)(?P<rest>[^:;.!?—–]{0,90}?)(?:\s*[:—–]|\s-)\s|agreed:\s)",
)
"""The opening of a sentence that says what was agreed: `Final:`, `Recap of the lifecycle:`, `So the rule is:`."""

RECAP_HEAD = regex(
    r"\b(?:settled|final|decided|decisions?|recap|agreed|amended|verdict|agreement|rules?"
    r"|polic(?:y|ies)|contract)\b"
)
"""The same in a heading or a line that introduces a list."""

ACKNOWLEDGES = opens(
    r"(?:ok(?:ay)?|great|perfect|good|alright|right|sure|yes|ah|excellent|clear|thanks"
    r"|thank you)?[\s,.!–—-]*"
    r"(?:understood|got it|noted|clear(?: now)?|makes sense|will do|roger|acknowledged|confirmed|agreed"
    r"|fair enough|copy that|check|perfect|excellent|you(?:'re| are) (?:absolutely |completely )?right"
    r"|my apologies|thanks|ok(?:ay)?|right|yes|exactly|so|then)"
)

CONFIRMS = opens(
    r"(?:yes|yep|yup|yeah|right|exactly|precisely|correct|agreed|confirmed|approved|absolutely|perfect"
    r"|excellent|lgtm|deal|done|\+1|ship it|go ahead|go for it|do (?:it|that|so)|please do|sounds good"
    r"|sounds right|looks good|works for me|fine by me|fine with me|good|great|amen|spot on|that's (?:it"
    r"|right|correct|the one|fine|good|perfect|what i (?:want|meant)|exactly (?:it|right|what))"
    r"|that is (?:it|right|correct|the one)|that works|that's (?:the|our) (?:rule|policy|decision|one|plan"
    r"|call)|all (?:correct|good|unchanged|yes)|ok(?:ay)?,? (?:do|go|ship|that's|let's)|let's (?:do|go"
    r"|lock|ship|keep)|leave it|keep it|lock it|make it so|merge it)",
)
"""A person agrees, in so many words."""

UNDERSTANDS = within(
    r"makes (?:total |perfect |a lot of |more |complete )?sense|i see|good to know|good (?:point|call|idea"
    r"|catch|question|thinking|plan|thought|memory|observation)|interesting|cool|nice|neat|thanks"
    r"|thank you|helpful|helps|"
    r"got it|gotcha|fair (?:point|enough)|good to hear|i (?:didn't|had no) know|clarifies|cheers"
    r"|i remember|i recall|that explains"
)
"""A person has understood or is polite: this settles nothing."""

SETTLES = within(
    r"lock (?:it|that|this) in|exactly that|leave it (?:at|as|like|there|that way)|keep it (?:at|as"
    r"|like|that way)|"
    r"that's (?:the|our) (?:\w+ )?(?:one|rule|policy|decision|plan|call|exception|contract)|that's (?:it"
    r"|final|settled|right|correct|what we want)|(?:rule|policy|decision) (?:going forward|from now on"
    r"|stands|holds)|"
    r"approved|confirmed|signed off|settled|final|exactly (?:that|those|this|these|right|it)"
    r"|precisely that|don't (?:touch|change) (?:the rest|anything else|it)|"
    r"that's (?:exactly )?(?:it|what (?:i|we) (?:want|need|meant)(?:ed)?)"
    r"|that's how (?:it|we|this|i|all|every)|(?:stays?|keep(?:s|ing)? it"
    r"|leave it) (?:that|this) way|nothing to add|final answer|no changes|as (?:you )?(?:said|stated"
    r"|described|summari[sz]ed)"
)
"""A person not only agrees but closes the matter."""

PERMITS = within(
    r"ship it|go ahead|go for it|make it so|merge it|do (?:it|that)|please do|works for me"
    r"|sounds (?:good|right|great)"
    r"|lgtm|yes please|let's do (?:it|that|this)"
)
"""A person lets the agent go on: consent to what it is about to do."""

DEFERS = within(
    r"let me (?:ask|check|think|see|talk|sleep|find|look|get)|(?:i|we)(?:'ll| will| need(?: to)?| must"
    r"| have to| want to)?"
    r" (?:ask|check|think|sleep|wait|get back|come back|talk to|discuss)|wait(?:ing)? (?:for|until"
    r"|till)|hold on|not sure"
    r"|(?:get|come) back to|sleep on|(?:ask|check with) \w+|collecting feedback"
)
"""A person puts the matter off, in however friendly words."""

CONDITIONS = within(r"wait|ask|first|later|tomorrow")
"""What turns a short "yes" into a "not yet"."""

CONTRASTS = within(
    r"but|except|however|although|though|with one|one (?:change|precision|correction|exception|thing|more)"
    r"|not quite|almost|nearly|just make|instead|unless|only if|with the exception"
)

REJECTS = opens(
    r"(?:hm+|uh|oh|well|sorry|hey|ok(?:ay)?|wait|careful|stop|whoa)?[\s,.!–—-]*"
    r"(?:no(?! (?:problem|worries|need|rush|idea|one|doubt|thanks))|nope|nah|not (?:quite|exactly|really"
    r"|that|what|so|like)|wrong|incorrect|that(?:'s| is) (?:not|wrong|incorrect)"
    r"|that (?:won't|doesn't|isn't|would|breaks?)|"
    r"too (?:strict|loose|broad|narrow|aggressive|conservative|short|long|high|low|much|early|late)|almost"
    r"|careful|neither|never|absolutely not|please don't|don't|i don't want|we (?:can't|cannot|don't"
    r"|tried)|it'?s not|it isn't|only [^.]{1,40} won't|"
    r"hold on|wait|actually|i disagree|disagree|i don't (?:like|agree|think|believe|buy)"
    r"|not (?:convinced|happy|a fan)|rather|the other way|wrong way|on second thoughts?)"
)
"""A person corrects what was just said."""

AGREES = opens(
    r"yes|yep|yeah|ok(?:ay)?|good|great|perfect|nice|right|exactly|agreed|sure|cool|fine|true|totally"
    r"|absolutely|makes sense"
    r"|got it|gotcha|interesting|fair|ah|oh|definitely|precisely|that makes|understood"
)
"""A person begins by agreeing, or by having understood."""

CORRECTS = regex(
    r"^\W*(?:(?:hm+|uh+|oh|ok(?:ay)?|wait|well|hey|god|sorry)[\s,.!–—-]*)?(?:no\b(?! (?:problem|worries"
    r"|need))|nope|nah|stop"
    r"|wait|hold on|don'?t|do not|not |wrong|that'?s not|that is not|never|actually|why|you (?:did|just"
    r"|forgot|missed)"
    r"|i (?:said|meant|asked|told|don'?t want)|instead|uhh|again)",
)
"""A person begins by turning something down: a no, a stop, a why, a "you did"."""

TAKES_BACK = within(
    r"scrap (?:that|it|this|the|my)|forget (?:that|it|what i|about (?:that|it|the))|never ?mind"
    r"|on second thoughts?|(?:i|we)(?:'ve| have)? changed (?:my|our) minds?|change of (?:plan|mind)|"
    r"(?:i|we) take (?:that|it) back|disregard (?:that|my|the|what)|ignore (?:that|what i|my (?:last"
    r"|previous|earlier))|undo (?:that|it|the decision)|roll (?:that|it) back|revert (?:that|it"
    r"|the decision)|"
    r"actually,? no|wait,? no|no longer (?:holds|valid|applies|true)|not (?:doing|going with"
    r"|using) (?:that|it|this)(?: any ?more| after all)?|off the table|strike that|cancel that"
    r"|reopen(?:ing)?|back to the drawing board|(?:was|were) wrong (?:about|to)|i was mistaken|hold off"
    r"|put (?:that|it) on hold|(?:won't|not|n't)(?: [\w-]+){1,6} after all|vetoed"
)
"""What was agreed no longer holds."""

REPORTS = within(
    r"(?:was|were|had|did|used to)(?! not allowed)|remember(?:ed|s)|(?:i|we|you|they)(?: \w+)? remember"
    r"|remember (?:when|how|that|the|our)|recall(?:ed)?|back (?:when|then)"
    r"|originally|historically|previously|years? ago|months? ago|a while (?:ago|back)|last (?:week|year"
    r"|month|night|quarter|sprint)|yesterday|"
    r"(?:we|i|they|you|he|she|it) (?:\w+ly )?(?:added|fixed|moved|switched|dropped|changed|introduced"
    r"|considered|discussed|noticed|saw|found|tried|shipped|landed|wrote|made|got|ended|started|wanted"
    r"|needed|thought|addressed|merged|removed|implemented)"
    r"|i (?:\w+ly |just |also |now |then )?(?!need|feed|embed|speed|proceed|exceed)\w{2,}ed"
)
"""Telling what happened."""


WARNS = within(
    r"careful|beware|watch out|warning|caution|be aware|heads.?up|danger(?:ous)?|gotcha|pitfall|footgun"
    r"|do not ever|never ever|will (?:break|corrupt|lose|delete|wipe|destroy)|(?:breaks?|corrupts?|loses"
    r"|wipes?|destroys?|deletes) (?:the|all|every|production|data)"
)

ERRORS = within(
    r"\w+(?:error|exception)s?|errors?|exceptions? (?:in|when|on|at|while|from)|fail(?:s|ed|ing|ures?)?"
    r"|crash(?:es|ed|ing)?|traceback|broken|broke|breaks|bug|regression|hangs?|timeouts?|timed out"
    r"|segfaults?|panics?|does(?:n't| not) work|not working|out of memory|refused|flaky|wrong (?:result"
    r"|value|order|output)s?"
)

RESOLVES = within(
    r"(?:is|are|was|were|now|been|got|it's|that's)? ?(?:fixed|resolved|solved|repaired|patched)"
    r"|fix(?:es)? (?:it|that|this|the)|the fix (?:is|was)|root cause|turned out|(?:was|were|is) caused by"
    r"|the (?:problem|cause|culprit|reason|issue) (?:is|was)|works (?:now|again|fine now)|(?:tests?|suite"
    r"|build|everything|all \w+) (?:now )?(?:pass(?:es)?|green)|no longer (?:fails?|crashes|hangs|breaks"
    r"|happens|occurs)|workaround"
)

PROGRESS = within(
    r"to-?dos?|next (?:steps?|up|i'll)|remaining (?:work|tasks?|steps?|items?|points?|files?)"
    r"|still (?:to do|missing|open|needs?)|not (?:yet )?(?:done|finished|implemented|started)|left to do"
    r"|in progress|blocked (?:on|by)|done so far|\d+ of (?:the )?\d+ (?:\w+ )?(?:done|complete|pass(?:ing"
    r"|ed)?|migrated|finished)|action(?:able)? items?|open (?:points?|questions?|ends?|items?)|follow-?ups?"
)

_VERBS = (
    "use keep drop set store make add remove delete cap limit order sort apply treat return raise ignore"
    " skip reject refuse allow accept write "
    "put run retry log record preserve compare round count leave stop avoid prefer merge move rename"
    " replace wrap validate normalise normalize "
    "check require forbid ban disable enable serve send read encode escape quote strip trim round floor"
    " clamp pick take choose start end fail throw "
    "emit expose hide cache purge expire lock unlock hash sign encrypt redact mask pin bump tag name call"
    " document test mock stub never always no only "
    "don't do split group join match mark map default follow match ship build deploy release stick stay"
    " switch answer reply page show print format inject enforce interpolate"
)


def _participles(verbs: str) -> list[str]:
    """Return the regular forms in which somebody tells that he does or did what these verbs say."""
    forms: dict[str, None] = {}
    for verb in (word for word in verbs.split() if word.isalpha() and len(word) > 2):
        stem = verb[:-1] if verb.endswith("e") else verb
        forms |= dict.fromkeys(f"{stem}{double}{end}" for double in ("", stem[-1]) for end in ("ed", "ing"))
    return list(forms)


IMPERATIVE = opens(
    r"(?:(?:and|so|then|just|please|also|instead|first|second|third|finally|but|no|yes|ok(?:ay)?"
    r"|right)\b[\s,.!–—-]*)*(?:go (?:with|for)|" + "|".join(dict.fromkeys(_VERBS.split())) + r")"
)
"""A sentence that opens with what to do."""

_WORK = (
    r"(?:run|rerun|show|print|open|read|check|find|look|search|test|build|start|stop|restart|push|pull"
    r"|fetch|revert"
    r"|undo|create|recreate|generate|write|rename|move|copy|delete|remove|add|fix|debug|implement"
    r"|translate|explain"
    r"|describe|summari[sz]e|review|try|install|bump|upgrade|update|change|replace|refactor|convert"
    r"|migrate|document"
    r"|commit|merge|deploy|release|tag|format|clean|extract|split|continue|finish|put|paste|give|tell|list"
    r"|make (?:a|an|the|this|that|these|those|sure|me))"
)
TASK = opens(
    r"(?:(?:and|so|then|just|please|pls|also|instead|now|next|ok(?:ay)?|can you|could you|try to)\b[\s,.!–—-]*)*"
    rf"(?:{_WORK}|[a-z]+ (?:[^.;:]{{1,80}} )?and (?:then )?{_WORK})"
)
"""An order of work: carried out once, and done."""

_DOING = (
    r"(?:adding|removing|renaming|running|rerunning|fixing|creating|deleting|moving|updating|changing"
    r"|replacing|rewriting"
    r"|implementing|generating|reverting|building|rebuilding|installing|pushing|merging|deploying"
    r"|bumping|checking|looking"
    r"|searching|opening|closing|bisecting|converting|refactoring|continuing|starting|stopping"
    r"|restarting|switching|writing"
    r"|making|putting|migrating|translating|applying|setting|reading|testing|extracting|splitting|cleaning|working"
    r"|added|removed|renamed|ran|reran|fixed|created|deleted|moved|updated|changed|replaced|rewrote"
    r"|implemented|generated"
    r"|reverted|built|rebuilt|installed|pushed|merged|deployed|bumped|checked|looked|searched|opened"
    r"|closed|bisected"
    r"|converted|refactored|started|stopped|restarted|switched|wrote|made|migrated|translated|applied"
    r"|tested|extracted"
    r"|split|cleaned)"
)
_PARTICIPLES = "(?:" + "|".join(_participles(_VERBS)) + ")"
DOES = opens(
    r"(?:(?:ok(?:ay)?|sure|great|right|understood|got it|yes|alright|will do|now|then|and)\b[\s,.!:–—-]*)*(?:"
    rf"{_DOING} (?:the|a|an|all|every|each|both|it|them|this|that|these|those|your|my|code|up|out|on|in|with|to)"
    rf"|{_DOING}(?: [\w-]+){{1,3}} (?:to|in|into|from|on|out|with|for|at|against|and|under)"
    rf"|{_PARTICIPLES} (?:(?:the|a|an|all|every|each|both|it|them|this|that|these|those|your|code)\b"
    r"|[\w-]+ (?:in|to|from|into) (?:the|all|every|each|both|code|\d))"
    r"|here(?:'s| is| are)|done|finished|i'm \w+ing|(?:my |the )?plan)"
)
"""An agent says what it is doing or has done: it carries out an order, whose words it then repeats."""

VALUE = regex(
    r"(?<![\w#])(?:\d+(?:[.,:]\d+)*\s?(?:%|x\b|ms\b|s\b|kb\b|mb\b|gb\b|\w+)?|(?:one|two|three|four|five"
    r"|six|seven|eight|nine|ten|twelve|zero|half|double|twice|once)\b)"
)
"""A number, or a word for one."""

RESTATES = opens(
    r"(?:ok(?:ay)?[\s,.]*)?(?:got it|understood|clear|noted|right|so|then|confirmed|agreed|roger"
    r"|check)\s*(?:[:–—,]|-\s)"
)
"""An agent says that it has understood, and goes on to say what."""


NOW = regex(r"(?<!from )(?<!right )\bnow\b(?! on)")
"""Said of what has just been changed."""

INTENDS = within(
    r"i(?:'ll| will| am going to|'m going to|'m about to| won't)|let me|my plan|i(?:'ve| have) (?:just |now "
    r"|already )?\w+(?:ed|en)|as (?:you can see|suspected|expected|shown)"
)
"""An agent says what it will do or has done; that is no statement of a rule, even where it repeats one."""

EMPTY_HANDED = opens(
    r"(?:let me know|thanks|thank you|glad|happy to|you're welcome|no problem|good (?:luck|job|work|catch"
    r"|point|question|idea)|great (?:work|job|question|point)|hey|hi|hello|sorry|apologies|excellent work)"
)
"""Courtesy."""
