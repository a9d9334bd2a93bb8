"""Bad input through the Python API: the field is named, and nothing is written."""

import pytest

from holdfast import Holdfast, InvalidInput
from holdfast.errors import AmbiguousId
from tests.contract.builders import a_memory, keep
from tests.embedded import service_behind

BAD_ADDS: list[tuple[dict[str, object], str]] = [
    ({"content": ""}, "content"),
    ({"content": " \n"}, "content"),
    ({"content": "\x00"}, "content"),
    ({"content": None}, "content"),
    ({"content": "x" * 65_537}, "content"),
    ({"kind": "zzz"}, "kind"),
    ({"title": ""}, "title"),
    ({"context": 5}, "context"),
    ({"tags": "a,b"}, "tags"),
    ({"tags": [""]}, "tags"),
    ({"tags": None}, "tags"),
    ({"files": "a.py"}, "files"),
    ({"files": [5]}, "files"),
    ({"importance": 1.5}, "importance"),
    ({"importance": "high"}, "importance"),
    ({"confidence": -1}, "confidence"),
    ({"confidence": None}, "confidence"),
    ({"source": ""}, "source"),
    ({"trust": "root"}, "trust"),
    ({"trust": None}, "trust"),
    ({"scope": "world"}, "scope"),
    ({"expires": "soon"}, "expires"),
    ({"expires": True}, "expires"),
    ({"at": "yesterday"}, "at"),
    ({"session": "deadbeef"}, "session"),
    ({"session": 5}, "session"),
    ({"supersedes": 5}, "supersedes"),
    ({"metadata": "x"}, "metadata"),
    ({"metadata": {"a": object()}}, "metadata"),
]


def test_a_bad_field_is_named_and_nothing_is_written(memory: Holdfast, subtests: pytest.Subtests) -> None:
    """By `add`, and by `add_many` with its place."""
    for fields, field in BAD_ADDS:
        with subtests.test(fields=fields, field=field):
            values: dict[str, object] = {"content": "fine"} | fields
            with pytest.raises(InvalidInput) as caught:
                memory.add(**values)  # type: ignore[arg-type]  # callers' mistakes
            assert caught.value.field == field
            with pytest.raises(InvalidInput) as caught:
                memory.add_many([{"content": "good"}, values])
            assert caught.value.field in (field, f"items[1].{field}")
            stats = memory.stats()
            assert (stats.counts.memories, stats.counts.audit_events, stats.user) == (0, 0, None)


def test_an_item_of_the_wrong_shape_is_named(memory: Holdfast, subtests: pytest.Subtests) -> None:
    """Before any other is written."""
    for item, field in [
        ("text", "items[1]"),
        ({}, "items[1].content"),
        ({"content": "x", "type": "fact"}, "items[1].type"),
    ]:
        with subtests.test(item=item, field=field):
            with pytest.raises(InvalidInput) as caught:
                memory.add_many([{"content": "good"}, item])  # type: ignore[list-item]  # a caller's mistake
            assert caught.value.field == field
            assert memory.list() == []


def test_a_bad_search_is_named(memory: Holdfast, subtests: pytest.Subtests) -> None:
    """Rather than answered with nothing."""
    for options, field in [
        ({"limit": 0}, "limit"),
        ({"limit": 1_001}, "limit"),
        ({"limit": "5"}, "limit"),
        ({"mode": "magic"}, "mode"),
        ({"within": "everything"}, "within"),
        ({"kinds": ["zzz"]}, "kind"),
        ({"kinds": "fact"}, "kinds"),
        ({"tags": "a"}, "tags"),
        ({"status": "zzz"}, "status"),
        ({"min_importance": 2}, "min_importance"),
        ({"since": "soon"}, "since"),
        ({"until": []}, "until"),
        ({"file": 5}, "file"),
        ({"contains": 5}, "contains"),
    ]:
        with subtests.test(options=options, field=field):
            with pytest.raises(InvalidInput) as caught:
                memory.search("walrus", **options)  # type: ignore[arg-type]  # callers' mistakes
            assert caught.value.field == field


