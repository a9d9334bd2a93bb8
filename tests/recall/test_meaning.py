"""The search pipeline with vectors: memories, turns and sessions by words and by meaning."""

import numpy as np
import pytest

from holdfast.model.search import Filters, Hit, Query
from holdfast.model.vectors import VectorModel
from holdfast.recall.channels import Question
from holdfast.recall.ranking import Floor, Ranking, Topic
from holdfast.recall.search import search
from holdfast.stores.sqlite.store import SqliteStore
from tests.contract.builders import NOW, a_memory, a_session, a_turn, keep, keep_turns
from tests.embedders import Topics

EMBEDDER = Topics()
MODEL = VectorModel(EMBEDDER.model, EMBEDDER.dimensions)
DAY = 86_400_000


@pytest.fixture
def store() -> SqliteStore:
    """An empty store that keeps the fake embedder's vectors."""
    store = SqliteStore.in_memory()
    with store.writing():
        store.vectors.switch(MODEL)
    return store


def embed(store: SqliteStore) -> None:
    """Give everything its vector."""
    texts = {
        "memory": {row.id: row.content for row in store.memories.walk(None, 1_000)},
        "turn": {row.id: row.text for row in store.turns.walk(None, 1_000)},
    }
    with store.writing():
        for target, said in texts.items():
            vectors = {one: np.array(EMBEDDER.embed([text])) for one, text in said.items()}
            store.vectors.put(target, MODEL, vectors, None)


def ask(store: SqliteStore, text: str, ranking: Ranking | None = None, **fields: object) -> list[Hit]:
    """Search by words and by meaning."""
    query = Query(text=text, **fields)  # type: ignore[arg-type]  # our own names
    vector = None if query.mode == "keyword" else EMBEDDER.embed_query(text)
    return search(Question(query, vector, MODEL), [store], ranking or Ranking())


def ids(hits: list[Hit]) -> list[str]:
    """Return the ids, best first."""
    return [hit.id for hit in hits]


def test_a_memory_is_found_by_meaning_and_says_so(store: SqliteStore) -> None:
    jobs, tint = a_memory(content="jobs go to Redis"), a_memory(content="a dark tint")
    keep(store, jobs, tint)
    embed(store)
    [hit] = ask(store, "colour")
    assert hit.id == tint.id
    assert set(hit.why) == {"keyword", "vector", "complete", "coverage", "cosine"}
    assert hit.score == pytest.approx(hit.why["keyword"] + hit.why["vector"] + hit.why["complete"], abs=0.001)
    assert ids(ask(store, "colour", mode="keyword")) == []
    [near] = ask(store, "colour", mode="vector")
    assert near.why == {"vector": near.score}


def test_words_break_the_tie_between_equal_meanings(store: SqliteStore) -> None:
    plain, named = a_memory(content="jobs in the queue"), a_memory(content="jobs in RabbitMQ queue")
    others = [a_memory(content=f"tint {n}") for n in range(5)]
    keep(store, plain, named, *others)
    embed(store)
    assert ids(ask(store, "queue jobs RabbitMQ")) == [named.id, plain.id]


def test_a_rare_name_beats_a_nearer_meaning(store: SqliteStore) -> None:
    near = [a_memory(content=f"walrus {n}") for n in range(6)]
    named = a_memory(content="the Zanzibar tusks queue colour price")
    keep(store, *near, named)
    embed(store)
    assert ids(ask(store, "walrus"))[0] != named.id
    assert ids(ask(store, "Zanzibar tusks", limit=3))[0] == named.id
    assert ids(ask(store, "tusks", mode="vector"))[0] != named.id


def test_what_waits_for_its_vector_is_found_by_its_words(store: SqliteStore) -> None:
    known, fresh = a_memory(content="jobs go to Redis"), a_memory(content="Redis is slow today")
    keep(store, known)
    embed(store)
    keep(store, fresh)
    assert set(ids(ask(store, "redis jobs"))) == {known.id, fresh.id}


def test_a_chance_word_is_no_answer_where_the_meaning_is_another(store: SqliteStore) -> None:
    keep(
        store,
        a_memory(content="walrus walrus walrus night shift"),
        *(a_memory(content=f"tint {n}") for n in range(9)),
    )
    embed(store)
    question = "queue shift rota"
    assert len(ask(store, question, mode="keyword")) == 1
    assert ask(store, question) == []
    assert len(ask(store, question, Ranking(floor=Floor(share_beside=0), memory_topic=Topic(bar=0)))) == 1


