"""Search, timeline and lists through the Python API."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from holdfast import Hit, Holdfast
from holdfast.errors import InvalidInput
from holdfast.machine import failures
from holdfast.model.limits import DAY_MS
from tests.conftest import FakeClock


def ids(hits: list[Hit]) -> list[str]:
    """Return the ids of hits, best first."""
    return [hit.id for hit in hits]


def test_a_hit_carries_its_date_source_and_trust(memory: Holdfast, clock: FakeClock) -> None:
    """Enough to decide whether to read the rest."""
    session = memory.start_session()
    added = memory.add(
        "The walrus sleeps. At night.", kind="fact", source="chat", trust="user", session=session.id
    )
    [hit] = memory.search("walrus")
    assert hit == Hit(
        id=added.id or "", ref=None, session=session.id, title="The walrus sleeps", kind="fact", score=hit.score,
        created_at=clock.now(), source="chat", trust="user", status="confirmed", why=hit.why,
        snippet="The **walrus** sleeps. At night.",
    )  # fmt: skip
    assert set(hit.why) == {"keyword", "vector", "complete", "coverage", "cosine", "hashing-fnv1a-v1"}
    assert hit.why["coverage"] == 1.0


def test_every_filter_restricts(memory: Holdfast, subtests: pytest.Subtests) -> None:
    """Alone and together."""
    added = {
        "a": memory.add("walrus walrus first", kind="decision", tags=["red", "blue"], importance=0.9, at="5d"),
        "b": memory.add("walrus the second one", kind="fact", tags=["red"], files=["src/app.py"], at="2d"),
        "c": memory.add("walrus and the third of them", trust="user"),
    }
    for options, expected in [
        ({}, {"a", "b", "c"}),
        ({"kinds": ["decision"]}, {"a"}),
        ({"kinds": ["decision", "fact"]}, {"a", "b"}),
        ({"tags": ["red"]}, {"a", "b"}),
        ({"tags": ["red", "blue"]}, {"a"}),
        ({"file": "app.py"}, {"b"}),
        ({"file": "src"}, {"b"}),
        ({"status": "confirmed"}, {"c"}),
        ({"min_importance": 0.8}, {"a"}),
        ({"contains": "SECOND"}, {"b"}),
        ({"since": "1d"}, {"c"}),
        ({"until": "1d"}, {"a", "b"}),
        ({"since": "3d", "until": "1d"}, {"b"}),
        ({"mode": "keyword", "limit": 1}, {"a"}),
    ]:
        with subtests.test(options=options, expected=expected):
            found = ids(memory.search("walrus", **options))  # type: ignore[arg-type]  # the API's own names
            assert {name for name, one in added.items() if one.id in found} == expected


def test_what_no_longer_holds_is_not_found(memory: Holdfast, clock: FakeClock) -> None:
    """Expired, superseded; get still gives it."""
    short = memory.add("walrus until tomorrow", expires="1d")
    stays = memory.add("walrus for good")
    assert set(ids(memory.search("walrus"))) == {short.id, stays.id}
    clock.advance(DAY_MS)
    assert ids(memory.search("walrus")) == [stays.id]
    assert [found.id for found in memory.list()] == [stays.id]
    assert memory.get(short.id or "")[0].content == "walrus until tomorrow"


def test_an_expired_memory_lives_again_when_it_is_said_again(memory: Holdfast, clock: FakeClock) -> None:
    """As the same entry."""
    first = memory.add("walrus until tomorrow", expires="1d")
    clock.advance(2 * DAY_MS)
    again = memory.add("walrus until tomorrow")
    assert (again.id, again.duplicate) == (first.id, True)
    assert ids(memory.search("walrus")) == [first.id]


def test_parts_of_names_and_inflections_are_found(memory: Holdfast) -> None:
    """As people remember them."""
    added = memory.add("Retrying in fetchUserSession() broke src/http_client.py")
    for query in ("retries", "user session", "fetchUserSession", "http client", "CLIENT.py"):
        assert ids(memory.search(query)) == [added.id], query


def test_nothing_relevant_means_no_hits(memory: Holdfast) -> None:
    """Not the best of nothing."""
    memory.add_many([{"content": f"the lynx number {number}"} for number in range(20)])
    assert memory.search("lynx walrus ocelot badger heron otter stoat weasel mole shrew vole newt toad") == []
    assert memory.search("") == []
    assert memory.search("…") == []


def test_the_timeline_shows_what_came_before_and_after(memory: Holdfast, clock: FakeClock) -> None:
    """Oldest first, without full contents, the anchor marked."""
    added = []
    for number in range(7):
        clock.advance(1_000)
        added.append(memory.add(f"Step {number}. " + "word " * 200, kind="task_progress"))
    entries = memory.timeline(added[3].id or "", window=2)
    assert [entry.id for entry in entries] == [one.id for one in added[1:6]]
    assert [entry.anchor for entry in entries] == [False, False, True, False, False]
    assert [entry.title for entry in entries] == [f"Step {number}" for number in range(1, 6)]
    assert all(len(entry.excerpt) <= 400 and entry.excerpt.endswith("…") for entry in entries)
    assert [entry.id for entry in memory.timeline(added[0].id or "", window=0)] == [added[0].id]


def test_the_list_is_newest_first_by_kind_and_limit(memory: Holdfast, clock: FakeClock) -> None:
    """Both scopes together."""
    one = memory.add("one", kind="fact")
    clock.advance(1)
    two = memory.add("two", kind="decision", scope="user")
    clock.advance(1)
    three = memory.add("three", kind="fact")
    assert [found.id for found in memory.list()] == [three.id, two.id, one.id]
    assert [found.id for found in memory.list(kind="fact")] == [three.id, one.id]
    assert [found.id for found in memory.list(limit=1)] == [three.id]


def test_a_full_memory_of_64_kib_is_kept_and_found(memory: Holdfast) -> None:
    """To the last word."""
    text = "word " * 13_000 + "walrus"
    added = memory.add(text)
    assert ids(memory.search("walrus")) == [added.id]
    assert memory.get(added.id or "")[0].content == text


def test_a_word_is_found_as_it_is_half_typed_or_misspelt(memory: Holdfast, subtests: pytest.Subtests) -> None:
    """Also where the stem in the index is no word that the index would know."""
    for typed, title in [
        ("databse", "The database lives on node three"),
        ("datab", "The database lives on node three"),
        ("relase", "Every release is signed"),
        ("relea", "Every release is signed"),
        ("respnse", "The response is cached"),
        ("licnse", "The license header is checked"),
        ("migratoin", "A migration needs a lock"),
        ("pars", "Parsing happens early"),
        ("PARS", "Parsing happens early"),
        ("kubernetis", "Kubernetes runs the workers"),
    ]:
        with subtests.test(typed=typed, title=title):
            memory.add("The database lives on node three")
            memory.add("Every release is signed")
            memory.add("The response is cached")
            memory.add("The license header is checked")
            memory.add("A migration needs a lock")
            memory.add("Parsing happens early")
            memory.add("Kubernetes runs the workers")
            assert [hit.title for hit in memory.search(typed, mode="keyword")] == [title]


def test_a_misspelt_word_is_found_among_however_many(memory: Holdfast) -> None:
    """There is no end to the words that begin with an s."""
    words = [
        f"s{chr(97 + n % 11)}{n:x}".translate(str.maketrans("0123456789", "ghijklmnop")) for n in range(7_000)
    ]
    memory.add_many([{"content": " ".join(words[at : at + 100])} for at in range(0, len(words), 100)])
    memory.add("the szybrowek limiter")
    assert [hit.title for hit in memory.search("szybrwek", mode="keyword")] == ["the szybrowek limiter"]


def test_a_report_says_what_was_searched_found_and_never_found(memory: Holdfast) -> None:
    found = memory.add("the walrus sleeps", kind="fact")
    memory.add("an ocelot", kind="fact")
    memory.search("walrus", mode="keyword")
    memory.search("zeppelin", mode="keyword")
    report = memory.accesses()
    assert (report.searches, report.memories, report.never_found, report.never_read) == (2, 2, 1, 2)
    assert [one.id for one in report.found] == [found.id]
    assert [one.query for one in report.unanswered] == ["zeppelin"]


@pytest.mark.parametrize("scope", ["project", "user"])
def test_who_looks_whether_what_they_forgot_is_gone_leaves_no_word_of_it(memory: Holdfast, scope: str) -> None:
    """However much is done in between, and though something else is found."""
    memory.add("the walrus sleeps", kind="fact")
    memory.forget(str(memory.add("the zeppelin leaves at noon", kind="fact", scope=scope).id))
    memory.add_many([{"content": f"number {number}", "kind": "fact"} for number in range(3)])
    for number in range(250):
        memory.update(memory.list(limit=1)[0].id, context=f"touched {number}")
    assert memory.search("zeppelin", mode="keyword") == []
    assert memory.search("zeppelin walrus", mode="keyword") != []
    assert (memory.accesses().unanswered, memory.accesses().searched) == ((), ())


def test_recall_lets_a_reranker_of_ones_own_have_the_last_word(tmp_path: Path) -> None:
    class Shortest:
        def rerank(self, query: str, texts: Sequence[str]) -> list[float]:
            return [1 / len(text) for text in texts]

    with Holdfast.open(tmp_path, reranker=Shortest()) as opened:
        opened.add("walrus walrus walrus in many words", kind="fact")
        short = opened.add("a walrus", kind="fact")
        first = opened.recall("walrus", contains="walrus")[0]
    assert first.id == short.id
    with pytest.raises(InvalidInput, match="reranker"):
        Holdfast.open(tmp_path, reranker=object())  # type: ignore[arg-type]  # what a caller may do


@pytest.mark.parametrize("opinions", [[0.5], None, ["much"], [0.5, float("nan"), 0.1]])
def test_a_reranker_that_fails_leaves_the_order_as_it_was_and_a_trace(
    tmp_path: Path, opinions: list[float] | None
) -> None:
    class Failing:
        asked = ""

        def rerank(self, query: str, texts: Sequence[str]) -> list[float]:
            self.asked = query
            if opinions is None:
                raise ConnectionError("nobody there")
            return opinions

    token = "ghp_" + "a1B2" * 9
    failing = Failing()
    with Holdfast.open(tmp_path, reranker=failing) as opened:
        for content in ("a walrus", "the walrus sleeps", "a walrus swims"):
            opened.add(content, kind="fact")
        question = f"walrus {token}"
        hits = [hit.id for hit in opened.search(question, limit=2)]
        assert [answer.id for answer in opened.recall(question, k=2)] == hits
    assert "walrus" in failing.asked
    assert token not in failing.asked
    [problem] = [problem for _, step, problem in failures.failures(str(tmp_path)) if step == "rerank"]
    assert "nobody there" not in problem


def test_a_question_without_a_letter_finds_nothing(memory: Holdfast) -> None:
    session = memory.start_session("codex")
    session.record("user", "ok")
    memory.add("ok", kind="fact")
    memory.flush()
    assert memory.search("?!") == []


def test_within_none_is_the_default(memory: Holdfast) -> None:
    memory.add("the walrus sleeps", kind="fact")
    assert [hit.id for hit in memory.search("walrus", within=None)] == [
        hit.id for hit in memory.search("walrus", within="known")
    ]
