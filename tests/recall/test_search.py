"""The search pipeline over stores."""

import pytest

from holdfast.model.search import Filters, Hit, Query
from holdfast.recall.brief.weights import turn_trust
from holdfast.recall.channels import Question
from holdfast.recall.ranking import Floor, Ranking
from holdfast.recall.search import search
from holdfast.stores.sqlite.store import SqliteStore
from tests.contract.builders import NOW, a_memory, a_session, a_turn, keep, keep_turns
from tests.table import table

FLOOR = Floor(share=0.1)


def ask(store: SqliteStore, text: str, *more: SqliteStore, floor: Floor = FLOOR, **fields: object) -> list[Hit]:
    """Search the stores by words."""
    query = Query(text=text, **({"mode": "keyword"} | fields))  # type: ignore[arg-type]  # our own names
    return search(Question(query), [store, *more], Ranking(floor=floor))


def ids(hits: list[Hit]) -> list[str]:
    """Return the hits' ids, best first."""
    return [hit.id for hit in hits]


def test_a_hit_says_what_it_is_and_why(store: SqliteStore) -> None:
    """Everything but the content."""
    session = a_session()
    memory = a_memory(
        content="Walrus. Long text.",
        kind="decision",
        sources=("git", "cli"),
        trust="imported",
        session=session.id,
        files=("src/walrus.py", "b.py"),
    )
    keep(store, memory, a_memory(content="other"))
    [hit] = ask(store, "walrus")
    assert hit == Hit(
        id=memory.id,
        ref=None,
        session=session.id,
        title="Walrus",
        kind="decision",
        score=hit.score,
        created_at=NOW,
        source="git",
        trust="imported",
        status="candidate",
        why={"keyword": hit.score, "coverage": 1.0},
        snippet="**Walrus**. Long text.",
        file="src/walrus.py",
    )
    assert hit.score > 0


def test_hits_come_best_first_and_no_more_than_asked(store: SqliteStore) -> None:
    """With scores that fall."""
    keep(store, *(a_memory(title="t", content=f"walrus {'pad ' * place} {place}") for place in range(9)))
    hits = ask(store, "walrus", limit=4)
    assert len(hits) == 4
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert ids(hits) == ids(ask(store, "walrus", limit=9))[:4]


def test_a_query_without_words_finds_nothing(store: SqliteStore) -> None:
    """In no part of the store."""
    keep(store, a_memory())
    for within in ("memories", "turns", "sessions", "all"):
        assert ask(store, "?!", within=within) == []


def test_what_shares_too_little_with_the_query_is_no_answer(store: SqliteStore) -> None:
    """However it compares with the rest."""
    common = [a_memory(title="t", content=f"the lynx number {place}") for place in range(20)]
    keep(store, *common)
    query = "lynx walrus ocelot badger heron otter stoat weasel mole shrew vole newt"
    assert ask(store, query) == []
    assert len(ask(store, query, floor=Floor(share=0))) == 10


def test_two_stores_are_scored_as_one(store: SqliteStore) -> None:
    """The user's own memories stand among the project's by merit."""
    user = SqliteStore.in_memory("user")
    weak = a_memory(title="t", content="a walrus in a rather long text about everything else")
    strong = a_memory(title="walrus", content="walrus", project="user")
    keep(store, weak, *(a_memory(content=f"other {n}") for n in range(5)))
    keep(user, strong)
    assert ids(ask(store, "walrus", user)) == [strong.id, weak.id]
    one = SqliteStore.in_memory()
    keep(one, *store.memories.newest(Filters(), 99)[::-1], strong)
    assert [hit.score for hit in ask(store, "walrus", user)] == [hit.score for hit in ask(one, "walrus")]


def test_filters_reach_the_store(store: SqliteStore) -> None:
    """Before the limit."""
    wanted = a_memory(content="walrus among other words", kind="decision")
    keep(store, *(a_memory(content=f"walrus {n}") for n in range(200)), wanted)
    assert ids(ask(store, "walrus", limit=1, filters=Filters(kinds=("decision",)))) == [wanted.id]


def test_a_turn_is_found_with_its_ref_and_session(store: SqliteStore) -> None:
    """Its role is its source, and who spoke decides its trust."""
    session = a_session()
    said = a_turn(session, "The walrus sleeps. Quietly.", ref="m1", role="user", at=NOW + 4)
    ran = a_turn(session, "walrus walrus", role="assistant", tool="bash")
    answered = a_turn(session, "about a walrus then, in more words", role="assistant")
    keep_turns(store, session, said, ran, answered, a_turn(session, "nothing"))
    found = [*ask(store, "walrus", within="turns"), *ask(store, "walrus", within="tool")]
    hits = {hit.id: hit for hit in found}
    hit = hits[said.id]
    assert hit == Hit(
        id=said.id, ref="m1", session=session.id, title="The walrus sleeps", kind="turn", score=hit.score,
        created_at=NOW + 4, source="user", trust="user", status=None, why={"keyword": hit.score, "coverage": 1.0},
        snippet="The **walrus** sleeps. Quietly.",
    )  # fmt: skip
    assert {name: hits[turn.id].trust for name, turn in (("ran", ran), ("answered", answered))} == {
        "ran": "tool",
        "answered": "agent",
    }
    assert len(hits) == 3


