"""The words of a text in their index form: what a query looks for, what a text is about, what it counts.

One analyser, that of the index (`stores.analyser`), makes all forms, so that two texts that are found by each
other also share a topic. Must not live here: any judgement of what two texts mean for each other (`judge`).
"""

from functools import lru_cache

from holdfast.model.patterns import regex
from holdfast.model.search import Term
from holdfast.stores.analyser import tokens, words

STOP_WORDS = frozenset(
    (
        "a about above after again all also am an and any are as at be because been before being below "
        "between both but by can could did do does doing down during each few for from further get had has "
        "have having he her here hers him his how i if in into is it its itself just me more most my myself "
        "no nor not now of off on once only or other our ours out over own same she should so some such "
        "than that the their theirs them then there these they this those through to too under until up us "
        "very was we were what when where which while who whom why will with would you your yours "
    ).split()
)
"""Words that no query looks for while it holds others."""

MOST_TERMS = 64
MOST_CHARS = 8_192
"""Terms of a query, and characters of a text, that are read."""

_RULE_WORDS = (
    "actually agree agreed already always another anything around avoid cannot case change correction "
    "currently decide decided decision done else enough even ever every everything exactly final first "
    "forward give go going good great however instead keep know last least less let like long longer look "
    "make many may maybe mean might much must need never new note nothing often ok okay old one part per "
    "perhaps please policy possible probably put quite rather really recap remember replace rest right "
    "rule see set shall since so something sometimes stay still stop sure take tell thing think this time "
    "together understood update use used using want way well without won yes yet don didn doesn isn shouldn "
    "wouldn couldn mustn needn aren wasn weren hasn haven ll re ve second minute hour day week month "
    "year two three four five six seven eight nine ten dozen "
)
_NO_TOPIC = frozenset(tokens(_RULE_WORDS + " " + " ".join(STOP_WORDS)))
"""Index forms that statements share whatever they are about."""

_QUANTITY = regex(
    r"(?P<value>\d[\d.,:]*|\b(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty"
    r"|thirty|forty|fifty|sixty|ninety)\b)[ -]?(?P<unit>%|[a-z]{1,12})?"
)
_HASH = regex(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b")
"""A commit's: its digits count nothing."""

_DIGITS = {
    word: str(value)
    for value, word in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split())
} | {"fifteen": "15", "twenty": "20", "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "ninety": "90"}


def terms_of(text: str) -> tuple[Term, ...]:
    """Return the distinct terms of a query; stop words only when there is nothing else."""
    terms_by_stem: dict[str, Term] = {}
    for word, stem in words(_encodable(text)):
        terms_by_stem.setdefault(stem, Term(word, stem))
    content_terms = [term for term in terms_by_stem.values() if term.word.lower() not in STOP_WORDS]
    return tuple(content_terms or terms_by_stem.values())[:MOST_TERMS]


@lru_cache(maxsize=4_096)
def forms(text: str) -> tuple[str, ...]:
    """Return the index forms of a text in order; of "don't" they are `don` and `t`."""
    return tuple(tokens(_encodable(text)))


def is_telling(form: str) -> bool:
    """Say whether an index form tells what a text is about; numbers do not."""
    return len(form) > 1 and form not in _NO_TOPIC and not form[0].isdigit()


@lru_cache(maxsize=4_096)
def topic(text: str) -> frozenset[str]:
    """Return what a text is about: the index forms of its telling words, without numbers."""
    return frozenset(filter(is_telling, forms(text)))


@lru_cache(maxsize=4_096)
def quantities(text: str) -> dict[str, frozenset[str]]:
    """Return the numbers of a text, spelt out or not, by their unit; those without one under an empty word."""
    values_by_unit: dict[str, set[str]] = {}
    for match in _QUANTITY.finditer(_HASH.sub("", text[:MOST_CHARS].lower())):
        value = match["value"].rstrip(".,:")
        unit = match["unit"] or ""
        values_by_unit.setdefault(unit.rstrip("s") or unit, set()).add(_DIGITS.get(value, value))
    return {unit: frozenset(values) for unit, values in values_by_unit.items()}


def numbers(text: str) -> frozenset[str]:
    """Return all numbers of a text as digits."""
    return frozenset(value for values in quantities(text).values() for value in values)


def _encodable(text: str) -> str:
    return text[:MOST_CHARS].encode(errors="ignore").decode()
