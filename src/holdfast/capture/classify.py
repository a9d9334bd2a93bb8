"""Say what kind of memory a text is, from the cues in it.

A caller's own kind is never asked about. Light: the table is compiled on first use.

A cue is a regular expression over whole words, case ignored (`(?-i:…)` where case carries meaning). Texts are
matched after file names were replaced by `FILE` and code in backticks by `CODE`. Weights: 4 and more says it
alone; 2 to 3 is a strong hint; 1 and below only tips the scales. A negative weight speaks against.

Every cue counts once, where it first occurs: one and a half times among the opening words (the verb there says
what the sentence is about: "Decided to add retries" is a decision), half in later sentences. The best sum wins,
ties go to the kind that comes first in `PRIORITY`, and below `FLOOR` the text is an observation. Only the first
2,000 characters are read, which also bounds the time.
"""

import re
from functools import cache

from holdfast.model.kinds import OBSERVATION
from holdfast.model.patterns import regex
from holdfast.text.names import FILE, SYSTEM_ERRORS

# Order settles ties: what binds future work before what merely happened, the specific before the general.
PRIORITY = (
    "decision", "warning", "preference", "bugfix", "error", "refactor", "discovery", "feature",
    "task_progress", "architecture", "pattern", "file_change", "change", "fact", OBSERVATION,
)  # fmt: skip

_CHANGE_VERBS = (
    r"edit(?:ed|s)?|modif(?:y|ied|ies)|delet(?:e|ed)|creat(?:e|ed)|renam(?:e|ed)|touch(?:ed)?|wrote|written|"
    r"updat(?:e|ed)|mov(?:e|ed)|remov(?:e|ed)|saved?|add(?:ed)?|chang(?:e|ed)|"
    r"overwr(?:ote|itten)|regenerated|formatted"
)
_FAILS = (
    r"fail(?:s|ing)?|crash(?:es|ed|ing)?|abort(?:s|ed|ing)?|tim(?:es|ed|ing) out|hangs?|hung|"
    r"rais(?:es|ed) an?|rejected|refus(?:es|ed)|"
    r"breaks?|throws?|threw|dies|died|panic(?:s|ked)?|blows? up|errors out"
)
_PERSON = r"(?:i|we|user|users|she|he|they|maintainers?|team|boss|client|(?-i:[A-Z][a-z]+))"

