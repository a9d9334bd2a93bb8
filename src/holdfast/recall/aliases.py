"""Words that stand for each other: a project's own, and a few that most projects share.

A project's own aliases always count, because somebody asked for them. The defaults stand in only for a word that
the store does not hold: to widen a word that does match costs precision. Every word of a group finds the others.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache

from holdfast.model.search import Candidate, Matches, Term
from holdfast.model.value import replace
from holdfast.stores.analyser import tokens

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


def widely(
    match: Callable[[Sequence[Term]], Matches], terms: Sequence[Term], own: Mapping[str, Iterable[str]]
) -> Matches:
    """Ask an index for terms and what stands in for them; its answer speaks of the terms alone."""
    groups = [(term, *synonyms) for term, synonyms in zip(terms, stand_ins(terms, own), strict=True)]
    matches = _ask_for_groups(match, groups)
    absent = [not holding for holding in matches.document_frequencies]
    default_synonyms = stand_ins(terms, DEFAULTS) if any(absent) else []
    if not any(is_absent and synonyms for is_absent, synonyms in zip(absent, default_synonyms, strict=False)):
        return matches
    return _ask_for_groups(
        match,
        [
            (*group, *synonyms) if is_absent else group
            for group, synonyms, is_absent in zip(groups, default_synonyms, absent, strict=True)
        ],
    )


def _ask_for_groups(match: Callable[[Sequence[Term]], Matches], groups: Sequence[tuple[Term, ...]]) -> Matches:
    """Ask for every word of every group once, and let the words of a group count as one."""
    flat = {term.stem: term for group in groups for term in group}
    matches = match(tuple(flat.values()))
    if len(flat) == len(groups):
        return matches
    places = {stem: place for place, stem in enumerate(flat)}
    return _merge_groups(matches, [[places[term.stem] for term in group] for group in groups])


def _merge_groups(matches: Matches, groups: Sequence[Sequence[int]]) -> Matches:
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
