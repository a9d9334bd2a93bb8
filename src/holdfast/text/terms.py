"""What to look for: the words of a query in their index form, without those that say nothing."""

from holdfast.model.search import Term
from holdfast.stores.analyser import words

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

MOST_TERMS = 64
MOST_CHARS = 8_192


def terms_of(text: str) -> tuple[Term, ...]:
    """Return the distinct terms of a query; stop words only when there is nothing else."""
    clean = text[:MOST_CHARS].encode(errors="ignore").decode()
    terms_by_stem: dict[str, Term] = {}
    for word, stem in words(clean):
        terms_by_stem.setdefault(stem, Term(word, stem))
    content_terms = [term for term in terms_by_stem.values() if term.word.lower() not in STOP_WORDS]
    return tuple(content_terms or terms_by_stem.values())[:MOST_TERMS]