@pytest.mark.parametrize("fusion", ["weighted", "minmax", "rrf"])
def test_every_fusion_finds_what_both_channels_agree_on_first(store: SqliteStore, fusion: str) -> None:
    both = a_memory(content="jobs wait in the queue")
    keep(store, a_memory(content="tasks"), both, a_memory(content="the colour waits"))
    embed(store)
    assert ids(ask(store, "queue wait", Ranking(fusion=fusion)))[0] == both.id


def test_an_answer_is_found_beside_its_question(store: SqliteStore) -> None:
    session = a_session()
    question = a_turn(session, "Which queue do jobs use?")
    answer = a_turn(session, "Redis, since Monday.", role="assistant")
    far = a_turn(session, "Lunch?")
    keep_turns(store, session, question, answer, *(a_turn(session, f"tint {n}") for n in range(4)), far)
    embed(store)
    ranked = ask(store, "queue jobs", Ranking(floor=Floor(cosine=0, share=0)), within="turns")
    assert ids(ranked)[0] == question.id
    parts = {hit.id: hit.why for hit in ranked}
    assert parts[answer.id]["neighbours"] > parts[far.id]["neighbours"]
    assert parts[question.id].keys() == {"keyword", "vector", "neighbours", "session", "speaker", "date", "person"}


def test_what_stands_two_turns_from_a_match_is_lent_less_than_what_stands_beside_it(store: SqliteStore) -> None:
    session = a_session()
    question = a_turn(session, "Which queue do jobs use?")
    beside, behind, far = (a_turn(session, text) for text in ("Well.", "Redis.", "Lunch?"))
    keep_turns(store, session, question, beside, behind, *(a_turn(session, "Hm.") for _ in range(3)), far)
    embed(store)
    hits = ask(store, "queue jobs", Ranking(floor=Floor(cosine=0, share=0)), within="turns")
    lent = {hit.id: hit.why["neighbours"] for hit in hits}
    assert lent[beside.id] > lent[behind.id] > lent[far.id]


def test_the_more_is_gone_through_the_nearer_a_memory_must_be(store: SqliteStore) -> None:
    """Of many turns some come near to anything, and what was learnt from them does as well."""
    keep(store, a_memory(content="walrus price night shift"))
    embed(store)
    question = "queue colour night"
    assert len(ask(store, question)) == 1
    session = a_session()
    keep_turns(store, session, *(a_turn(session, f"price {n}") for n in range(400)))
    embed(store)
    assert len(ask(store, question, within="memories")) == 1
    assert ask(store, question) == []


def test_a_named_speaker_and_date_count(store: SqliteStore) -> None:
    session = a_session()
    ann = a_turn(session, "The walrus sleeps", role="Ann", at=1_683_500_000_000)
    bob = a_turn(session, "The walrus sleeps", role="Bob", at=1_683_500_000_000)
    later = a_turn(session, "The walrus sleeps", role="Ann", at=1_683_500_000_000 + 90 * DAY)
    keep_turns(store, session, bob, later, ann)
    embed(store)
    first = ask(store, "What did Ann say of the walrus on 7 May 2023?", within="turns")[0]
    assert (first.id, first.why["speaker"], first.why["date"]) == (ann.id, 0.2, 0.1)


def test_a_session_is_found_by_its_best_turns_and_its_whole_text(store: SqliteStore) -> None:
    right, wrong = a_session(ref="right"), a_session(ref="wrong")
    keep_turns(store, right, a_turn(right, "Where do jobs go?"), a_turn(right, "The queue moved to Postgres"))
    keep_turns(store, wrong, a_turn(wrong, "The tint is dark"), a_turn(wrong, "Postgres is fine"))
    embed(store)
    hit = ask(store, "tasks postgres", within="sessions")[0]
    assert (hit.ref, hit.kind) == ("right", "session")
    assert hit.score == pytest.approx(sum(hit.why.values()), abs=0.001)


def test_a_filter_keeps_neighbours_out_too(store: SqliteStore) -> None:
    session = a_session()
    early, late = a_turn(session, "the queue"), a_turn(session, "jobs in the queue", at=NOW + 9)
    keep_turns(store, session, early, late)
    embed(store)
    assert ids(ask(store, "queue", within="turns", filters=Filters(since=NOW + 1))) == [late.id]


def test_within_all_everything_stands_together(store: SqliteStore) -> None:
    session = a_session()
    keep(store, a_memory(content="jobs"))
    keep_turns(store, session, a_turn(session, "tasks"))
    embed(store)
    assert {hit.kind for hit in ask(store, "queue", within="all")} == {"fact", "turn", "session"}


