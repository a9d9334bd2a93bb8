"""Each store answers as the reference does: the same rows in, the same values out, whatever is asked."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from holdfast.capture.text.terms import terms_of
from holdfast.model.memory import Memory
from holdfast.model.records import Access, Event
from holdfast.model.search import Candidate, Filters, Matches
from holdfast.model.session import Session, Turn
from holdfast.model.vectors import VectorModel
from holdfast.ports import Store
from holdfast.stores.postgres.store import PostgresStore
from holdfast.stores.reference.store import ReferenceStore
from holdfast.stores.sqlite.store import SqliteStore
from tests.contract.builders import NOW, a_memory, a_session, a_turn

WORDS = [
    "walrus", "ocelot", "lynx", "badger", "queue", "queues", "queued", "retry", "retries", "RetryPolicy",
    "parse_config", "src/app.py", "HTTPClient", "utf8", "café", "Straße", "naïve", "日本語", "Ελλάδα", "migration",
    "migrate", "migrating", "the", "and", "of", "404", "v2", "x",
]  # fmt: skip
KINDS = ("fact", "decision", "error")
TAGS = ("red", "green", "dark blue", "ü")
FILES = ("src/app.py", "src/core/app.py", "docs/über.md", "Makefile")
SEEDS = range(4)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two stores with the same rows."""

    store: Store
    reference: Store
    memories: list[Memory]
    sessions: list[Session]
    turns: list[Turn]

    @property
    def both(self) -> tuple[Store, Store]:
        return self.store, self.reference


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


def fill(pair: Pair) -> None:
    """Put the same rows into both stores, change some, remove some."""
    for store in pair.both:
        with store.writing():
            store.memories.insert(pair.memories)
            for session in pair.sessions:
                store.sessions.insert(session)
            store.turns.insert(pair.turns)
            for memory in pair.memories[::7]:
                store.memories.replace(
                    replace(memory, content=memory.content + " walrus", tags=("red",), status="pinned")
                )
            for turn in pair.turns[::5]:
                store.turns.replace(replace(turn, text="masked lynx"))
            store.memories.delete([memory.id for memory in pair.memories[3::11]])
            store.memories.count_read([memory.id for memory in pair.memories[::4]], NOW + 1)
            store.tombstones.add([memory.fingerprint for memory in pair.memories[::6]])
            store.audit.record(Event(action="add", actor="a", at=NOW, ids=("x",), detail={"n": 1}))
            store.accesses.record([Access(memory=one.id, action="get", at=NOW) for one in pair.memories[:9]])


@pytest.fixture(params=("sqlite", "postgres"))
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """Each store there is, empty."""
    opened: Store
    if request.param == "sqlite":
        opened = SqliteStore.open(tmp_path / "store" / "memory.db", project="contract", now=NOW)
    else:
        dsn = request.getfixturevalue("empty_postgres")
        opened = PostgresStore.open(dsn, tenant="local", project="contract", now=NOW)
    yield opened
    opened.close()


@pytest.fixture(params=SEEDS)
def pair(request: pytest.FixtureRequest, store: Store) -> Pair:
    """A store and the reference, full of the same random rows."""
    luck = random.Random(request.param)
    memories: list[Memory] = []
    for number in range(120):
        memories.append(random_memory(luck, number, memories))
    sessions = [
        a_session(project=luck.choice(("one", "two")), started_at=NOW + luck.randint(0, 3)) for _ in range(6)
    ]
    turns = [
        a_turn(
            luck.choice(sessions),
            sentence(luck, 20),
            at=NOW + luck.randint(0, 20),
            files=some(luck, FILES),
            role=luck.choice(("user", "assistant", "Ann", "Tool")),
        )
        for _ in range(60)
    ]
    pair = Pair(store, ReferenceStore("contract"), memories, sessions, turns)
    fill(pair)
    return pair


def assert_alike(one: Matches, other: Matches) -> None:
    """Compare two answers; only candidates that tie may change places."""
    assert replace(one, candidates=()) == replace(other, candidates=())
    assert [shape(candidate) for candidate in one.candidates] == [
        shape(candidate) for candidate in other.candidates
    ]
    assert set(one.candidates) == set(other.candidates)


def shape(candidate: Candidate) -> tuple[list[float], int]:
    """Return what a candidate is ranked by. Words of one weight tie when they swap counts, so these are sorted."""
    return sorted(round(frequency, 6) for frequency in candidate.frequencies), candidate.length


def test_both_stores_give_equal_matches(pair: Pair) -> None:
    """Every count, every candidate."""
    luck = random.Random(99)
    answers = 0
    for _ in range(40):
        terms = terms_of(sentence(luck, 6))
        filters = random_filters(luck, pair.sessions)
        memories = [store.memories.match(terms, filters, 1_000) for store in pair.both]
        assert_alike(*memories)
        assert_alike(*(store.turns.match(terms, filters, 1_000) for store in pair.both))
        answers += bool(memories[0].candidates)
    assert answers > 15


def test_both_stores_match_sessions_alike(pair: Pair) -> None:
    """By the words of all their turns."""
    luck = random.Random(96)
    answers = 0
    for _ in range(40):
        terms = terms_of(sentence(luck, 6))
        filters = random_filters(luck, pair.sessions)
        one, other = (store.sessions.match(terms, filters, 1_000) for store in pair.both)
        assert replace(one, candidates=()) == replace(other, candidates=())
        assert [shape(candidate) for candidate in one.candidates] == [
            shape(candidate) for candidate in other.candidates
        ]
        answers += bool(one.candidates)
    assert answers > 15


