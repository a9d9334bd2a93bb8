"""Keyword candidates: which documents, with what counts; ranking is left to the caller."""

import pytest

from holdfast.capture.text.terms import terms_of
from holdfast.model.search import Candidate, Filters, Matches
from holdfast.ports import Store
from holdfast.testing.builders import NOW, a_memory, keep

FRUGAL_BUDGET = 10

HOSTILE = (
    '"',
    '""" OR "',
    'content:walrus AND NOT "x',
    "walrus*",
    "^walrus",
    "NEAR(walrus sleeps, 2)",
    "{content title}: walrus",
    "walrus) OR (1",
    "- + ~ ! @ # $ % ^ & ( ) = ' ; : , . / \\ | ? < >",
    "'; DROP TABLE memory; --",
    "walrus\x00sleeps",
    "\ud800walrus",
    "😀 walrus 👩‍👩‍👧",
    "a" * 5_000,
    " ".join(f"word{number}" for number in range(500)),
)


def match(store: Store, query: str, limit: int = 100, **filters: object) -> Matches:
    """Ask a store for a query's candidates."""
    return store.memories.match(terms_of(query), Filters(**filters), limit)  # type: ignore[arg-type]  # our own names


def ids(matches: Matches) -> list[str]:
    """Return the candidates' ids, best first."""
    return [candidate.id for candidate in matches.candidates]


