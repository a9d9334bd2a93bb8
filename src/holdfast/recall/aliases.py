"""Words that stand for each other: a project's own, and a few that most projects share.

A project's own aliases always count, because somebody asked for them. The defaults stand in only for a word that
the store does not hold: to widen a word that does match costs precision. Every word of a group finds the others.
"""

from collections.abc import Iterable, Mapping, Sequence

from holdfast.model.search import Term
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


def stand_ins(terms: Sequence[Term], groups: Mapping[str, Iterable[str]]) -> list[tuple[Term, ...]]:
    """Return for each term the other words of every group it belongs to, in their index form."""
    if not groups:
        return [() for _ in terms]
    by_stem = _by_stem(groups)
    return [tuple(one for one in by_stem.get(term.stem, ()) if one.stem != term.stem) for term in terms]


def _by_stem(groups: Mapping[str, Iterable[str]]) -> dict[str, list[Term]]:
    found: dict[str, list[Term]] = {}
    for word, meanings in groups.items():
        group = [form for name in (word, *meanings) if (form := _term(name))]
        for one in group:
            others = found.setdefault(one.stem, [])
            others.extend(other for other in group if other not in others)
    return found


def _term(word: str) -> Term | None:
    """Return a single word in its index form; None for what is no word."""
    forms = tokens(word)
    return Term(word, forms[0]) if len(forms) == 1 else None