def test_both_stores_find_the_same_nearest(pair: Pair) -> None:
    """Whatever the filters, with several chunks a row; the sidecar changes nothing."""
    luck = random.Random(95)
    numbers = np.random.default_rng(95)
    model = VectorModel("random", 12)

    def units(count: int) -> NDArray[np.float32]:
        rows = numbers.standard_normal((count, 12)).astype(np.float32)
        unit: NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit

    vectors = {
        "memory": {memory.id: units(luck.randint(1, 4)) for memory in pair.memories[::2]},
        "turn": {turn.id: units(luck.randint(1, 3)) for turn in pair.turns[::2]},
    }
    for store in pair.both:
        with store.writing():
            store.vectors.switch(model)
            for target, rows in vectors.items():
                store.vectors.put(target, model, rows, None)
    for turn in range(60):
        if turn == 30:
            pair.store.vectors.settle()
        filters, query = random_filters(luck, pair.sessions), units(1)[0]
        for target in vectors:
            for limit in (1, 7, 1_000):
                one, other = (store.vectors.nearest(target, query, filters, limit) for store in pair.both)
                assert [near.cosine for near in one] == pytest.approx([near.cosine for near in other], abs=2e-3)
                if limit == 1_000:  # a shorter answer may end between two that tie but for rounding
                    assert {near.id for near in one} == {near.id for near in other}


def test_a_limit_keeps_the_best_in_both_stores(pair: Pair) -> None:
    """A shorter answer is the beginning of the longer one, but for ids that tie at its end."""
    luck = random.Random(98)
    for _ in range(20):
        terms = terms_of(sentence(luck, 4))
        for store in pair.both:
            whole = [shape(candidate) for candidate in store.memories.match(terms, Filters(), 1_000).candidates]
            cut = [shape(candidate) for candidate in store.memories.match(terms, Filters(), 10).candidates]
            assert cut == whole[:10]


def test_both_stores_give_equal_reads_of_memories(pair: Pair) -> None:
    """Lists, timelines, histories, duplicates and short ids."""
    luck = random.Random(97)
    ids = [memory.id for memory in pair.memories]
    prints = [memory.fingerprint for memory in pair.memories]
    store, reference = (one.memories for one in pair.both)
    assert store.get(ids) == reference.get(ids)
    assert len(store.get(ids)) > 100
    for _ in range(40):
        filters = random_filters(luck, pair.sessions)
        assert store.newest(filters, 50) == reference.newest(filters, 50)
        anchor = luck.choice(reference.get(ids))
        assert store.around(anchor, 4, filters) == reference.around(anchor, 4, filters)
    for memory_id in ids:
        assert store.history(memory_id) == reference.history(memory_id)
        assert store.ending(memory_id[-8:]) == reference.ending(memory_id[-8:])
    for project in ("one", "two", "three"):
        assert store.saying(project, prints) == reference.saying(project, prints)


def test_both_stores_give_equal_reads_of_everything_else(pair: Pair) -> None:
    """Sessions, turns, records and figures."""
    store, reference = pair.both
    for session in pair.sessions:
        assert store.sessions.get(session.id) == reference.sessions.get(session.id)
        assert store.turns.of(session.id) == reference.turns.of(session.id)
    for project in (None, "one", "two"):
        assert store.sessions.newest(project, 4) == reference.sessions.newest(project, 4)
    for text in ("walrus", "é", "masked lynx", "nowhere"):
        assert store.turns.containing(text) == reference.turns.containing(text)
    prints = [memory.fingerprint for memory in pair.memories]
    assert store.tombstones.standing(prints) == reference.tombstones.standing(prints)
    assert store.audit.events(10) == reference.audit.events(10)
    assert store.accesses.recent(20) == reference.accesses.recent(20)
    for moment in (NOW, NOW + 10, NOW + 30):
        assert store.counts(moment) == reference.counts(moment)
    for one, other in zip(asked_of(store), asked_of(reference), strict=True):
        assert one == other


def asked_of(store: Store) -> Iterator[object]:
    """Ask what upkeep asks; the numbers of rows are each store's own."""
    upkeep = store.upkeep
    yield upkeep.totals(), upkeep.memories(), upkeep.accesses(), upkeep.promoted()
    yield upkeep.least_read(3, 1_000)
    yield upkeep.spare_turns(None, 1_000)
    for page in (upkeep.over(NOW + 10, 0, 99), upkeep.promoted_after(0, 99), upkeep.unmerged(0, 200)):
        yield [one for _, one in page]


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=40)
LABEL = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=40)


@settings(max_examples=60)
@given(documents=st.lists(st.tuples(TEXT, LABEL, LABEL), min_size=1, max_size=6), other=TEXT)
def test_both_stores_index_any_text_alike(documents: list[tuple[str, str, str]], other: str) -> None:
    """Whatever a text, a tag or a path holds, the same words are found in it.

    Labels hold no control characters: capture puts a blank in their place.
    """
    rows = [
        a_memory(content=f"{content} {place}", title=content, tags=(tag,), files=(file,))
        for place, (content, tag, file) in enumerate(documents)
    ]
    with TemporaryDirectory() as place:
        sqlite = SqliteStore.open(Path(place) / "store" / "memory.db", project="contract", now=NOW)
        reference = ReferenceStore("contract")
        for store in (sqlite, reference):
            with store.writing():
                store.memories.insert(rows)
        for text in {other, *(text for document in documents for text in document)}:
            terms = terms_of(text)
            assert_alike(
                sqlite.memories.match(terms, Filters(), 100), reference.memories.match(terms, Filters(), 100)
            )
            filters = Filters(contains=text)
            assert sqlite.memories.newest(filters, 100) == reference.memories.newest(filters, 100)
        sqlite.close()
