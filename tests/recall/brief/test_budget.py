"""How a budget is shared: the seed's table, and never more than the total."""

from hypothesis import given
from hypothesis import strategies as st

from holdfast.recall.brief.budget import TIERS, allocate, total_of
from tests.table import table


@table(
    ("remaining", "total", "rows", "off"),
    [
        (100_000, 5_000, (400, 2_300, 1_500, 600), 5),
        (50_000, 4_000, (320, 1_840, 1_196, 600), 5),
        (20_000, 1_600, (200, 700, 500, 200), 50),
    ],
)
def test_the_rows_of_the_table_hold(remaining: int, total: int, rows: tuple[int, ...], off: int) -> None:
    assert total_of(1, remaining) == total
    shares = allocate(total)
    assert all(abs(shares[tier] - row) <= off for tier, row in zip(TIERS, rows, strict=True))


def test_where_space_is_short_every_minimum_yields_to_retrieval() -> None:
    assert total_of(1, 8_000) == 640
    assert allocate(640) == {"always": 200, "bridge": 140, "retrieval": 300, "summaries": 0}
    assert allocate(400) == {"always": 100, "bridge": 0, "retrieval": 300, "summaries": 0}
    assert allocate(250) == {"always": 20, "bridge": 0, "retrieval": 230, "summaries": 0}


@given(st.integers(0, 1_000_000))
def test_the_sum_is_never_more_than_the_total_and_nothing_is_negative(total: int) -> None:
    shares = allocate(total)
    assert sum(shares.values()) <= total
    assert min(shares.values()) >= 0
    assert tuple(shares) == TIERS


@given(st.integers(0, 200_000))
def test_a_larger_total_takes_nothing_from_what_retrieval_had(total: int) -> None:
    assert allocate(total + 100)["retrieval"] >= allocate(total)["retrieval"]


def test_a_budget_is_the_total_unless_the_room_left_is_given_and_never_above_the_ceiling() -> None:
    assert total_of(1_500) == 1_500
    assert total_of(1_500, ceiling=900) == 900
    assert total_of(1_500, remaining=1_000_000) == 5_000
    assert total_of(1_500, remaining=1_000_000, ceiling=2_000) == 2_000
    assert total_of(1_500, remaining=0) == 0