class MatchingContract:
    """`ports.Memories.match`."""

    def test_a_match_reports_counts_by_term(self, store: Store) -> None:
        first = a_memory(title="t", content="walrus walrus ice", kind="fact")
        second = a_memory(title="t", content="walrus", kind="fact")
        third = a_memory(title="t", content="ocelot", kind="fact")
        keep(store, first, second, third)
        assert match(store, "ice walrus penguin") == Matches(
            documents=3,
            tokens=11,
            document_frequencies=(1, 2, 0),
            searched=(True, True, True),
            candidates=(Candidate(first.id, (2.0, 4.0, 0.0), 5), Candidate(second.id, (0.0, 2.0, 0.0), 3)),
        )

    def test_each_column_counts_with_its_weight(self, store: Store) -> None:
        columns: dict[str, dict[str, object]] = {
            "content": {"content": "walrus"},
            "title": {"content": "c1", "title": "walrus"},
            "tags": {"content": "c2", "tags": ("walrus",)},
            "files": {"content": "c3", "files": ("src/walrus.py",)},
            "context": {"content": "c4", "context": "walrus"},
            "identifiers": {"content": "walrusHandler"},
        }
        memories = {name: a_memory(**({"title": "t"} | fields)) for name, fields in columns.items()}
        keep(store, *memories.values())
        frequencies = {candidate.id: candidate.frequencies for candidate in match(store, "walrus").candidates}
        assert {name: frequencies[memory.id] for name, memory in memories.items()} == {
            "content": (2.0,),
            "title": (2.0,),
            "tags": (1.5,),
            "files": (1.2,),
            "context": (1.0,),
            "identifiers": (1.0,),
        }

    def test_the_kind_is_a_word_of_the_memory(self, store: Store) -> None:
        decision, fact = a_memory(kind="decision"), a_memory(kind="fact")
        keep(store, decision, fact)
        assert match(store, "decision").candidates[0].frequencies == (1.0,)
        assert ids(match(store, "decision")) == [decision.id]

    def test_words_match_by_their_stem_without_case_or_accents(self, store: Store) -> None:
        memory = a_memory(content="Migrations were RUNNING in the Café")
        keep(store, memory, a_memory(content="unrelated"))
        for query in ("migration", "migrate", "run", "runs", "cafe", "CAFÉ"):
            assert ids(match(store, query)) == [memory.id], query

    @pytest.mark.parametrize(
        ("query", "letter"),
        [
            ("user", "a"),
            ("session", "a"),
            ("getUserSession", "a"),
            ("http", "b"),
            ("client", "b"),
            ("retry", "c"),
            ("policy", "c"),
            ("billing", "d"),
            ("invoice", "d"),
            ("utf", "e"),
        ],
    )
    def test_the_parts_of_joined_identifiers_are_found(self, store: Store, query: str, letter: str) -> None:
        memories = {
            "a": a_memory(content="call getUserSession() first"),
            "b": a_memory(content="see HTTPClient"),
            "c": a_memory(content="set retry_policy to none"),
            "d": a_memory(content="lives there", files=("src/billing.invoiceTotals.py",)),
            "e": a_memory(content="always utf8"),
        }
        keep(store, *memories.values())
        assert ids(match(store, query)) == [memories[letter].id]

    def test_rarer_words_and_shorter_documents_come_first(self, store: Store) -> None:
        common = [a_memory(content=f"walrus note{place}") for place in range(6)]
        rare = a_memory(content="ocelot note", created_at=NOW - 100)
        padding = " ".join(f"padding{place}" for place in range(60))
        long = a_memory(content=f"ocelot {padding}")
        keep(store, *common, long, rare)
        assert ids(match(store, "walrus ocelot"))[:2] == [rare.id, long.id]

    def test_the_limit_keeps_the_best_and_the_counts_of_all(self, store: Store) -> None:
        weak = [a_memory(content=f"walrus among many other words {place}") for place in range(5)]
        best = a_memory(content="walrus walrus")
        keep(store, *weak, best, a_memory(content="other"))
        matches = match(store, "walrus", limit=1)
        assert (ids(matches), matches.documents, matches.document_frequencies) == ([best.id], 7, (6,))

    def test_filters_come_before_the_limit(self, store: Store) -> None:
        better = [a_memory(content=f"walrus walrus walrus {place}") for place in range(30)]
        decision = a_memory(content="a walrus stands among rather many words that say nothing", kind="decision")
        keep(store, *better, decision)
        assert ids(match(store, "walrus", limit=1, kinds=("decision",))) == [decision.id]

    def test_filters_leave_the_counts_alone(self, store: Store) -> None:
        keep(store, a_memory(content="walrus one"), a_memory(content="walrus two", kind="decision"))
        filtered_matches = match(store, "walrus", kinds=("decision",))
        all_matches = match(store, "walrus")
        assert (filtered_matches.documents, filtered_matches.tokens, filtered_matches.document_frequencies) == (
            all_matches.documents,
            all_matches.tokens,
            all_matches.document_frequencies,
        )
        assert (len(filtered_matches.candidates), len(all_matches.candidates)) == (1, 2)

    def test_no_candidate_means_no_tokens_but_known_documents(self, store: Store) -> None:
        keep(store, a_memory(), a_memory())
        assert match(store, "penguin") == Matches(
            documents=2, tokens=0, document_frequencies=(0,), searched=(True,), candidates=()
        )

    def test_an_empty_store_has_nothing(self, store: Store) -> None:
        assert match(store, "walrus ocelot") == Matches(
            documents=0, tokens=0, document_frequencies=(0, 0), searched=(True, True), candidates=()
        )

    @pytest.mark.parametrize("query", HOSTILE, ids=range(len(HOSTILE)))
    def test_no_query_is_read_as_syntax(self, store: Store, query: str) -> None:
        walrus = a_memory(title="t", content="the walrus here")
        keep(store, walrus, a_memory(title="t", content="xylophone"))
        assert ids(match(store, query)) == ([walrus.id] if "walrus" in query else [])

    def test_past_the_budget_the_most_frequent_terms_are_left_out(self, frugal_store: Store) -> None:
        rare = a_memory(content="walrus ocelot lynx")
        keep(frugal_store, rare, *(a_memory(content=f"lynx ocelot {place}") for place in range(3)))
        keep(frugal_store, *(a_memory(content=f"lynx {place} again") for place in range(4)))
        matches = match(frugal_store, "lynx walrus ocelot")
        assert (matches.document_frequencies, matches.searched) == ((8, 1, 4), (False, True, True))
        assert [candidate.frequencies[0] for candidate in matches.candidates] == [0.0] * 4
        assert matches.candidates[0].id == rare.id

    def test_the_rarest_term_is_searched_whatever_it_costs(self, frugal_store: Store) -> None:
        keep(frugal_store, *(a_memory(content=f"lynx {place}") for place in range(FRUGAL_BUDGET + 2)))
        matches = match(frugal_store, "lynx")
        assert (matches.searched, len(matches.candidates)) == ((True,), FRUGAL_BUDGET + 2)

    def test_an_absent_word_does_not_stand_in_for_the_rarest(self, frugal_store: Store) -> None:
        keep(frugal_store, *(a_memory(content=f"lynx {place}") for place in range(FRUGAL_BUDGET + 2)))
        matches = match(frugal_store, "penguin lynx")
        assert (matches.searched, len(matches.candidates)) == ((True, True), FRUGAL_BUDGET + 2)

    def test_within_the_budget_every_term_is_searched(self, frugal_store: Store) -> None:
        keep(frugal_store, *(a_memory(content=f"lynx ocelot {place}") for place in range(FRUGAL_BUDGET // 2)))
        assert match(frugal_store, "lynx ocelot").searched == (True, True)
