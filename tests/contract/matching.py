"""Keyword candidates: which documents, with what counts, through which filters, alone and together; ranking is
left to the caller."""

from collections.abc import Sequence

from holdfast.model.memory import Memory
from holdfast.model.search import Candidate, Filters, Matches
from holdfast.ports import Store
from holdfast.text.words import terms_of
from tests.contract.builders import NOW, a_memory, an_id, keep

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
PARTS = (
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
)
SESSION = an_id()
BY_LABEL = (
    (Filters(), "abcd"),
    (Filters(kinds=("decision",)), "a"),
    (Filters(kinds=("decision", "error")), "ab"),
    (Filters(kinds=("feature",)), ""),
    (Filters(projects=("elsewhere",)), "d"),
    (Filters(projects=("elsewhere", "nowhere")), "d"),
    (Filters(tags=("red",)), "ab"),
    (Filters(tags=("red", "blue")), "a"),
    (Filters(tags=("re",)), ""),
    (Filters(tags=("RED",)), ""),
    (Filters(statuses=("confirmed",)), "b"),
    (Filters(statuses=("confirmed", "pinned")), "bc"),
    (Filters(trusts=("imported",)), "b"),
    (Filters(trusts=("imported", "user")), "bc"),
    (Filters(trusts=("imported",), statuses=("pinned",)), ""),
    (Filters(agents=("codex",)), "a"),
    (Filters(agents=("codex", "gemini")), "ac"),
    (Filters(agents=("code",)), ""),
    (Filters(branches=("main",)), "b"),
    (Filters(branches=("main", "side")), "bc"),
    (Filters(agents=("codex",), branches=("main",)), ""),
    (Filters(sources=("git",)), "bc"),
    (Filters(sources=("manual", "import")), "abd"),
    (Filters(session=SESSION), "c"),
    (Filters(session=an_id()), ""),
    (Filters(min_importance=0.5), "bcd"),
    (Filters(min_importance=0.51), "cd"),
    (Filters(min_importance=0.0), "abcd"),
    (Filters(min_importance=1.0), "d"),
    (Filters(kinds=("decision",), tags=("red", "blue"), min_importance=0.1), "a"),
    (Filters(kinds=("decision",), statuses=("confirmed",)), ""),
)
BY_FILE = (
    ("src/auth.py", "a"),
    ("auth.py", "a"),
    ("src", "ab"),
    ("src/", "ab"),
    ("src/core", "b"),
    ("core/auth_test.py", "b"),
    ("th.py", ""),
    ("sr", ""),
    ("SRC", ""),
    ("docs/a%b_c.md", "c"),
    ("docs/aXb_c.md", ""),
    ("日本/設計.md", "c"),
    ("設計.md", "c"),
)
BY_TIME = (
    (NOW, None, "bc"),
    (NOW + 1, None, "c"),
    (None, NOW, "a"),
    (None, NOW + 1, "ab"),
    (NOW, NOW + 1, "b"),
    (NOW, NOW, ""),
    (0, None, "abc"),
)
BY_TEXT = (
    ("postgres", "a"),
    ("POSTGRES NOT", "a"),
    ("in the title", "b"),
    ("STRASSE", "c"),
    ("straße", "c"),
    ("éCOLE", "c"),
    ("ελλάδα", "c"),
    ("100%", "d"),
    ("100_", ""),
    ("' OR 1=1", "d"),
    ("only in context", ""),
)
CURRENT = (
    (None, "abcd"),
    (NOW - 1, "ac"),
    (NOW, "a"),
    (NOW + 1, "a"),
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

    def test_the_parts_of_joined_identifiers_are_found(self, store: Store) -> None:
        memories = {
            "a": a_memory(content="call getUserSession() first"),
            "b": a_memory(content="see HTTPClient"),
            "c": a_memory(content="set retry_policy to none"),
            "d": a_memory(content="lives there", files=("src/billing.invoiceTotals.py",)),
            "e": a_memory(content="always utf8"),
        }
        keep(store, *memories.values())
        found = {query: ids(match(store, query)) for query, _ in PARTS}
        assert found == {query: [memories[letter].id] for query, letter in PARTS}

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

    def test_no_query_is_read_as_syntax(self, store: Store) -> None:
        walrus = a_memory(title="t", content="the walrus here")
        keep(store, walrus, a_memory(title="t", content="xylophone"))
        found = {query: ids(match(store, query)) for query in HOSTILE}
        assert found == {query: [walrus.id] if "walrus" in query else [] for query in HOSTILE}

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


def by_letter(**rows: Memory) -> dict[str, Memory]:
    """Name memories by one letter each."""
    return rows


def failures(store: Store, rows: dict[str, Memory], table: Sequence[tuple[Filters, str]]) -> list[str]:
    """Keep the rows; say where others pass a filter of the table than the letters beside it."""
    keep(store, *rows.values())
    failing = []
    for filters, expected in table:
        passing_ids = {memory.id for memory in store.memories.newest(filters, 100)}
        passing = "".join(letter for letter, memory in rows.items() if memory.id in passing_ids)
        if passing != expected:
            failing.append(f"{filters}: {passing!r} instead of {expected!r}")
    return failing


class FilterContract:
    """`model.search.Filters` over memories."""

    def test_labels_and_numbers_restrict(self, store: Store) -> None:
        rows = by_letter(
            a=a_memory(kind="decision", tags=("red", "blue"), importance=0.2, agent="codex"),
            b=a_memory(
                kind="error",
                branch="main",
                tags=("red",),
                status="confirmed",
                trust="imported",
                sources=("manual", "git"),
                importance=0.5,
            ),
            c=a_memory(
                status="pinned",
                trust="user",
                sources=("git",),
                session=SESSION,
                importance=0.7,
                agent="gemini",
                branch="side",
            ),
            d=a_memory(project="elsewhere", importance=1.0, agent=None, branch=None),
        )
        assert failures(store, rows, BY_LABEL) == []

    def test_a_file_is_a_whole_path_its_end_or_a_directory(self, store: Store) -> None:
        rows = by_letter(
            a=a_memory(files=("README.md", "src/auth.py")),
            b=a_memory(files=("src/core/auth_test.py",)),
            c=a_memory(files=("docs/a%b_c.md", "日本/設計.md")),
            d=a_memory(),
        )
        assert failures(store, rows, [(Filters(file=file), letters) for file, letters in BY_FILE]) == []

    def test_since_is_included_and_until_is_not(self, store: Store) -> None:
        rows = by_letter(
            a=a_memory(created_at=NOW - 1), b=a_memory(created_at=NOW), c=a_memory(created_at=NOW + 1)
        )
        table = [(Filters(since=since, until=until), letters) for since, until, letters in BY_TIME]
        assert failures(store, rows, table) == []

    def test_contains_is_literal_in_title_or_content_in_any_case(self, store: Store) -> None:
        rows = by_letter(
            a=a_memory(
                title="Database", content="We use Postgres, not MySQL; Postgres NOTIFY", context="only in context"
            ),
            b=a_memory(title="Stands In The Title", content="nothing here"),
            c=a_memory(title="École", content="Die Straße nach ΕΛΛΆΔΑ"),
            d=a_memory(title="quoting", content="100% of x' OR 1=1 --"),
        )
        assert failures(store, rows, [(Filters(contains=text), letters) for text, letters in BY_TEXT]) == []

    def test_current_leaves_out_the_superseded_and_the_expired(self, store: Store) -> None:
        rows = by_letter(
            a=a_memory(),
            b=a_memory(valid_until=NOW - 1),
            c=a_memory(expires=NOW),
            d=a_memory(valid_until=NOW, expires=NOW + 9),
        )
        assert failures(store, rows, [(Filters(current_at=moment), letters) for moment, letters in CURRENT]) == []

    def test_the_limit_comes_after_the_filter(self, store: Store) -> None:
        decision = a_memory(kind="decision", created_at=NOW - 100)
        keep(store, decision, *(a_memory(created_at=NOW + place) for place in range(20)))
        assert store.memories.newest(Filters(kinds=("decision",)), 1) == [decision]

    def test_a_text_with_a_zero_byte_is_in_none(self, store: Store) -> None:
        """Such texts are cleaned before they are kept; a question may hold them still."""
        memory = a_memory(content="a b", files=("a", "b"), tags=("a", "b"))
        keep(store, memory)
        for text in ("a\0b", "\0"):
            all_filters = [
                Filters(contains=text),
                Filters(file=text),
                Filters(kinds=(text,)),
                Filters(projects=(text,)),
                Filters(tags=(text,)),
                Filters(statuses=(text,)),
                Filters(trusts=(text,)),
                Filters(sources=(text,)),
                Filters(session=text),
            ]
            assert [store.memories.newest(filters, 9) for filters in all_filters] == [[]] * len(all_filters)
            assert store.memories.newest(Filters(kinds=(text, memory.kind)), 9) == [memory]
            assert store.memories.saying(memory.project, [text]) == {}
            assert store.sessions.with_ref(memory.project, text) is None
            assert store.turns.containing(text) == []
