"""What counts: each filter alone, its edges, and filters together."""

import pytest

from holdfast.model.memory import Memory
from holdfast.model.search import Filters
from holdfast.ports import Store
from holdfast.testing.builders import NOW, a_memory, an_id, keep

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


def by_letter(**rows: Memory) -> dict[str, Memory]:
    """Name memories by one letter each."""
    return rows


def passing(store: Store, rows: dict[str, Memory], filters: Filters) -> str:
    """Keep the rows; return the letters of those that pass."""
    keep(store, *rows.values())
    passing_ids = {memory.id for memory in store.memories.newest(filters, 100)}
    return "".join(letter for letter, memory in rows.items() if memory.id in passing_ids)


class FilterContract:
    """`model.search.Filters` over memories."""

    @pytest.mark.parametrize(("filters", "expected"), BY_LABEL)
    def test_labels_and_numbers_restrict(self, store: Store, filters: Filters, expected: str) -> None:
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
        assert passing(store, rows, filters) == expected

    @pytest.mark.parametrize(("file", "expected"), BY_FILE)
    def test_a_file_is_a_whole_path_its_end_or_a_directory(self, store: Store, file: str, expected: str) -> None:
        rows = by_letter(
            a=a_memory(files=("README.md", "src/auth.py")),
            b=a_memory(files=("src/core/auth_test.py",)),
            c=a_memory(files=("docs/a%b_c.md", "日本/設計.md")),
            d=a_memory(),
        )
        assert passing(store, rows, Filters(file=file)) == expected

    @pytest.mark.parametrize(("since", "until", "expected"), BY_TIME)
    def test_since_is_included_and_until_is_not(
        self, store: Store, since: int | None, until: int | None, expected: str
    ) -> None:
        rows = by_letter(
            a=a_memory(created_at=NOW - 1), b=a_memory(created_at=NOW), c=a_memory(created_at=NOW + 1)
        )
        assert passing(store, rows, Filters(since=since, until=until)) == expected

    @pytest.mark.parametrize(("contains", "expected"), BY_TEXT)
    def test_contains_is_literal_in_title_or_content_in_any_case(
        self, store: Store, contains: str, expected: str
    ) -> None:
        rows = by_letter(
            a=a_memory(
                title="Database", content="We use Postgres, not MySQL; Postgres NOTIFY", context="only in context"
            ),
            b=a_memory(title="Stands In The Title", content="nothing here"),
            c=a_memory(title="École", content="Die Straße nach ΕΛΛΆΔΑ"),
            d=a_memory(title="quoting", content="100% of x' OR 1=1 --"),
        )
        assert passing(store, rows, Filters(contains=contains)) == expected

    @pytest.mark.parametrize(("moment", "expected"), CURRENT)
    def test_current_leaves_out_the_superseded_and_the_expired(
        self, store: Store, moment: int | None, expected: str
    ) -> None:
        rows = by_letter(
            a=a_memory(),
            b=a_memory(valid_until=NOW - 1),
            c=a_memory(expires=NOW),
            d=a_memory(valid_until=NOW, expires=NOW + 9),
        )
        assert passing(store, rows, Filters(current_at=moment)) == expected

    def test_the_limit_comes_after_the_filter(self, store: Store) -> None:
        decision = a_memory(kind="decision", created_at=NOW - 100)
        keep(store, decision, *(a_memory(created_at=NOW + place) for place in range(20)))
        assert store.memories.newest(Filters(kinds=("decision",)), 1) == [decision]

    @pytest.mark.parametrize("text", ["a\0b", "\0"], ids=ascii)
    def test_a_text_with_a_zero_byte_is_in_none(self, store: Store, text: str) -> None:
        """Such texts are cleaned before they are kept; a question may hold them still."""
        memory = a_memory(content="a b", files=("a", "b"), tags=("a", "b"))
        keep(store, memory)
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
