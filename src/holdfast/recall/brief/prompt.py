"""What a prompt is about and what it wants: its telling words, the files it names, and its intent.

To do something, to recall what was agreed, or only to be answered: rules apply to work. Who asks what a word
means, wants a file explained or says good morning is not told them, unless they are plainly about it. Told by how
a prompt begins and by whom it speaks of; wording that no project owns. Must not live here: which of the words a
store holds (`candidates`), how rare they are and how near anything must come (`relevance`).
"""

import re

from msgspec import Struct

from holdfast.embedding.common_words import idf
from holdfast.model.patterns import regex
from holdfast.model.search import Term
from holdfast.text.words import terms_of

ACT, RECALL, ASK, READ, TALK = INTENTS = ("act", "recall", "ask", "read", "talk")
"""Do something or fix something; say what was agreed; explain the world; show or describe what is there; chat."""

MOST_FILES = 20
MOST_TERMS = 24
MOST_CHARS = 8_000
"""Of a longer prompt (a pasted log, say) the beginning and the end count."""

_ORDERS = frozenset(
    (
        "please fix fixed fixing help make makes sure want wants need needs look looks check checks add "
        "implement implementing write create update change modify refactor improve explain tell show give find "
        "let try using use used way thing things something anything new like know see work works working "
        "correct correctly properly right wrong broken breaking existing behaviour behavior without failing "
        "fails failed repro reproduce issue problem bug code function method file line lines following "
    ).split()
)
"""Words of an order to an agent, not of what it is about; they count only where there are no others."""

_PATH = regex(
    r"(?<![\w@:/.-])(?P<path>(?:[A-Za-z]:)?[\w.@+-]*(?:[/\\][\w.@+-]+)+|[\w-]+(?:\.[\w-]+)*\.[A-Za-z][A-Za-z0-9]{0,7})"
    r"(?P<line>:\d+(?::\d+)?)?(?![\w/])"
)
_SUFFIX = regex(
    r"\.(?:py|pyi|ipynb|js|jsx|mjs|ts|tsx|vue|svelte|go|rs|java|kt|scala|c|h|cc|cpp|hpp|cs|rb|php|swift|m|lua|pl|r|jl|"
    r"ex|exs|erl|hs|clj|dart|sh|bash|sql|md|rst|txt|json|ya?ml|toml|ini|cfg|conf|env|xml|html|css|scss|lock|gradle|"
    r"tf|proto|csv|log)$",
    re.IGNORECASE,
)
_ADDRESS = regex(r"\b[a-z][a-z0-9+.-]*://\S+", re.IGNORECASE)
_ABBREVIATION = regex(r"^(?:e\.g|i\.e|etc|vs|cf|no|fig)\.?$", re.IGNORECASE)

_FUNCTION = regex(
    r"`(\w{4,60})(?:\(\))?`|\b(\w{3,60})\(\)|\b([A-Za-z]\w*_\w+|[a-z]+[A-Z]\w+|[A-Z][a-z]+[A-Z]\w+)\b"
)
INTENT_CHARS = 400
"""How much of a prompt says what it wants: the rest is what it is about."""

