"""Ids: their form, their order, and the short form people see."""

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.model.ids import is_full_id, new_id, ordered_id, short_id, slips, tail_of, time_of

NOW = 1_800_000_000_000


@given(moment=st.integers(0, 2**48 - 1))
def test_a_new_id_is_a_uuid_of_version_7_that_carries_its_moment(moment: int) -> None:
    """Other programs can read it."""
    parsed = uuid.UUID(new_id(moment))
    assert (parsed.version, parsed.variant, parsed.int >> 80) == (7, uuid.RFC_4122, moment)
    assert is_full_id(str(parsed))


def test_ids_of_one_moment_differ_and_later_ones_sort_behind() -> None:
    """The tail is random, the head is the clock."""
    same = {new_id(NOW) for _ in range(500)}
    assert len(same) == 500
    assert max(same) < new_id(NOW + 1)


@given(st.integers(0, 1 << 60))
def test_ordered_ids_sort_as_their_moments_within_a_millisecond(moment: int) -> None:
    first, second = ordered_id(moment), ordered_id(moment + 1_000)
    assert first < second
    assert uuid.UUID(first).version == 7
    assert time_of(first) == moment // 1_000_000


def test_other_texts_are_no_full_id(subtests: pytest.Subtests) -> None:
    """Only the lower-case form with its dashes is."""
    for text in [
        "",
        "abc",
        "0" * 36,
        "0" * 32,
        "01A31600-0000-7000-8000-000000000001",
        "g1a31600-0000-7000-8000-000000000001",
    ]:
        with subtests.test(text=text):
            assert not is_full_id(text)


def test_a_typed_id_becomes_its_digits(subtests: pytest.Subtests) -> None:
    """Signs, case and dashes aside; at least eight digits."""
    for typed, tail in [
        ("12345678", "12345678"),
        ("#12345678", "12345678"),
        (" ABCDEF01 ", "abcdef01"),
        ("8000-000012345678", "8000000012345678"),
        ("01A31600-0000-7000-8000-000000000001", "01a31600000070008000000000000001"),
        ("1234567", None),
        ("1234567g", None),
        ("", None),
        ("%2345678", None),
    ]:
        with subtests.test(typed=typed, tail=tail):
            assert tail_of(typed) == tail


def test_a_short_id_has_eight_digits_of_the_tail() -> None:
    """Where nobody else ends so."""
    full = "01a31600-0000-7000-8000-00aa12345678"
    assert short_id(full, []) == "12345678"
    assert short_id(full, [full, "01a31600-0000-7000-8000-00aa02345678"]) == "12345678"


def test_a_short_id_grows_until_it_is_the_only_one() -> None:
    """Digit by digit, to the whole id if need be."""
    full = "01a31600-0000-7000-8000-00aa12345678"
    assert short_id(full, ["01a31600-0000-7000-8000-00bb12345678"]) == "a12345678"
    assert short_id(full, ["01a31600-0000-7000-8000-00ba12345678"]) == "aa12345678"
    assert short_id(full, ["11a31600-0000-7000-8000-00aa12345678"]) == full.replace("-", "")


def test_a_slip_of_the_finger_leads_back_to_the_tail() -> None:
    """One digit wrong, missing, too many, two swapped; with the sign that people copy along."""
    for typed in ("1f2e3d4b", "1f2e3d4", "1f2e3dd4c", "1f2e3dc4", "#1F2E3D4O"):
        assert "1f2e3d4c" in slips(typed), typed


def test_what_was_typed_and_what_is_no_tail_are_no_slips() -> None:
    assert "1f2e3d4c" not in slips("1f2e3d4c")
    assert slips("queue") == slips("") == slips("x" * 40) == set()
    assert all(len(tail) >= 8 for tail in slips("1f2e3d4"))
