"""What to look for: the words of a query in their index form, without those that say nothing."""

from holdfast.capture.text.stopwords import STOP_WORDS
from holdfast.model.search import Term
from holdfast.stores.analyser import words

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
