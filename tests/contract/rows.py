"""Random rows and questions about them, made of few words, so that many match; and answers compared."""

import random

from msgspec.structs import replace

from holdfast.model.memory import Memory
from holdfast.model.search import Candidate, Filters, Matches
from holdfast.model.session import Session
from tests.contract.builders import NOW, a_memory

WORDS = [
    "walrus", "ocelot", "lynx", "badger", "queue", "queues", "queued", "retry", "retries", "RetryPolicy",
    "parse_config", "src/app.py", "HTTPClient", "utf8", "café", "Straße", "naïve", "日本語", "Ελλάδα", "migration",
    "migrate", "migrating", "the", "and", "of", "404", "v2", "x",
]  # fmt: skip
KINDS = ("fact", "decision", "error")
TAGS = ("red", "green", "dark blue", "ü")
FILES = ("src/app.py", "src/core/app.py", "docs/über.md", "Makefile")


def sentence(luck: random.Random, most: int) -> str:
    """Make a text of up to so many words."""
    return " ".join(luck.choices(WORDS, k=luck.randint(1, most)))


def some(luck: random.Random, values: tuple[str, ...]) -> tuple[str, ...]:
    """Choose some of the values, each once."""
    return tuple(luck.sample(values, luck.randint(0, len(values))))


def random_memory(luck: random.Random, number: int, earlier: list[Memory]) -> Memory:
    """Make a memory of a random shape."""
    superseded = luck.random() < 0.2 and bool(earlier)
    return a_memory(
        kind=luck.choice(KINDS),
        title=sentence(luck, 5),
        content=f"{sentence(luck, 30)} n{number}",
        context=sentence(luck, 4) if luck.random() < 0.3 else "",
        tags=some(luck, TAGS),
        files=some(luck, FILES),
        project=luck.choice(("one", "two")),
        importance=luck.choice((0.1, 0.5, 0.9)),
        status=luck.choice(("candidate", "confirmed", "pinned")),
        sources=some(luck, ("git", "cli")) or ("manual",),
        created_at=NOW + luck.randint(0, 20),
        valid_from=NOW + luck.randint(0, 20),
        expires=NOW + luck.randint(0, 20) if luck.random() < 0.3 else None,
        fades=NOW + luck.randint(0, 20) if luck.random() < 0.3 else None,
        valid_until=NOW + 5 if superseded else None,
        superseded_by=luck.choice(earlier).id if superseded else None,
        reads=luck.randint(0, 3),
    )


def random_filters(luck: random.Random, sessions: list[Session]) -> Filters:
    """Make filters of which a few restrict."""
    open_to: dict[str, object] = {
        "kinds": (luck.choice(KINDS),),
        "projects": ("one",),
        "tags": some(luck, TAGS),
        "file": luck.choice(("app.py", "src", "src/", "über.md", "core", "p.py", "Makefile")),
        "since": NOW + luck.randint(0, 20),
        "until": NOW + luck.randint(0, 20),
        "statuses": ("candidate", "pinned"),
        "min_importance": 0.5,
        "contains": luck.choice(("WALRUS", "strasse", "é", "src/", "n1")),
        "sources": ("git",),
        "session": luck.choice(sessions).id,
        "current_at": NOW + luck.randint(0, 20),
    }
    chosen = luck.sample(sorted(open_to), luck.randint(0, 2))
    return Filters(**{name: open_to[name] for name in chosen})  # type: ignore[arg-type]  # our own names


def assert_alike(matches: Matches, expected: Matches) -> None:
    """Compare two answers; only candidates that tie may change places."""
    assert replace(matches, candidates=()) == replace(expected, candidates=())
    assert set(matches.candidates) == set(expected.candidates)
    assert list(map(shape, matches.candidates)) == list(map(shape, expected.candidates))


def shape(candidate: Candidate) -> tuple[list[float], int]:
    """Return what a candidate is ranked by. Words of one weight tie when they swap counts, so these are sorted."""
    return sorted(round(frequency, 6) for frequency in candidate.frequencies), candidate.length
