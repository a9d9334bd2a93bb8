"""A table of examples as one test."""

import pytest

from tests.table import table


def test_every_row_that_fails_is_named() -> None:
    @table("factor", [1, 10])
    @table(("left", "right"), [(1, 1), (2, 3), pytest.param(5, 4, id="less")])
    def equal(left: int, right: int, factor: int) -> None:
        assert left * factor == right * factor

    with pytest.raises(AssertionError) as failure:
        equal()
    message = str(failure.value)
    assert message.startswith("2 of 2 rows fail:")
    assert [message.count(row) for row in ("(2, 3)", "(5, 4)", "(1, 1)")] == [2, 2, 0]


def test_the_rows_share_the_fixtures_of_their_test(request: pytest.FixtureRequest) -> None:
    seen = []

    @table("number", [1, 2])
    def note(number: int, request: object) -> None:
        seen.append((number, request))

    note(request=request)
    assert seen == [(1, request), (2, request)]