def test_a_turn_is_trusted_in_a_search_as_it_is_in_a_brief(store: SqliteStore) -> None:
    """However its client calls the person; a commit was read from the history."""
    session = a_session()
    trusts = {"User": "user", "human": "user", "commit": "imported", "assistant": "agent", "relayed": "agent"}
    turns = [a_turn(session, "The walrus sleeps.", role=role) for role in trusts]
    keep_turns(store, session, *turns)
    assert {hit.source: hit.trust for hit in ask(store, "walrus", within="turns")} == trusts
    assert {turn.role: turn_trust(turn) for turn in turns} == trusts


def test_a_session_is_found_by_its_turns(store: SqliteStore) -> None:
    """Several good turns beat one, and its summary is its title."""
    much = a_session(agent="codex", ref="run-1", summary="Moved the walrus. Then slept.", started_at=NOW - 9)
    little = a_session(agent="claude-code")
    keep_turns(store, much, *(a_turn(much, f"walrus {n}") for n in range(3)))
    keep_turns(store, little, a_turn(little, "walrus 9"), a_turn(little, "other"))
    first, second = ask(store, "walrus", within="sessions")
    assert (first.id, first.ref, first.session, first.title) == (much.id, "run-1", much.id, "Moved the walrus")
    assert (first.kind, first.source, first.created_at, first.status) == ("session", "codex", NOW - 9, "active")
    assert (second.id, second.title) == (little.id, "claude-code session")
    assert (first.why["turns"], second.why["turns"]) == (3.0, 1.0)
    assert first.score == pytest.approx(second.score * 1.75, abs=0.001)


def test_within_all_everything_stands_together_by_score(store: SqliteStore) -> None:
    """Memories, turns and sessions."""
    session = a_session()
    keep(store, a_memory(content="walrus"))
    keep_turns(store, session, a_turn(session, "walrus"))
    hits = ask(store, "walrus", within="all")
    assert sorted(hit.kind for hit in hits) == ["fact", "session", "turn"]
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert len(ask(store, "walrus", within="all", limit=2)) == 2


@table("size", [1, 2, 10])
def test_in_a_small_store_unknown_words_do_not_hide_what_is_known(size: int) -> None:
    """A new user's first questions hold words that nothing was said about yet."""
    store = SqliteStore.in_memory()
    keep(store, *(a_memory(content=f"Redis lists are the queue, note {place}") for place in range(size)))
    assert len(ask(store, "what did we choose for background processing: redis or rabbitmq?")) == size
    assert len(ask(store, "queue sizing policy")) == size


def test_what_tools_printed_is_found_only_where_it_is_asked_for(store: SqliteStore) -> None:
    session = a_session()
    printed = a_turn(session, "walrus walrus", role="tool", tool="bash")
    said = a_turn(session, "the walrus sleeps")
    keep_turns(store, session, printed, said)
    for within in ("known", "turns", "all"):
        assert printed.id not in ids(ask(store, "walrus", within=within))
        assert said.id in ids(ask(store, "walrus", within=within))
    assert ids(ask(store, "walrus", within="tool")) == [printed.id]


def test_unless_told_where_a_search_goes_through_memories_and_what_was_said(store: SqliteStore) -> None:
    session = a_session()
    memory, said = a_memory(content="the lynx naps"), a_turn(session, "the retry cap is five")
    keep(store, memory)
    keep_turns(store, session, said)
    assert ids(ask(store, "retry cap")) == [said.id]
    assert ids(ask(store, "lynx")) == [memory.id]
    assert {hit.kind for hit in ask(store, "the lynx retry")} == {"fact", "turn"}


@pytest.mark.parametrize(
    "filters", [Filters(kinds=("fact",)), Filters(statuses=("candidate",)), Filters(min_importance=0.1)]
)
def test_a_filter_that_only_memories_have_leaves_out_what_was_said(store: SqliteStore, filters: Filters) -> None:
    session = a_session()
    memory = a_memory(content="the walrus")
    keep(store, memory)
    keep_turns(store, session, a_turn(session, "walrus"))
    assert ids(ask(store, "walrus", filters=filters)) == [memory.id]
