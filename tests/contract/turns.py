"""Turns as they are kept and found: verbatim, in order, counted on their sessions; entries of hooks' spools are
taken in once, however often they are offered."""

import pytest
from msgspec.structs import replace

from holdfast.errors import StoreError
from holdfast.model.search import Candidate, Filters, Matches, TurnPlace
from holdfast.ports import Store
from holdfast.text.words import terms_of
from tests.contract.builders import (
    ARRIVED_AT,
    NOW,
    PROJECT,
    a_memory,
    a_session,
    a_turn,
    an_id,
    keep,
    keep_turns,
)


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
        first = a_turn(session, "one", id="01a31600-0000-7000-8000-00cc87654321")
        second = a_turn(session, "other", id="01a31600-0000-7000-8000-00dd87654321")
        keep_turns(store, session, first, second)
        assert sorted(store.turns.ending("87654321")) == [first.id, second.id]
        assert store.turns.ending("dd87654321") == [second.id]
        assert store.turns.ending("ee87654321") == []

    def test_turns_of_a_session_stand_in_the_order_of_recording(self, store: Store) -> None:
        session, other_session = a_session(), a_session()
        turns = [a_turn(session, f"turn {place}", at=NOW - place) for place in range(4)]
        keep_turns(store, session, *turns)
        keep_turns(store, other_session, a_turn(other_session, "elsewhere"))
        assert store.turns.of(session.id) == turns
        assert store.turns.of(an_id()) == []

    def test_a_session_counts_its_turns_and_tools_and_knows_the_last(self, store: Store) -> None:
        session, empty = a_session(), a_session()
        late, early = a_turn(session, "a", at=NOW + 9, tool="bash"), a_turn(session, "b", at=NOW + 2)
        keep_turns(store, session, late, early)
        keep_turns(store, empty)
        with store.writing():
            store.turns.insert([a_turn(session, "c", at=NOW + 3, tool="edit")])
        assert store.sessions.get(session.id) == replace(
            session, turns=3, tool_calls=2, last_turn_at=NOW + 9, heard_at=ARRIVED_AT
        )
        assert store.sessions.get(empty.id) == empty

    def test_a_ref_leads_to_the_turn_of_that_session(self, store: Store) -> None:
        session, other_session = a_session(), a_session()
        here, there = a_turn(session, "here", ref="m1"), a_turn(other_session, "there", ref="m1")
        keep_turns(store, session, here, a_turn(session, "without"))
        keep_turns(store, other_session, there)
        assert store.turns.with_ref(session.id, "m1") == here
        assert store.turns.with_ref(other_session.id, "m1") == there
        assert store.turns.with_ref(session.id, "m2") is None

    def test_a_ref_names_one_turn_of_a_session(self, store: Store) -> None:
        session = a_session()
        first = a_turn(session, "first", ref="m1")
        keep_turns(store, session, first)
        with pytest.raises(StoreError), store.writing():
            store.turns.insert([a_turn(session, "second", ref="m1")])
        assert store.turns.of(session.id) == [first]
        assert store.sessions.get(session.id) == replace(session, turns=1, last_turn_at=NOW, heard_at=ARRIVED_AT)

    def test_containing_is_literal_and_of_every_project(self, store: Store) -> None:
        here, there = a_session(), a_session(project="elsewhere")
        exact_turn, capital_turn = a_turn(here, "say 100% Straße now"), a_turn(here, "SAY 100% STRASSE NOW")
        keep_turns(store, here, exact_turn, capital_turn)
        other_turn = a_turn(there, "say 100% Straße now")
        keep_turns(store, there, other_turn)
        assert store.turns.containing("100% Straße") == [exact_turn, other_turn]
        assert store.turns.containing("100") == [exact_turn, capital_turn, other_turn]
        assert store.turns.containing("100_") == []

    def test_a_turn_match_reports_counts_by_term(self, store: Store) -> None:
        session = a_session()
        first = a_turn(session, "the walrus and walrusHandler", role="user", files=("walrus.py",))
        second = a_turn(session, "an ocelot", role="walrus")
        keep_turns(store, session, first, second)
        assert store.turns.match(terms_of("walrus lynx"), Filters(), 10) == Matches(
            documents=2,
            tokens=17,
            document_frequencies=(2, 0),
            searched=(True, True),
            candidates=(Candidate(first.id, (2.7, 0.0), 11), Candidate(second.id, (1.0, 0.0), 6)),
        )

    def test_turns_are_filtered(self, store: Store) -> None:
        here, there = a_session(), a_session(project="elsewhere")
        turns = {
            "a": a_turn(here, "walrus first"),
            "b": a_turn(here, "walrus second", at=NOW + 1, files=("src/auth.py",), tool="bash"),
            "c": a_turn(there, "walrus école", at=NOW + 2),
        }
        keep_turns(store, here, turns["a"], turns["b"])
        keep_turns(store, there, turns["c"])
        table: list[tuple[dict[str, object], str]] = [
            ({}, "abc"),
            ({"projects": ("elsewhere",)}, "c"),
            ({"projects": (PROJECT, "elsewhere")}, "abc"),
            ({"session": there.id}, "c"),
            ({"since": NOW + 1}, "bc"),
            ({"until": NOW + 1}, "a"),
            ({"file": "src"}, "b"),
            ({"file": "auth.py"}, "b"),
            ({"contains": "WALRUS ÉCOLE"}, "c"),
            ({"said": True}, "ac"),
        ]
        failing = []
        for filters, expected in table:
            passing_ids = set(turns_found(store, "walrus", **filters))
            passing = "".join(letter for letter, turn in turns.items() if turn.id in passing_ids)
            if passing != expected:
                failing.append(f"{filters}: {passing!r} instead of {expected!r}")
        assert failing == []

    def test_what_was_said_is_what_people_and_agents_said(self, store: Store) -> None:
        session = a_session()
        turns = [a_turn(session, "walrus", role=role) for role in ("user", "Ada", "assistant", "Tool", "system")]
        keep_turns(store, session, *turns)
        ids = [turn.id for turn in turns]
        assert sorted(turns_found(store, "walrus", said=True)) == sorted(ids[:3])
        assert sorted(turns_found(store, "walrus", tools=True)) == sorted(ids[3:])

    def test_turns_come_with_those_around_them_once_each_and_in_order(self, store: Store) -> None:
        session, other_session = a_session(), a_session()
        here = [a_turn(session, f"here {place}") for place in range(9)]
        there = [a_turn(other_session, f"there {place}") for place in range(3)]
        keep_turns(store, session, *here[:4])
        keep_turns(store, other_session, *there)
        with store.writing():
            store.turns.insert(here[4:])
        turns = store.turns.around([here[6].id, there[0].id, an_id(), here[5].id], 2, 1)
        assert turns == [*here[3:8], *there[:2]]
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
        masked_turn = replace(turn, text="the [forgotten] sleeps", files=("lynx.py",), role="tool", tool="bash")
        with store.writing():
            store.turns.replace(masked_turn)
        assert store.turns.of(session.id) == [masked_turn, beside]
        assert [turns_found(store, word) for word in ("walrus", "handler", "forgotten", "lynx")] == [
            [], [], [turn.id], [turn.id],
        ]  # fmt: skip
        assert store.sessions.get(session.id) == replace(session, turns=2, last_turn_at=NOW, heard_at=ARRIVED_AT)

    def test_past_the_budget_the_most_frequent_terms_of_turns_are_left_out(self, frugal_store: Store) -> None:
        session = a_session()
        rare = a_turn(session, "walrus lynx")
        keep_turns(frugal_store, session, rare, *(a_turn(session, f"lynx {place}") for place in range(10)))
        matches = frugal_store.turns.match(terms_of("lynx walrus"), Filters(), 10)
        assert (matches.document_frequencies, matches.searched) == ((11, 1), (False, True))
        assert [candidate.id for candidate in matches.candidates] == [rare.id]

    def test_a_turn_has_the_day_it_was_said_and_a_named_speaker_as_words(self, store: Store) -> None:
        session = a_session()
        turn = a_turn(session, "the walrus", role="Ann", at=1_683_500_000_000)
        keep_turns(store, session, turn, a_turn(session, "an ocelot", role="user"))
        assert [turns_found(store, word) for word in ("May", "2023", "Ann", "user")] == [[turn.id]] * 3 + [[]]

    def test_places_say_who_stands_beside_a_turn_in_its_session(self, store: Store) -> None:
        session, other_session = a_session(), a_session()
        first, second, other_turn = (
            a_turn(session, "a", role="Ann"),
            a_turn(session, "b", at=NOW + 1),
            a_turn(other_session, "c"),
        )
        third = a_turn(session, "d", role="Tool")
        keep_turns(store, session, first)
        keep_turns(store, other_session, other_turn)
        with store.writing():
            store.turns.insert([second, third])
        assert store.turns.places([second.id, "unknown", other_turn.id, first.id, third.id]) == [
            TurnPlace(second.id, session.id, "user", NOW + 1, first.id, third.id),
            TurnPlace(other_turn.id, other_session.id, "user", NOW, None, None),
            TurnPlace(first.id, session.id, "Ann", NOW, None, second.id),
            TurnPlace(third.id, session.id, "Tool", NOW, second.id, None, said=False),
        ]

    def test_index_forms_are_listed_by_their_beginning(self, store: Store) -> None:
        session = a_session()
        keep_turns(store, session, a_turn(session, "walrus wallet"), a_turn(session, "walrus ocelot"))
        keep(store, a_memory(title="t", content="walking walls"))
        assert store.turns.words("wal") == {"wallet": 1, "walru": 2}
        assert store.memories.words("wal") == {"walk": 1, "wall": 1}
        assert store.turns.words("x") == {}