CUES: tuple[tuple[str, float, str], ...] = (
    # decision
    ("decision", 4, r"decid(?:e|es|ed|ing)|(?<!no )decisions?(?! (?:table|tree))|settled(?: on| for| that)?"),
    ("decision", 3.5, r"chose|chosen|choos(?:e|es|ing)|opt(?:ed|ing)? (?:for|to|out|against)|ruled out"
     r"|ruling out"),
    ("decision", 3.5, r"agreed (?:to|on|that|with)|agreement|went (?:with|for)|go(?:ing)? with|final call"
     r"|verdict"),
    ("decision", 3, r"picked|selected|concluded|committed to|resolved (?:in|at|during|to)"
     r"|sign(?:ed)? (?:\w+ )?off(?: on)?|approved"),
    ("decision", 2.5, r"we(?:'ll| will| are going to|'re going to| won't| are not going to)"),
    ("decision", 3, r"st(?:ick|icking|uck|ay|aying) (?:with|to)|the plan is|plan(?:s|ned|ning)? to"
     r"|(?:is|are) (?:in|out) and"),
    ("decision", 3.5, r"(?:mov|go)(?:e|ing) (?:ahead|forward) with|vot(?:e|ed|es) (?:for|to|against)"
     r"|(?<!no )consensus|(?<!no )conclusion|reject(?:ed)? the"),
    ("decision", 3, r"(?:a|an|the) (?:yes|no|go-ahead|green light) (?:to|for)|it is(?=[;.,]|$)"),
    ("decision", 2.5, r"postponed?|deferred|prioriti[sz]ed?|adopt(?:ed|ing|s)?|will use"
     r"|(?:we're|we are) (?:using|keeping|dropping|moving|going)"),
    # An amendment is a decision again: it must not fade sooner than the rule that it replaces.
    ("decision", 6, r"amend(?:s|ed|ing|ments?)?|supersed(?:e|es|ed|ing)"),
    ("decision", 3, r"(?:was|were|got|is) (?:turned down|rejected|accepted|ruled out|dropped)|stays(?=[;.,]|$)"),
    ("decision", 3, r"will be (?:\w+ ){1,6}(?:not|rather|instead)|will be \w+ed|(?:it is|won) over"),
    ("decision", 2.5, r"from now on|going forward|new rule|new policy"),
    ("decision", 1.5, r"in favou?r of|trade-?offs?|rather than|adr"),
    # warning
    ("warning", 4, r"under no circumstances|whatever you do|beware|watch out|careful(?:ly)?|caution|warning:?"
     r"|danger(?:ous)?|be aware"),
    ("warning", 3.5, r"must(?:n't| not| never)|may not|^never|avoid(?:s|ed|ing)?|make sure not"
     r"|at your own risk"),
    ("warning", 3, r"forbidden|prohibited|not allowed|off.limits|stay away|keep away|pitfalls?|gotchas?"
     r"|footguns?"),
    ("warning", 2.5, r"should(?:n't| not| never)|cannot safely|is not safe|not (?:thread|concurrency).safe"),
    ("warning", 2.2, r"do not|don't|never"),
    ("warning", 2.5, r"(?:keep|bear) in mind|wipes?|destroys?|deletes (?:all|every|the)|breaks everything"
     r"|remember not to"),
    ("warning", 2, r"will break|(?:can|may|might) (?:break|cause|corrupt|lose)|leads? to|think (?:twice|before)"
     r"|not safe|shared with|fragile"),
    # "Restarting the broker drops all messages": doing one thing does harm.
    ("warning", 3.5, r"^\w+ing (?:\S+ ){1,5}(?:drops?|loses?|deletes?|wipes?|breaks?|kills?|discards?|corrupts?)"),
    ("warning", 1.5, r"risky|unsafe|destructive|irreversible|data loss|corrupts?|overwritten|leaks? secrets"),
    # preference
    ("preference", 4.5, r"prefer(?:s|red|ring|ence|ences)?|(?:would|'d) rather"
     r"|(?:don't|doesn't|do not|does not) like"),
    ("preference", 4, rf"{_PERSON}(?: also| really)? (?:likes?|loves?|hates?|dislikes?|favou?rs?|enjoys?)"
     rf"|dislikes?"),
    ("preference", 3.5, r"please|i want you to|i(?:'d| would) like|my (?:favou?rite|usual|go-to)"),
    ("preference", 3, r"(?:user|she|he|(?-i:[A-Z][a-z]+)) wants?|ask me|i find|i expect|for my taste"),
    ("preference", 2.5, r"(?:answer|reply|respond|write) in (?-i:[A-Z][a-z]+)|i'd appreciate|in my opinion"
     r"|i (?:always )?(?:want|need)"),
    # What is asked of the assistant itself.
    ("preference", 3, r"(?:answers?|repl(?:y|ies)|explanations?|summar(?:y|ies)) (?:short|brief|concise|in)"
     r"|(?:skip|leave out|no) the (?:summary|preamble|introduction|explanations?)"),
    ("preference", 3, r"(?:for|to|tell|ask|show|send|give) me|you (?:write|say|show|propose|explain)|don't ask"),
    ("preference", 3.5, r"(?-i:[A-Z][a-z]+) wants"),
    ("preference", 2, r"personally|favou?rs?|to my taste|style of choice"),
    # bugfix
    ("bugfix", 4, r"bug-?fix(?:es)?|hot-?fix(?:es|ed)?"),
    ("bugfix", 3.5, r"fix(?:es|ed|ing)?|works? again|work(?:s|ed|ing)? ?around(?: for)?|workaround"),
    ("bugfix", 3, r"resolv(?:e|es|ed|ing)|solv(?:e|es|ed|ing)|repair(?:s|ed|ing)?|patch(?:es|ed|ing)"
     r"|correct(?:ed|s|ing)"),
    ("bugfix", 2, r"(?:is|are|was|were|been) (?:now )?(?:fixed|solved|resolved|repaired|corrected|patched)"),
    ("bugfix", 2, r"bugs?|(?:issue|problem) (?:with|where|that|in)|restored|address(?:ed|es)|mitigated"
     r"|eliminated|stopped"),
    ("bugfix", 5, r"prevent(?:s|ed|ing)? (?:an?|the) (?:\w+ )?"
     r"(?:crash|error|leak|race|deadlock|exception|loop|failure)"),
    ("bugfix", 3, r"handl(?:e|es|ed|ing) (?:the )?(?:null|empty|missing|undefined|none|edge|case)"
     r"|to avoid (?:an?|the) (?:\w+ )?(?:crash|error|exception|leak)"),
    ("bugfix", 4.5, r"(?:no longer|does not|doesn't|don't) "
     r"(?:crash|fail|throw|leak|hang|break|los|freez)(?:e?s|e)?(?: any ?more)?"),
    ("bugfix", 4.5, r"no longer (?:\w+ ){1,4}(?:wrong|stale|duplicated?|incorrect|garbled|broken|missing|twice)"),
    ("bugfix", 3, r"^(?:escaped|guarded|closed|released|quoted|clamped|initiali[sz]ed|synchroni[sz]ed)"
     r"|properly|correctly"),
    ("bugfix", 1.5, r"(?:is|are) gone|went away|go(?:es)? away|disappear(?:s|ed)?|(?:was|were) wrong"
     r"|which stops"),
    ("bugfix", 1, r"crash(?:es|ed|ing)?|errors?|regressions?|leaks?|race|deadlocks?|off-by-one|null check"
     r"|typos?|broken"),
    # error
    ("error", 4, r"(?-i:[A-Z]\w*(?:Error|Exception|Warning))(?=:| in\b| when\b| on\b| at\b| while\b| after\b)"
     r"|traceback|seg(?:mentation )?fault|stack ?trace|core dump(?:ed)?"),
    ("error", 1.5, rf"(?:{_FAILS}|failed) (?:with|on|when|after|if|at|because|in|to|for)"
     rf"|(?:{_FAILS}|failed):"),
    ("error", 2.5, rf"(?<!no longer )(?<!not )"
     rf"(?:{_FAILS}|failed (?:with|on|when|after|if|at|because|in|to))"),
    ("error", 2, r"(?-i:[A-Z]\w*(?:Error|Exception))"
     r"|(?:connections?|requests?|jobs?|messages?) (?:drops?|hangs?|disappears?|vanish)"),
    ("error", 3, r"(?:does not|doesn't|won't|will not|(?<=\w )do not) "
     r"(?:start|work|compile|load|respond|build|run)|not working|unresponsive|stuck"),
    ("error", 1.5, r"flaky|intermittent(?:ly)?|freez(?:es|ing)|corrupt(?:ed)?|unexpected(?:ly)?|undefined"
     r"|randomly|sporadic(?:ally)?"),
    ("error", 3, rf"(?-i:ERR!|{SYSTEM_ERRORS})|errno|panics?|oom|out of memory"),
    ("error", 2.5, r"exit(?:s|ed)?(?: with)? (?:code|status)|reports? \d+ errors?"
     r"|(?:http|status|returns?|a|an|gets?|getting|got) [45]\d\d"),
    ("error", 3, r"(?:is|are) (?:red|broken|down|failing|unreachable)|connection refused|permission denied"
     r"|no such file"),
    ("error", 2.5, r"(?:cannot|can't|could not|couldn't|unable to|failed to) "
     r"(?:find|connect|open|load|resolve|import|read|parse|start|reach)"),
    ("error", 1.5, r"errors?|exceptions?|still (?:broken|unresolved|failing|open)|(?:un|not )resolved"
     r"|already (?:allocated|in use)"),
    ("error", 1, r"cannot|can't|could not|couldn't|unable to|missing|not found|denied"),
    # refactor
    ("refactor", 5, r"refactor(?:s|ed|ing|ings)?|restructur(?:e|es|ed|ing)"),
    ("refactor", 3.5, r"re-?organi[sz](?:e|es|ed|ing)|inlin(?:e|es|ed|ing)|consolidat(?:e|es|ed|ing)"
     r"|decoupl(?:e|es|ed|ing)"),
    ("refactor", 3.5, r"modulari[sz](?:e|es|ed|ing)|untangl(?:e|es|ed|ing)"
     r"|no (?:behaviou?r(?:al)? changes?|changes? (?:in|of) behaviou?r)|tests unchanged"
     r"|in one (?:module|place|file|class)(?: now)?"),
    ("refactor", 3, r"extract(?:s|ed|ing)?|br(?:oke|oken|eak|eaking) up|clean(?:s|ed|ing)? ?up"
     r"|simplif(?:y|ies|ied|ying)"),
    ("refactor", 3, r"de-?duplicat(?:e|es|ed|ing)|split(?:ting)?(?: up)? (?:the|it|out|FILE|CODE|an?|our)"
     r"|rewrote|rewritten"),
    ("refactor", 3, r"pulled (?:\w+ ){1,5}out|duplication|duplicated? code|(?:nearly )?identical"
     r"|into smaller|merged? the two"),
    ("refactor", 3, r"unif(?:y|ied|ies)|streamlin(?:e|ed)|tid(?:y|ied)|decompos(?:e|ed)|abstract(?:ed)"
     r"|generali[sz](?:e|ed)|flatten(?:ed)?|rework(?:ed)?|moderni[sz](?:e|ed)"),
    ("refactor", 2.5, r"dead code|across the code ?base"
     r"|(?:in|out )to its own (?:module|file|class|function|package)"),
    ("refactor", 2.5, r"renamed? CODE to CODE|convert(?:s|ed|ing)?|moved (?:\w+ ){1,4}(?:out of|into)"),
    ("refactor", 1.5, r"renam(?:e|es|ed|ing)|by plain"
     r"|replaced the (?:\w+ ){0,3}(?:tree|hierarchy|class|ifs?|switch)|legacy"),
    # discovery
    ("discovery", 4.5, r"turns? out|turned out|discover(?:s|ed|y|ies|ing)?"
     r"|f(?:ou|i)nd(?:s|ing)? (?:out|that)"),
    ("discovery", 4, r"root cause|figured out|after (?:some |a lot of )?(?:digging|debugging)"
     r"|(?:it )?emerged that"),
    ("discovery", 3.5, r"learn(?:s|ed|t|ing)?(?! from)|notic(?:ed|ing)|reali[sz]ed|apparently|investigation"
     r"|profiling"),
    ("discovery", 3, r"found|revealed|reveals|interesting(?:ly)?|surprising(?:ly)?|measurements?"
     r"|benchmarks? shows?"),
    ("discovery", 2.5, r"observed|spotted|came across|uncovered|identified|traced"
     r"|(?:it )?appears (?:to|that)|to my surprise|measured"),
    ("discovery", 2, r"shows?(?: that)?|showed|confirmed that|comes? (?:from|down to)|caused by|the reason"
     r"|why|it seems|(?:it )?looks like"),
    # feature
    ("feature", 3.5, r"can now|now possible|now available|now supports?|gained?|gains"),
    ("feature", 5, r"there (?:is|are) now"),
    ("feature", 3, r"^(?:\w+ )?(?:users?|customers?|admins?|members?|people|visitors?|operators?) can"),
    ("feature", 3, r"add(?:s|ed|ing)?|implement(?:s|ed|ing|ation)?|introduc(?:e|es|ed|ing)|launch(?:ed|es)?"),
    ("feature", 2.5, r"creat(?:e|es|ed|ing)|shipped|ships|landed|built an?|wrote an?"
     r"|feature(?! (?:flag|branch)e?s?)"),
    ("feature", 3, r"(?:we|it) (?:now )?supports?"
     r"|(?:allows?|lets?|enabl(?:e|es|ed)) (?:users?|admins?|customers?|you)|first version|released"
     r"|rolled out"),
    ("feature", 1.5, r"support(?:s|ed)? for|new|feature(?! (?:flag|branch)e?s?)s?|expos(?:e|es|ed) an?"),
    # task_progress
    ("task_progress", 4.5, r"to[- ]?do:?|wip|in progress|next (?:step|up)s?|half-?way|left off|still to do"
     r"|left to do"),
    ("task_progress", 3.5, r"remaining|remains?|blocked (?:on|by)|waiting (?:for|on)|paused|on hold|so far"
     r"|half done"),
    ("task_progress", 3.5, r"\d+ ?(?:of|/|out of) ?(?:the )?\d+|\d+ ?% (?:done|complete)|in review"
     r"|ready (?:to|for)"),
    ("task_progress", 3.5, r"still missing|not (?:yet )?(?:done|started|finished|implemented|tested)"
     r"|(?:is|are|comes?) next|needs? to (?:finish|complete)"),
    ("task_progress", 3, r"pending|outstanding|(?:is|are) complete|(?:now )?starting on|kicked off|underway"
     r"|almost done|(?:mostly|nearly) done|\w+ left (?:in|to|for|on)|to go"),
    ("task_progress", 3, r"progress|working on|task (?:\w+ )?(?:done|completed?|finished)"
     r"|(?:is|are|was) (?:now )?done"),
    ("task_progress", 2.5, r"finished|still needs?|still have to|currently|continue|milestones?"
     r"|all tests (?:pass|green)"),
    ("task_progress", 1.5, r"completed?|done|step \d+|phase \d+|tomorrow|picking up|not yet"
     r"|started (?:on|work)|tasks?"),
    # architecture
    ("architecture", 4, r"architectur(?:e|al)|layer(?:s|ed|ing)?|micro-?services?|monorepo|thin client"),
    ("architecture", 3, r"depend(?:s|ed)? on|no dependency on|dependenc(?:y|ies) point|import from"
     r"|is the only \w+ that"),
    ("architecture", 2.5, r"talks? to|communicat(?:e|es|ing)|go(?:es)? through|flows?"
     r"|sits? (?:in front|behind|between)"),
    ("architecture", 2.5, r"split into|consists? of|composed of|made up of|isolated"
     r"|separate (?:service|process|worker)(?:e?s)?"),
    ("architecture", 2.5, r"forwards?|delegates?|dispatch(?:es)?|routes? (?:requests|traffic|calls)|run as"
     r"|shar(?:e|es|ing) (?:one|an?|the)"),
    ("architecture", 2.5, r"(?:receiv|send|emit|consum|push|pull)(?:e?s|e) "
     r"(?:messages|events|jobs|requests|updates)"
     r"|built around|on top of|encapsulat\w+|orchestrat\w+"),
    ("architecture", 2.5, r"(?:is )?responsible for|know(?:s)? nothing about|never sees?"
     r"|(?:reads|writes) go to|replicas?|shard(?:s|ed|ing)|partitioned"),
    ("architecture", 4, r"hexagonal|event-driven|event-sourced|cqrs|mvc|serverless|peer-to-peer"
     r"|client-server"),
    ("architecture", 2, r"owns|single (?:writer|process|entry)|publish(?:es|ed)? to|subscrib\w+"
     r"|relay(?:s|ed)?|backed by"),
    ("architecture", 2, r"in front of|behind (?:an?|the)|pipeline|stages?|source of truth|bff|side-?car"
     r"|outbox|event bus"),
    ("architecture", 1, r"modules?|services?|components?|boundar(?:y|ies)|workers?|process(?:es)?"
     r"|subprocess"),
    ("architecture", 1, r"threads?|event (?:loop|emitter)|plugin system|entry point|main thread|messages?"
     r"|emitter"),
    ("architecture", 1.5, r"runs? (?:in|as|on) (?:an?|its own|their own)|calls? the|wraps"),
    ("architecture", 1, r"gateway|prox(?:y|ies)|daemon|shell|backend|frontend|broker|bus|queue|client"
     r"|server"),
    ("architecture", 1, r"adapters?|domain|repositor(?:y|ies)|interfaces?|websockets?|json-rpc|rpc|sockets?"
     r"|stateless|tenants?"),
    ("architecture", 1.5, r"has its own|read-only copy|results? go to|scheduler|poller|consumers?|producers?"
     r"|(?:reads?|writes?|polls?|streams?) (?:\w+ ){0,3}(?:to|from|with)"),
    ("architecture", 2.5, r"lands? in|hands? (?:it|them) (?:to|off|over)|fans? out|speaks? \S+ over"
     r"|over (?:grpc|http|a (?:pipe|queue|socket|bus))"),
    # pattern
    ("pattern", 4, r"conventions?|idioms?|idiomatic|naming|(?:is|are) always|patterns?"),
    ("pattern", 3, r"always|whenever|as a rule|throughout|everywhere|consistently|by default we|append-only"),
    ("pattern", 2.5, r"follows?(?: the)?|mirrors?|one \w+ per|usually"
     r"|each \w+ (?:has|gets|lives|takes|returns|is)"),
    ("pattern", 2, r"every|each|we (?:wrap|keep|name|put|pass|group|prefix)"
     r"|(?:are|is) (?:named|kept|wrapped|grouped|prefixed)"),
    ("pattern", 2.5, r"bubbles? up|propagates?|surfaces? as|validat(?:e|ed) (?:\w+ ){0,3}(?:with|at|in)"),
    ("pattern", 2.5, r"upper ?case|lower ?case|snake_case|camel ?case|camelCase|kebab-case|PascalCase"
     r"|prefixed|suffixed"),
    ("pattern", 2, r"(?:are|is) "
     r"(?:registered|written|defined|placed|declared|injected|suffixed|validated|located next)"
     r"|return(?:s)? early"),
    ("pattern", 1.5, r"^(?:\w+ )?(?:constants|fixtures|components|hooks|services|controllers|models|tests|"
     r"modules|endpoints|handlers|commands|queries|errors|types|classes|functions|migrations|repositories)"),
    ("pattern", 1.5, r"all|start(?:s)? with|begin(?:s)? with|end(?:s)? (?:in|with)|must|should|translated"
     r"|live[s]? in its own"),
    ("pattern", 2, r"^(?:the )?names? of|^(?:all )?\w+ (?:columns|names|keys|flags|variables)"),
    ("pattern", 2.5, r"in (?:this|our) (?:code ?base|repo(?:sitory)?|project)"
     r"|returns? (?:none|null|nil|an? \w+) (?:for|when|if)"),
    # file_change
    ("file_change", 6, rf"^(?:{_CHANGE_VERBS}):? (?:\w+ ){{0,2}}(?:\w+: )?(?:FILE|CODE FILE)"),
    ("file_change", 6, r"^(?-i:[MADRC]|\?\?) +FILE|^FILE:? [+-]?\d+|^\W*FILE\W*$"
     r"|file (?:saved|written|created|deleted)"),
    ("file_change", 4, r"(?:changes? (?:in|to)|touched|edited) (?:\d+ )?(?:files?|FILE)|\d+ files? changed"
     r"|patch to FILE"),
    ("file_change", 3.5, rf"^(?:{_CHANGE_VERBS}) (?:\w+ ){{0,3}}files?"),
    ("file_change", 3, r"\d+ (?:insertions?|deletions?)|\d+ lines?|FILE,? (?:and )?FILE"),
    # change
    ("change", 3.5, r"bump(?:s|ed|ing)?|up-?grad(?:es|ed|ing)|down-?grad(?:es|ed|ing)|^(?:up|down)-?grade"
     r"|migrat(?:e|es|ed|ing)"),
    ("change", 3, r"updat(?:ed|ing)|chang(?:ed|ing)|modif(?:y|ies|ied|ying)|switch(?:es|ed|ing)?"
     r"|^(?:updat|chang)es?"),
    ("change", 3, r"(?<!never )(?<!not )rais(?:e|es|ed|ing)|lower(?:s|ed|ing)|increas(?:e|es|ed|ing)"
     r"|decreas(?:e|es|ed|ing)|reduc(?:e|es|ed|ing)"),
    ("change", 3, r"adjust(?:s|ed|ing)?|tweak(?:s|ed|ing)?|no longer"),
    ("change", 2.5, r"(?:is|are) now|we now|now (?!on )\w+s|replac(?:e|es|ed|ing)|remov(?:e|es|ed|ing)"
     r"|drop(?:s|ped|ping)"),
    ("change", 2.5, r"enabled|disabled|turned (?:on|off)|rotated|reset|reverted|rolled back|shortened"
     r"|extended|widened|tightened|swapped|tuned|set (?:\w+ ){1,4}to"),
    ("change", 2.5, r"since (?:yesterday|today|last|this|monday|tuesday|wednesday|thursday|friday|v?\d)"),
    ("change", 2, r"(?:is|are) (?:\w+ ){1,3}instead of"),
    ("change", 1.5, r"updates?|changes?|upgrade|downgrade"),
    ("change", 1.5, r"renam(?:e|es|ed|ing)|mov(?:e|es|ed|ing)|deprecat(?:e|es|ed|ing)|from \S+ to \S+"
     r"|instead of"),
    # fact: a plain statement about the system; needs at least two of these to outweigh the fallback
    ("fact", 1, r"is|are|runs?|has|have|uses?|listens?|starts?|expires?|defaults?|lives?|supports?"
     r"|requires?|contains?|needs"),
    ("fact", 1, r"\S*\d\S*|CODE|FILE"),
    ("fact", 1, r"versions?|ports?|limits?|default|minimum|maximum|licen[sc]e|region|urls?|endpoints?"
     r"|databases?|timeout"),
    ("fact", 1, r"production|staging|sandbox|repo(?:sitory)?|project|branch|cluster|runners?|bucket|tables?"
     r"|schema|ids?"),
    ("fact", 1, r"cookies?|tokens?|accounts?|provider|docs|documentation|servers?|api|hosted|located|called"
     r"|numbered"),
    ("fact", 1, r"based on|powered by|written in|built (?:with|on|from)|hosted|(?<=[a-z,] )(?-i:[A-Z]\w+)"),
    ("fact", 2, r"we (?:use|run|host|deploy|store|keep|have)"),
    ("fact", -1, r"today|yesterday|this (?:morning|week|afternoon)|last (?:week|night)|lately|again|until"
     r"|weekend|we|i"),
)  # fmt: skip

