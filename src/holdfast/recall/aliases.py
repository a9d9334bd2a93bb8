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
    groups = [(term, *others) for term, others in zip(terms, stand_ins(terms, own), strict=True)]
    found = _asked(match, groups)
    absent = [not holding for holding in found.document_frequencies]
    shared = stand_ins(terms, DEFAULTS) if any(absent) else []
    if not any(gone and others for gone, others in zip(absent, shared, strict=False)):
        return found
    return _asked(
        match,
        [(*group, *others) if gone else group for group, others, gone in zip(groups, shared, absent, strict=True)],
    )


def _asked(match: Callable[[Sequence[Term]], Matches], groups: Sequence[tuple[Term, ...]]) -> Matches:
    """Ask for every word of every group once, and let the words of a group count as one."""
    flat = {term.stem: term for group in groups for term in group}
    found = match(tuple(flat.values()))
    if len(flat) == len(groups):
        return found
    places = {stem: place for place, stem in enumerate(flat)}
    return _merged(found, [[places[term.stem] for term in group] for group in groups])


def _merged(matches: Matches, groups: Sequence[Sequence[int]]) -> Matches:
    holding, searched = matches.document_frequencies, matches.searched
    return replace(
        matches,
        document_frequencies=tuple(min(matches.documents, sum(holding[at] for at in group)) for group in groups),
        searched=tuple(any(searched[at] for at in group) for group in groups),
        candidates=tuple(
            Candidate(one.id, tuple(max(one.frequencies[at] for at in group) for group in groups), one.length)
            for one in matches.candidates
        ),
    )


def stand_ins(terms: Sequence[Term], groups: Mapping[str, Iterable[str]]) -> list[tuple[Term, ...]]:
    """Return for each term the other words of every group it belongs to, in their index form."""
    by_stem = _default_groups() if groups is DEFAULTS else _by_stem(groups)
    return [tuple(one for one in by_stem.get(term.stem, ()) if one.stem != term.stem) for term in terms]


def _by_stem(groups: Mapping[str, Iterable[str]]) -> dict[str, list[Term]]:
    """Return every word of every group, in its index form, with all words of its groups."""
    found: dict[str, list[Term]] = {}
    for word, meanings in groups.items():
        group = [form for name in (word, *meanings) if (form := _term(name))]
        for one in group:
            others = found.setdefault(one.stem, [])
            others.extend(other for other in group if other not in others)
    return found


@cache
def _default_groups() -> dict[str, list[Term]]:
    return _by_stem(DEFAULTS)


def _term(word: str) -> Term | None:
    """Return a single word in its index form; None for what is no word."""
    forms = tokens(word)
    return Term(word, forms[0]) if len(forms) == 1 else None
