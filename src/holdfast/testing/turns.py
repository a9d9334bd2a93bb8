"""Turns as they are kept and found: verbatim, in order, counted on their sessions."""

from dataclasses import replace

import pytest

from holdfast.capture.text.terms import terms_of
from holdfast.errors import StoreError
from holdfast.model.search import Candidate, Filters, Matches, TurnPlace
from holdfast.ports import Store
from holdfast.testing.builders import HEARD, NOW, PROJECT, a_memory, a_session, a_turn, an_id, keep, keep_turns


def turns_found(store: Store, query: str, **filters: object) -> list[str]:
    """Return the ids of the turns that hold a word of the query."""
    matches = store.turns.match(terms_of(query), Filters(**filters), 100)  # type: ignore[arg-type]  # our own names
    return [candidate.id for candidate in matches.candidates]


class TurnsContract:
    """`ports.Turns`."""

    def test_a_turn_comes_back_with_every_field_as_it_was_kept(self, store: Store) -> None:
        session = a_session()
        turn = a_turn(
            session,
            "line\n\n  日本語 👩‍👩‍👧 'quoted'",
            role="assistant",
            at=NOW + 1,
            ref="r",
            tool="bash",
            files=("a.py", "b"),
        )
        long = a_turn(session, "é" * 32_768)
        keep_turns(store, session, turn, long)
        assert store.turns.get([long.id, an_id(), turn.id]) == [long, turn]
        assert store.turns.get([]) == []

    def test_turn_ids_are_found_by_their_last_eight_digits_or_more(self, store: Store) -> None:
        session = a_session()
        one = a_turn(session, "one", id="01a31600-0000-7000-8000-00cc87654321")
        other = a_turn(session, "other", id="01a31600-0000-7000-8000-00dd87654321")
        keep_turns(store, session, one, other)
        assert sorted(store.turns.ending("87654321")) == [one.id, other.id]
        assert store.turns.ending("dd87654321") == [other.id]
        assert store.turns.ending("ee87654321") == []

    def test_turns_of_a_session_stand_in_the_order_of_recording(self, store: Store) -> None:
        one, other = a_session(), a_session()
        turns = [a_turn(one, f"turn {place}", at=NOW - place) for place in range(4)]
        keep_turns(store, one, *turns)
        keep_turns(store, other, a_turn(other, "elsewhere"))
        assert store.turns.of(one.id) == turns
        assert store.turns.of(an_id()) == []

    def test_a_session_counts_its_turns_and_tools_and_knows_the_last(self, store: Store) -> None:
        session, empty = a_session(), a_session()
        late, early = a_turn(session, "a", at=NOW + 9, tool="bash"), a_turn(session, "b", at=NOW + 2)
        keep_turns(store, session, late, early)
        keep_turns(store, empty)
        with store.writing():
            store.turns.insert([a_turn(session, "c", at=NOW + 3, tool="edit")])
        assert store.sessions.get(session.id) == replace(
            session, turns=3, tool_calls=2, last_turn_at=NOW + 9, heard_at=HEARD
        )
        assert store.sessions.get(empty.id) == empty

    def test_a_ref_leads_to_the_turn_of_that_session(self, store: Store) -> None:
        one, other = a_session(), a_session()
        here, there = a_turn(one, "here", ref="m1"), a_turn(other, "there", ref="m1")
        keep_turns(store, one, here, a_turn(one, "without"))
        keep_turns(store, other, there)
        assert store.turns.with_ref(one.id, "m1") == here
        assert store.turns.with_ref(other.id, "m1") == there
        assert store.turns.with_ref(one.id, "m2") is None

    def test_a_ref_names_one_turn_of_a_session(self, store: Store) -> None:
        session = a_session()
        first = a_turn(session, "first", ref="m1")
        keep_turns(store, session, first)
        with pytest.raises(StoreError), store.writing():
            store.turns.insert([a_turn(session, "second", ref="m1")])
        assert store.turns.of(session.id) == [first]
        assert store.sessions.get(session.id) == replace(session, turns=1, last_turn_at=NOW, heard_at=HEARD)

    def test_containing_is_literal_and_of_every_project(self, store: Store) -> None:
        here, there = a_session(), a_session(project="elsewhere")
        one, two = a_turn(here, "say 100% Straße now"), a_turn(here, "SAY 100% STRASSE NOW")
        keep_turns(store, here, one, two)
        other = a_turn(there, "say 100% Straße now")
        keep_turns(store, there, other)
        assert store.turns.containing("100% Straße") == [one, other]
        assert store.turns.containing("100") == [one, two, other]
        assert store.turns.containing("100_") == []

    def test_a_turn_match_reports_counts_by_term(self, store: Store) -> None:
        session = a_session()
        one = a_turn(session, "the walrus and walrusHandler", role="user", files=("walrus.py",))
        two = a_turn(session, "an ocelot", role="walrus")
        keep_turns(store, session, one, two)
        assert store.turns.match(terms_of("walrus lynx"), Filters(), 10) == Matches(
            documents=2,
            tokens=17,
            document_frequencies=(2, 0),
            searched=(True, True),
            candidates=(Candidate(one.id, (2.7, 0.0), 11), Candidate(two.id, (1.0, 0.0), 6)),
        )

    @pytest.mark.parametrize(
        ("filters", "expected"),
        [
            ({}, "abc"),
            ({"projects": ("elsewhere",)}, "c"),
            ({"projects": (PROJECT, "elsewhere")}, "abc"),
            ({"session": "there"}, "c"),
            ({"since": NOW + 1}, "bc"),
            ({"until": NOW + 1}, "a"),
            ({"file": "src"}, "b"),
            ({"file": "auth.py"}, "b"),
            ({"contains": "WALRUS ÉCOLE"}, "c"),
            ({"said": True}, "ac"),
        ],
    )
    def test_turns_are_filtered(self, store: Store, filters: dict[str, object], expected: str) -> None:
        here, there = a_session(), a_session(project="elsewhere")
        turns = {
            "a": a_turn(here, "walrus first"),
            "b": a_turn(here, "walrus second", at=NOW + 1, files=("src/auth.py",), tool="bash"),
            "c": a_turn(there, "walrus école", at=NOW + 2),
        }
        keep_turns(store, here, turns["a"], turns["b"])
        keep_turns(store, there, turns["c"])
        given = filters | ({"session": there.id} if "session" in filters else {})
        passed = set(turns_found(store, "walrus", **given))
        assert "".join(letter for letter, turn in turns.items() if turn.id in passed) == expected

    @pytest.mark.parametrize(
        ("role", "counts"), [("user", 1), ("Ada", 1), ("assistant", 1), ("Tool", 0), ("system", 0)]
    )
    def test_what_was_said_is_what_people_and_agents_said(self, store: Store, role: str, counts: int) -> None:
        session = a_session()
        keep_turns(store, session, a_turn(session, "walrus", role=role))
        assert len(turns_found(store, "walrus", said=True)) == counts
        assert len(turns_found(store, "walrus", tools=True)) == 1 - counts

    def test_turns_come_with_those_around_them_once_each_and_in_order(self, store: Store) -> None:
        one, other = a_session(), a_session()
        here = [a_turn(one, f"here {place}") for place in range(9)]
        there = [a_turn(other, f"there {place}") for place in range(3)]
        keep_turns(store, one, *here[:4])
        keep_turns(store, other, *there)
        with store.writing():
            store.turns.insert(here[4:])
        found = store.turns.around([here[6].id, there[0].id, an_id(), here[5].id], 2, 1)
        assert found == [*here[3:8], *there[:2]]
        assert store.turns.around([here[0].id], 0, 0) == here[:1]
        assert store.turns.around([], 3, 3) == []

    def test_a_caller_can_allow_fewer_postings_than_the_store(self, store: Store) -> None:
        session = a_session()
        keep_turns(store, session, a_turn(session, "walrus"), *(a_turn(session, f"lynx {n}") for n in range(10)))
        assert store.turns.match(terms_of("lynx walrus"), Filters(), 10, 5).searched == (False, True)
        assert store.turns.match(terms_of("lynx walrus"), Filters(), 10, 50).searched == (True, True)

    def test_the_index_follows_a_replaced_turn(self, store: Store) -> None:
        session = a_session()
        turn, beside = a_turn(session, "the walrusHandler sleeps", ref="m1"), a_turn(session, "beside")
        keep_turns(store, session, turn, beside)
        masked = replace(turn, text="the [forgotten] sleeps", files=("lynx.py",), role="tool", tool="bash")
        with store.writing():
            store.turns.replace(masked)
        assert store.turns.of(session.id) == [masked, beside]
        assert [turns_found(store, word) for word in ("walrus", "handler", "forgotten", "lynx")] == [
            [], [], [turn.id], [turn.id],
        ]  # fmt: skip
        assert store.sessions.get(session.id) == replace(session, turns=2, last_turn_at=NOW, heard_at=HEARD)

    def test_past_the_budget_the_most_frequent_terms_of_turns_are_left_out(self, frugal_store: Store) -> None:
        session = a_session()
        rare = a_turn(session, "walrus lynx")
        keep_turns(frugal_store, session, rare, *(a_turn(session, f"lynx {place}") for place in range(10)))
        found = frugal_store.turns.match(terms_of("lynx walrus"), Filters(), 10)
        assert (found.document_frequencies, found.searched) == ((11, 1), (False, True))
        assert [candidate.id for candidate in found.candidates] == [rare.id]

    def test_a_turn_has_the_day_it_was_said_and_a_named_speaker_as_words(self, store: Store) -> None:
        session = a_session()
        said = a_turn(session, "the walrus", role="Ann", at=1_683_500_000_000)
        keep_turns(store, session, said, a_turn(session, "an ocelot", role="user"))
        assert [turns_found(store, word) for word in ("May", "2023", "Ann", "user")] == [[said.id]] * 3 + [[]]

    def test_places_say_who_stands_beside_a_turn_in_its_session(self, store: Store) -> None:
        one, two = a_session(), a_session()
        first, second, other = a_turn(one, "a", role="Ann"), a_turn(one, "b", at=NOW + 1), a_turn(two, "c")
        third = a_turn(one, "d", role="Tool")
        keep_turns(store, one, first)
        keep_turns(store, two, other)
        with store.writing():
            store.turns.insert([second, third])
        assert store.turns.places([second.id, "unknown", other.id, first.id, third.id]) == [
            TurnPlace(second.id, one.id, "user", NOW + 1, first.id, third.id),
            TurnPlace(other.id, two.id, "user", NOW, None, None),
            TurnPlace(first.id, one.id, "Ann", NOW, None, second.id),
            TurnPlace(third.id, one.id, "Tool", NOW, second.id, None, said=False),
        ]

    def test_index_forms_are_listed_by_their_beginning(self, store: Store) -> None:
        session = a_session()
        keep_turns(store, session, a_turn(session, "walrus wallet"), a_turn(session, "walrus ocelot"))
        keep(store, a_memory(title="t", content="walking walls"))
        assert store.turns.words("wal") == {"wallet": 1, "walru": 2}
        assert store.memories.words("wal") == {"walk": 1, "wall": 1}
        assert store.turns.words("x") == {}