EXAMINED_CHARS = 2000
FLOOR = 2.0
OPENING_WORDS = 3
PLAIN = 3.0
"""The most a text can score as a fact: many small signs of a plain statement never outweigh one clear cue."""

_CODE = regex(r"`([^`\n]{1,200})`")
_SENTENCE_END = regex(r"[.!?;]\s|\n")
_TO_SMALL = {ord(capital): capital.lower() for capital in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
"""Keeps every character at its place, which `lower` does not."""

_OPENING = regex(rf"(?:\S+\s+){{{OPENING_WORDS - 1}}}")


def classify(text: str) -> tuple[str, float]:
    """Return the kind of `text` and how sure that is, from 0 (no cue at all) to 1."""
    ranking = sorted(scores(text).items(), key=lambda item: (-item[1], PRIORITY.index(item[0])))
    if not ranking or ranking[0][1] < FLOOR:
        return OBSERVATION, 0.0
    kind, best = ranking[0]
    second = max(ranking[1][1], 0.0) if len(ranking) > 1 else 0.0
    return kind, round(best / (best + second + 1), 2)


def scores(text: str) -> dict[str, float]:
    """Return the sum of cue weights for every kind that has one in `text`."""
    masked_text = _mask(text[:EXAMINED_CHARS])
    opening = _OPENING.match(masked_text)
    head = opening.end() if opening else len(masked_text)
    first_end = _SENTENCE_END.search(masked_text)
    sentence = first_end.start() if first_end else len(masked_text)
    totals: dict[str, float] = {}
    small_text = masked_text.translate(_TO_SMALL)
    for (kind, weight, cue), pattern in zip(CUES, _patterns(), strict=True):
        match = pattern.search(small_text if cue.islower() else masked_text)
        if match is None:
            continue
        at = match.start()
        factor = 1.5 if at <= head and weight > 1 else 1.0 if at <= sentence else 0.5
        totals[kind] = totals.get(kind, 0.0) + weight * factor
    return {kind: min(total, PLAIN) if kind == "fact" else total for kind, total in totals.items()}


def _mask(text: str) -> str:
    """Hide names that would look like cues: `fix_bug.py` fixes nothing."""
    text = _CODE.sub(lambda code: "FILE" if FILE.fullmatch(code[1]) else "CODE", text.strip())
    return FILE.sub("FILE", text.replace("’", "'"))


@cache
def _patterns() -> list[re.Pattern[str]]:
    """Compile the cues; few processes classify anything. Ignoring case takes a quarter longer to compile."""
    return [
        re.compile(rf"(?<![\w-])(?:{cue})(?![\w-])", 0 if cue.islower() else re.IGNORECASE) for _, _, cue in CUES
    ]