_LEAD = (
    r"\s*(?:(?:hi|hey|hello|ok(?:ay)?|so|and|but|well|please|pls|thanks|now|also|quick question|btw|hm+)\b"
    r"[\s,:.!-]*)*"
    r"(?:(?:can|could|would|will) (?:you|u|we) (?:please )?|please |pls |i(?:'d| would) like (?:you )?to |"
    r"i want (?:you )?to |help me (?:to )?|let'?s |just )*"
)
_ASKS = regex(
    _LEAD + r"(?:what(?:'?s)?|which|who(?:se)?|when|where|why|how|is (?:it|there|this|that|the)|"
    r"are (?:there|these|the)|does|do (?:i|you)|did|in this)\b",
    re.IGNORECASE,
)
_READS = regex(
    _LEAD + r"(?:explain|describe|summari[sz]e|show|read|tell|list|find|look up|compare|convert|translate|draw|"
    r"suggest|proofread|brainstorm|rewrite|recommend|count|print|give me|understand|walk me|"
    r"make a (?:table|list|summary|diagram|report)|rename|typo|undo|revert your|extract lines)\b",
    re.IGNORECASE,
)
_TALKS = regex(
    r"\s*(?:(?:hi|hey|hello|good (?:morning|evening|night)|thx|thanks|thank you|continue|go on|yes|no|ok(?:ay)?|"
    r"sure|perfect|great|done|nice|please|that'?s (?:it|all)|for (?:today|now))\b[\s,.!]*)+$",
    re.IGNORECASE,
)
_ONLY_TALKS = regex(
    r"\b(?:no code|just (?:explain|curious)|don'?t (?:change|make) any|not this project)\b", re.IGNORECASE
)
_REQUESTS = regex(r"\s*(?:can|could|would|will) (?:you|u|we)\b", re.IGNORECASE)
_AGREEMENT_WORDS = regex(
    r"\b(?:we|our|ours|us|(?:may|should|can|do|did) i|supposed to|decided|agreed|settled|rule|policy|convention|"
    r"standard|remember|last time)\b",
    re.IGNORECASE,
)
"""Words of who speaks of those who work on the project and of what they agreed on."""

_TROUBLE = regex(r"\b(?:should|again|bug|wrong|errors?|broken|fail\w*|down)\b", re.IGNORECASE)
"""Words of who asks about the state of the project rather than about the world."""


class Prompt(Struct, frozen=True):
    """What a prompt is about."""

    text: str
    terms: tuple[Term, ...]
    files: tuple[str, ...]
    intent: str
    names: frozenset[str] = frozenset()
    """The functions and files that it names, in lower case."""


def analyse(prompt: str) -> Prompt:
    """Read a prompt."""
    text = prompt if len(prompt) <= MOST_CHARS else f"{prompt[: MOST_CHARS // 2]}\n{prompt[-MOST_CHARS // 2 :]}"
    files = files_named(text)
    return Prompt(text, _keywords(text), files, intent_of(text), _names(text, files))


def _names(text: str, files: tuple[str, ...]) -> frozenset[str]:
    """Return the names of functions and files that stand for nothing else."""
    functions = {first or second or third for first, second, third in _FUNCTION.findall(text)}
    return frozenset(name.lower() for name in (*functions, *(file.rpartition("/")[2] for file in files)))


def files_named(text: str) -> tuple[str, ...]:
    """Return the paths and file names that a text holds, each once: `src/app.py:12` names `src/app.py`."""
    paths: dict[str, None] = {}
    for match in _PATH.finditer(_ADDRESS.sub(" ", text)):
        path = match["path"].rstrip(".").replace("\\", "/").removeprefix("./")
        if _SUFFIX.search(path) or path.count("/") > 1:
            paths.setdefault(path, None)
    return tuple(path for path in paths if not _ABBREVIATION.match(path))[:MOST_FILES]


def _keywords(text: str) -> tuple[Term, ...]:
    """Return the words that tell most, in their order: those of an order to an agent and single letters tell
    nothing."""
    terms = terms_of(text)
    telling_terms = [term for term in terms if len(term.word) > 1 and term.word.lower() not in _ORDERS] or list(
        terms
    )
    best = sorted(telling_terms, key=lambda term: (-idf(term.word.lower()), -len(term.word)))[:MOST_TERMS]
    return tuple(term for term in telling_terms if term in best)


def intent_of(prompt: str) -> str:
    """Say what a prompt wants."""
    text, head = prompt.strip(), prompt.strip()[:INTENT_CHARS]
    if not text or _TALKS.match(head):
        return TALK
    if _READS.match(head) or _ONLY_TALKS.search(head):
        return READ
    if _AGREEMENT_WORDS.search(head):
        return RECALL
    if _ASKS.match(head):
        return ACT if _TROUBLE.search(head) else ASK
    return RECALL if _ends_in_a_question(text) else ACT


def _ends_in_a_question(text: str) -> bool:
    """Say whether a few sentences lead up to a question: it is about what they tell of, not about the world."""
    return len(text) <= INTENT_CHARS and text.endswith("?") and not _REQUESTS.match(text)