def test_a_filter_by_what_turns_do_not_have_is_named(memory: Holdfast, subtests: pytest.Subtests) -> None:
    """Rather than passed over, or taken for a wish to have memories alone."""
    for option, value in [("kinds", ["fact"]), ("tags", ["a"]), ("status", "pinned"), ("min_importance", 0)]:
        for within in ["turns", "sessions", "all"]:
            with subtests.test(within=within, option=option, value=value):
                with memory.start_session() as session:
                    session.record("user", "the walrus")
                with pytest.raises(InvalidInput, match="only memories have that") as caught:
                    memory.search("walrus", within=within, **{option: value})  # type: ignore[arg-type]  # one of many types
                assert caught.value.field == option
                assert memory.search("walrus", within=within, contains="walrus", since="1d")


def test_a_bad_query_is_named(memory: Holdfast, subtests: pytest.Subtests) -> None:
    """Not text, or too much of it."""
    for query in [None, 5, "x" * 65_537]:
        with subtests.test(query=query), pytest.raises(InvalidInput, match=r"^query: "):
            memory.search(query)  # type: ignore[arg-type]  # a caller's mistake


def test_a_bad_update_is_named_and_changes_nothing(memory: Holdfast) -> None:
    """Unknown fields too."""
    added = memory.add("text")
    before = memory.list()
    changes: list[dict[str, object]] = [
        {"content": ""},
        {"kind": "zzz"},
        {"importance": 2},
        {"tags": "a"},
        {"trust": "everybody"},
    ]
    for change in changes:
        with pytest.raises(InvalidInput) as caught:
            memory.update(added.id or "", **change)
        assert caught.value.field == next(iter(change))
    assert memory.list() == before


def test_bad_numbers_and_ids_of_the_other_verbs_are_named(memory: Holdfast) -> None:
    """Windows, limits, ids that are no text."""
    added = memory.add("text")
    with pytest.raises(InvalidInput, match=r"^window: "):
        memory.timeline(added.id or "", window=-1)
    with pytest.raises(InvalidInput, match=r"^limit: "):
        memory.list(limit=0)
    with pytest.raises(InvalidInput, match=r"^kind: "):
        memory.list(kind="zzz")
    with pytest.raises(InvalidInput, match=r"^id: "):
        memory.pin(None)  # type: ignore[arg-type]  # a caller's mistake
    with pytest.raises(InvalidInput, match=r"^id: "):
        memory.get([5])  # type: ignore[list-item]  # a caller's mistake


def test_an_ambiguous_short_id_is_refused_with_what_it_fits(memory: Holdfast) -> None:
    """More digits tell them apart."""
    one, other = (a_memory(id=f"01a31600-0000-7000-8000-00{tail}12345678") for tail in ("aa", "bb"))
    keep(service_behind(memory)._scopes.project, one, other)
    with pytest.raises(AmbiguousId, match=rf"^id: '12345678' fits more than one entry \({one.id}, {other.id}\)"):
        memory.get("12345678")
    with pytest.raises(AmbiguousId):
        memory.forget("12345678")
    assert [found.id for found in memory.get("aa12345678")] == [one.id]


def test_hostile_texts_are_kept_but_for_what_nobody_can_see(memory: Holdfast) -> None:
    """And are looked for without being obeyed."""
    text = """Robert'); DROP TABLE memory;-- <script>alert("x")</script> {0} %s \\ 👩👩👧"""
    added = memory.add(text.replace("👩👩", "👩\u200d👩\u202e"), tags=['"', "a\tb"], metadata={"k": "'"})
    [found] = memory.get(added.id or "")
    assert (found.content, found.tags) == (text, ('"', "a b"))
    assert [hit.id for hit in memory.search('Robert"; DROP* NEAR(x) OR')] == [added.id]
    assert memory.search('"') == []
