"""What a prompt is about: its telling words, the files it names, and what it wants.

Must not live here: which of the words a store holds, and how rare they are (`candidates`).
"""

import re

from holdfast.capture.text.terms import terms_of
from holdfast.embedding.common_words import idf
from holdfast.model.patterns import regex
from holdfast.model.search import Term
from holdfast.model.value import Value
from holdfast.recall.brief.intent import intent_of

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


class Prompt(Value):
    """What a prompt is about."""

    text: str
    terms: tuple[Term, ...]
    files: tuple[str, ...]
    intent: str


def analyse(prompt: str) -> Prompt:
    """Read a prompt."""
    text = prompt if len(prompt) <= MOST_CHARS else f"{prompt[: MOST_CHARS // 2]}\n{prompt[-MOST_CHARS // 2 :]}"
    return Prompt(text, _keywords(text), files_named(text), intent_of(text))


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
