"""Words that stand in for a word of a question: a project's own aliases, a few that most projects share, and, for
a word that no store holds, longer forms and what it may misspell.

A project's own aliases always count, because somebody asked for them. Everything else stands in only for a word
that the store does not hold: to widen a word that does match costs precision. Every word of a group finds the
others.

An index holds stems, and a stem is no word: FTS5 would stem it again ("database" → "databas" → "databa"). So every
stand-in comes with a word that has this stem; and a misspelt word is put right before it is stemmed, because a
slip near its end keeps the ending from being taken off ("migratoin"). Must not live here: reading the vocabulary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from string import ascii_lowercase

from msgspec.structs import replace

from holdfast.model.nearest import slips
from holdfast.model.search import Candidate, Matches, Term
from holdfast.stores.analyser import spelt, tokens

DEFAULTS: Mapping[str, tuple[str, ...]] = {
    "auth": ("authentication", "authorization", "login", "signin", "oauth", "jwt", "credentials"),
    "db": ("database", "sql", "postgres", "mysql", "sqlite", "schema"),
    "api": ("endpoint", "route", "rest", "graphql"),
    "config": ("configuration", "settings", "options", "env"),
    "test": ("tests", "spec", "pytest", "jest", "fixture"),
    "ui": ("frontend", "interface", "component", "view"),
    "deploy": ("deployment", "release", "rollout", "ship"),
    "ci": ("pipeline", "workflow", "build"),
    "perf": ("performance", "latency", "slow", "speed"),
    "bug": ("error", "defect", "crash", "failure"),
    "docs": ("documentation", "readme", "handbook"),
    "deps": ("dependencies", "dependency", "packages", "requirements"),
    "cache": ("caching", "redis", "memcached", "ttl"),
    "queue": ("jobs", "worker", "celery", "broker"),
    "infra": ("infrastructure", "terraform", "kubernetes", "docker"),
    "k8s": ("kubernetes", "pods", "helm"),
    "repo": ("repository", "git"),
    "msg": ("message", "messages"),
    "err": ("error", "errors", "exception"),
    "prod": ("production",),
    "dev": ("development", "developer"),
    "async": ("asynchronous", "asyncio", "concurrency"),
    "type": ("typing", "mypy", "types"),
    "log": ("logging", "logger", "logs"),
    "i18n": ("translation", "locale", "localisation", "localization"),
    "a11y": ("accessibility",),
}  # fmt: skip
"""A word and what else it is called."""

LIMIT = 5
LEAST_PREFIX = 3
_LEAST_EDITED = 4
_LEAST_TWICE_EDITED = 8
_RIGHT = 2
"""Letters at the beginning that must be right in a word with two slips: it keeps the search short."""


def widely(
    match: Callable[[Sequence[Term]], Matches], terms: Sequence[Term], own: Mapping[str, Iterable[str]]
) -> Matches:
    """Ask an index for terms and what stands in for them; its answer speaks of the terms alone."""
    groups = [(term, *synonyms) for term, synonyms in zip(terms, stand_ins(terms, own), strict=True)]
    matches = ask_for_groups(match, groups)
    absent = [not holding for holding in matches.document_frequencies]
    default_synonyms = stand_ins(terms, DEFAULTS) if any(absent) else []
    if not any(is_absent and synonyms for is_absent, synonyms in zip(absent, default_synonyms, strict=False)):
        return matches
    return ask_for_groups(
        match,
        [
            (*group, *synonyms) if is_absent else group
            for group, synonyms, is_absent in zip(groups, default_synonyms, absent, strict=True)
        ],
    )


def ask_for_groups(match: Callable[[Sequence[Term]], Matches], groups: Sequence[Sequence[Term]]) -> Matches:
    """Ask for every word of every group once, and let the words of a group count as one."""
    flat = {term.stem: term for group in groups for term in group}
    matches = match(tuple(flat.values()))
    if len(flat) == len(groups) and all(len(group) == 1 for group in groups):
        return matches
    places = {stem: place for place, stem in enumerate(flat)}
    return _merge_groups(matches, [[places[term.stem] for term in group] for group in groups])


def _merge_groups(matches: Matches, groups: Sequence[Sequence[int]]) -> Matches:
    """Let the words of a group count as one: of several in a document the one that counts most."""
    holding, searched_terms = matches.document_frequencies, matches.searched
    return replace(
        matches,
        document_frequencies=tuple(min(matches.documents, sum(holding[at] for at in group)) for group in groups),
        searched=tuple(any(searched_terms[at] for at in group) for group in groups),
        candidates=tuple(
            Candidate(
                candidate.id,
                tuple(max(candidate.frequencies[at] for at in group) for group in groups),
                candidate.length,
            )
            for candidate in matches.candidates
        ),
    )


def stand_ins(terms: Sequence[Term], groups: Mapping[str, Iterable[str]]) -> list[tuple[Term, ...]]:
    """Return for each term the other words of every group it belongs to, in their index form."""
    by_stem = _default_groups() if groups is DEFAULTS else _by_stem(groups)
    return [
        tuple(synonym for synonym in by_stem.get(term.stem, ()) if synonym.stem != term.stem) for term in terms
    ]


def _by_stem(groups: Mapping[str, Iterable[str]]) -> dict[str, list[Term]]:
    """Return every word of every group, in its index form, with all words of its groups."""
    terms_by_stem: dict[str, list[Term]] = {}
    for word, meanings in groups.items():
        group = [form for name in (word, *meanings) if (form := _term(name))]
        for term in group:
            synonyms = terms_by_stem.setdefault(term.stem, [])
            synonyms.extend(synonym for synonym in group if synonym not in synonyms)
    return terms_by_stem


@cache
def _default_groups() -> dict[str, list[Term]]:
    return _by_stem(DEFAULTS)


def _term(word: str) -> Term | None:
    """Return a single word in its index form; None for what is no word."""
    forms = tokens(word)
    return Term(word, forms[0]) if len(forms) == 1 else None


def longer(vocabulary: Mapping[str, int]) -> list[Term]:
    """Return words for the most frequent of these index forms, which all begin as the term does.

    A vocabulary maps an index form to the number of documents that hold it.
    """
    return _terms(sorted(vocabulary, key=lambda form: (-vocabulary[form], form))[:LIMIT])


def misspelt(word: str, vocabulary: Mapping[str, int]) -> list[Term]:
    """Return the words that one in lower case may have been meant for: one slip away, or else two.

    `vocabulary` need only hold the forms that begin with the word's first letter: slips are rarely made there.
    Words of under four letters are never taken for misspelt; two slips are allowed from eight letters on.
    """
    most = allowed_slips(word)
    if not most or not vocabulary:
        return []
    if word.isascii():
        right = list(_put_right(word))
        word_by_form = {form: better for better, form in zip(right, tokens(" ".join(right)), strict=True)}
        best = sorted(word_by_form.keys() & vocabulary.keys(), key=lambda form: (-vocabulary[form], form))[:LIMIT]
        if best or most == 1:
            return [Term(word_by_form[form], form) for form in best]
    [stem] = tokens(word)
    alike = (form for form in vocabulary if form[:_RIGHT] == word[:_RIGHT] and _may_be_near(stem, form, most))
    slip_counts = {form: count for form in alike if (count := slips(stem, form, most)) <= most}
    return _terms(sorted(slip_counts, key=lambda form: (slip_counts[form], -vocabulary[form], form))[:LIMIT])


def allowed_slips(word: str) -> int:
    """Return how many slips a word of this length may hold."""
    if len(word) < _LEAST_EDITED or not word.isalpha():
        return 0
    return 2 if len(word) >= _LEAST_TWICE_EDITED else 1


def _may_be_near(word: str, other_word: str, most: int) -> bool:
    """Tell words apart at a glance that are: a slip brings at most one letter and takes one away."""
    return abs(len(word) - len(other_word)) <= most and len(set(word) ^ set(other_word)) <= 2 * most


def _put_right(word: str) -> Iterator[str]:
    """Yield every word that is one slip away and begins with the same letter."""
    for place in range(1, len(word) + 1):
        before, after = word[:place], word[place:]
        yield from (before + letter + after for letter in ascii_lowercase)
        if after:
            yield before + after[1:]
            yield from (before + letter + after[1:] for letter in ascii_lowercase if letter != after[0])
        if len(after) > 1:
            yield before + after[1] + after[0] + after[2:]


def _terms(forms: list[str]) -> list[Term]:
    return [Term(word, form) for form in forms if (word := spelt(form))]