class SpooledContract:
    """`ports.Spooled`."""

    def test_an_entry_can_be_claimed_once(self, store: Store) -> None:
        with store.writing():
            assert store.spooled.claim("a", 1, 10)
            assert not store.spooled.claim("a", 1, 10)
            assert store.spooled.claim("a", 2, 10)
            assert store.spooled.claim("b", 1, 10)
        with store.writing():
            assert not store.spooled.claim("a", 2, 20)

    def test_a_claim_goes_with_its_transaction(self, store: Store) -> None:
        try:
            with store.writing():
                assert store.spooled.claim("a", 1, 10)
                raise InterruptedError
        except InterruptedError:
            pass
        with store.writing():
            assert store.spooled.claim("a", 1, 10)

    def test_what_is_noted_can_be_told(self, store: Store) -> None:
        with store.writing():
            for spool, sequence, at in (("b", 1, 10), ("a", 2, 20), ("a", 1, 30), ("a", 1, 40)):
                store.spooled.claim(spool, sequence, at)
        assert store.spooled.noted() == [("a", 1, 30), ("a", 2, 20), ("b", 1, 10)]

    def test_old_claims_are_let_go_unless_their_spool_is_still_there(self, store: Store) -> None:
        with store.writing():
            for spool, at in (("gone", 1), ("there", 1), ("gone", 9)):
                store.spooled.claim(spool, at, at)
            store.spooled.release(5, ["there"])
        with store.writing():
            assert store.spooled.claim("gone", 1, 20)
            assert not store.spooled.claim("there", 1, 20)
            assert not store.spooled.claim("gone", 9, 20)