MANY = 12


def converse(store: SqliteStore, text: str) -> None:
    """Let many sessions say the same several times over."""
    for _ in range(MANY):
        session = a_session()
        keep_turns(store, session, *(a_turn(session, text) for _ in range(4)))


@pytest.mark.parametrize("mode", ["hybrid", "keyword", "vector"])
@pytest.mark.parametrize("fusion", ["weighted", "minmax", "rrf"])
def test_within_all_a_turn_and_its_session_score_no_more_than_a_memory_that_says_the_same(
    store: SqliteStore, mode: str, fusion: str
) -> None:
    """Neighbours and the session add to a turn, but to what it could have as well."""
    text = "jobs wait in the queue"
    keep(store, a_memory(content=text, title=text))
    converse(store, text)
    embed(store)
    hits = ask(store, "where does the queue wait", Ranking(fusion=fusion), within="all", mode=mode, limit=99)
    best = {kind: max(hit.score for hit in hits if hit.kind == kind) for kind in ("fact", "turn", "session")}
    assert best["fact"] >= 0.7 * max(best["turn"], best["session"])
    assert max(best["turn"], best["session"]) <= 1


def test_within_all_scores_fall_and_their_parts_add_up(store: SqliteStore) -> None:
    keep(store, a_memory(content="jobs wait in the queue"))
    converse(store, "which queue do jobs use?")
    embed(store)
    hits = ask(store, "queue jobs", within="all", limit=20)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    for hit in hits:
        parts = {name: value for name, value in hit.why.items() if name not in ("coverage", "cosine")}
        assert hit.score == pytest.approx(sum(parts.values()), abs=0.001)


def test_within_all_the_best_of_each_are_among_the_hits(store: SqliteStore) -> None:
    """One memory that answers, behind any number of turns and sessions that only repeat the question."""
    answer = a_memory(content="tasks and the tint of a walrus")
    keep(store, answer)
    converse(store, "which queue do jobs use?")
    embed(store)
    hits = ask(store, "which queue do jobs use?", within="all", limit=5)
    assert {hit.kind for hit in hits} == {"fact", "turn", "session"}
    assert len(hits) == 5
    assert hits[-1].id == answer.id
    assert len(ask(store, "which queue do jobs use?", within="all", limit=1)) == 1


@pytest.mark.parametrize(
    ("spoilt", "meant"),
    [("walrsu", "walrus"), ("walru", "walrus"), ("postg", "postgres"), ("kubernets", "kubernetes")],
)
def test_a_word_that_matches_nothing_is_taken_for_the_nearest(store: SqliteStore, spoilt: str, meant: str) -> None:
    wanted = a_memory(content=f"the {meant} sleeps")
    keep(store, wanted, *(a_memory(content=f"other thing {n}") for n in range(5)))
    assert ids(ask(store, spoilt, mode="keyword")) == [wanted.id]


def test_a_word_that_matches_is_not_widened(store: SqliteStore) -> None:
    exact, longer = a_memory(content="the cache"), a_memory(content="the cachepot")
    keep(store, exact, longer)
    assert ids(ask(store, "cache", mode="keyword")) == [exact.id]


def test_a_question_about_nothing_that_is_kept_finds_nothing(store: SqliteStore) -> None:
    session = a_session()
    keep(store, *(a_memory(content=f"the {word} of the queue") for word in ("tint", "size", "age")))
    keep_turns(store, session, a_turn(session, "jobs wait in the queue of the shop"))
    embed(store)
    assert ask(store, "how do I bake sourdough bread in the oven of a shop?") == []
    assert ask(store, "where do jobs wait?")


def test_what_a_person_said_stands_before_what_an_agent_says_alike(store: SqliteStore) -> None:
    session = a_session()
    agent = a_turn(session, "jobs wait in the queue", role="assistant")
    person = a_turn(session, "jobs wait in the queue", role="user")
    keep_turns(store, session, agent, a_turn(session, "fine"), a_turn(session, "lunch"), person)
    embed(store)
    assert ids(ask(store, "queue jobs", within="turns"))[:2] == [person.id, agent.id]


def test_a_row_that_waits_for_its_vector_is_ranked_by_its_words(store: SqliteStore) -> None:
    waits = a_memory(content="walrus lynx ocelot")
    keep(store, a_memory(content="the tint of a walrus"), a_memory(content="the size of a walrus"))
    embed(store)
    keep(store, waits)
    assert ids(ask(store, "walrus lynx ocelot"))[0] == waits.id
