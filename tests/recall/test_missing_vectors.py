"""However many rows wait for their vectors, a search ranks no worse than by words alone."""

import random

import numpy as np

from holdfast.model.search import Query
from holdfast.model.vectors import VectorModel
from holdfast.recall.channels import Question
from holdfast.recall.ranking import Ranking
from holdfast.recall.search import search
from holdfast.stores.sqlite.store import SqliteStore
from tests.contract.builders import a_memory, a_session, a_turn, keep, keep_turns
from tests.embedders import TOPICS, Topics
from tests.table import table

EMBEDDER = Topics()
MODEL = VectorModel(EMBEDDER.model, EMBEDDER.dimensions)
ROWS = 60
NEAR = 0.01
"""By how much a share of vectors may rank worse than none: one question that moves by a place or two."""

SYLLABLES = ("ba", "ko", "ri", "tu", "zel", "mar", "pon", "sik", "dru", "fen")


def name_of(number: int) -> str:
    """Return a word that few rows have."""
    return SYLLABLES[number % 10] + SYLLABLES[number // 10] + SYLLABLES[(number * 7) % 10]


def text_of(number: int, dice: random.Random) -> str:
    """Return a text with a topic, a name of its own, and names of its neighbours."""
    names = [name_of(number), name_of(number), name_of((number + 1) % ROWS)]
    filler = dice.sample(("the", "team", "runs", "nightly", "checks", "before", "lunch"), 4)
    return " ".join([*filler, TOPICS[number % len(TOPICS)], *names])


def questions() -> list[tuple[int, str]]:
    """Return, by row, what is asked about it: its name, its neighbour's, its topic."""
    return [
        (row, f"{TOPICS[row % len(TOPICS)]} {name_of(row)} {name_of((row + 1) % ROWS)}") for row in range(ROWS)
    ]


def store_of(within: str) -> tuple[SqliteStore, dict[str, str]]:
    """Return a store of many rows, and their texts by id, in order."""
    dice, store = random.Random(7), SqliteStore.in_memory()
    texts = [text_of(number, dice) for number in range(ROWS)]
    with store.writing():
        store.vectors.switch(MODEL)
    if within == "memories":
        memories = [a_memory(content=text, title=f"note {at}") for at, text in enumerate(texts)]
        keep(store, *memories)
        return store, {one.id: one.content for one in memories}
    session = a_session()
    turns = [a_turn(session, text) for text in texts]
    keep_turns(store, session, *turns)
    return store, {one.id: one.text for one in turns}


def embed(store: SqliteStore, target: str, texts: dict[str, str], share: float) -> None:
    """Give a share of the rows, picked at random, their vectors."""
    chosen = random.Random(3).sample(list(texts), round(share * len(texts)))
    with store.writing():
        vectors = {one: np.array(EMBEDDER.embed([texts[one]])) for one in chosen}
        store.vectors.put(target, MODEL, vectors, None)


def rank(store: SqliteStore, ids: list[str], within: str, *, meaning: bool) -> float:
    """Return the mean of 1 / place of what each question is about."""
    total = 0.0
    for row, text in questions():
        query = Query(text=text, within=within, limit=10)
        vector = EMBEDDER.embed_query(text) if meaning else None
        hits = [hit.id for hit in search(Question(query, vector, MODEL), [store], Ranking())]
        total += 1 / (1 + hits.index(ids[row])) if ids[row] in hits else 0.0
    return total / ROWS


@table("share", [0.0, 0.1, 0.3, 0.6, 0.9, 1.0])
@table("within", ["memories", "turns"])
def test_any_share_of_vectors_ranks_no_worse_than_words_alone(within: str, share: float) -> None:
    store, texts = store_of(within)
    ids = list(texts)
    words = rank(store, ids, within, meaning=False)
    embed(store, "memory" if within == "memories" else "turn", texts, share)
    assert words > 0.5
    assert rank(store, ids, within, meaning=True) >= words - NEAR
