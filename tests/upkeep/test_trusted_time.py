"""Clocks go wrong; no mass of memories goes with them."""

from contextlib import closing
from pathlib import Path

from holdfast.model.limits import DAY_MS
from holdfast.model.requests import Draft
from holdfast.ports import Store
from holdfast.upkeep import TrustedTime, trusted_now
from tests.conftest import FakeClock
from tests.contract.builders import NOW, a_memory, keep
from tests.embedders import Topics
from tests.upkeep.rounds import tending
from tests.upkeep.services import opened

IN_2099 = 4_070_908_800_000


def test_a_clock_that_goes_on_is_trusted() -> None:
    trusted = trusted_now(None, NOW)
    for day in range(1, 30):
        trusted = trusted_now(trusted, NOW + day * DAY_MS)
        assert trusted == TrustedTime(NOW + day * DAY_MS)


def test_a_clock_that_goes_back_is_trusted_at_once() -> None:
    assert trusted_now(TrustedTime(NOW), NOW - DAY_MS) == TrustedTime(NOW - DAY_MS)
    assert trusted_now(TrustedTime(IN_2099), NOW) == TrustedTime(NOW)


def test_a_jump_far_ahead_is_doubted_until_it_has_lasted_a_day() -> None:
    """After a long absence, deletions wait for a day."""
    trusted = trusted_now(TrustedTime(NOW), IN_2099)
    assert (trusted.at, trusted.doubted_since is not None) == (NOW, True)
    trusted = trusted_now(trusted, IN_2099 + DAY_MS - 1)
    assert (trusted.at, trusted.doubted_since is not None) == (NOW, True)
    assert trusted_now(trusted, IN_2099 + DAY_MS) == TrustedTime(IN_2099 + DAY_MS)


def test_a_second_jump_does_not_make_the_first_one_last() -> None:
    trusted = trusted_now(trusted_now(TrustedTime(NOW), IN_2099), IN_2099 + 9_999 * DAY_MS)
    assert (trusted.at, trusted.doubted_since is not None) == (NOW, True)


def test_a_clock_set_right_is_trusted_again() -> None:
    assert trusted_now(trusted_now(TrustedTime(NOW), IN_2099), NOW + 60_000) == TrustedTime(NOW + 60_000)


def fill(store: Store) -> int:
    """Put memories into a store that fade within the next half year."""
    memories = [
        a_memory(kind=kind, fades=NOW + days * DAY_MS, expires=expires)
        for kind, days, expires in (
            ("task_progress", 14, None),
            ("discovery", 21, None),
            ("warning", 30, NOW + 2 * DAY_MS),
            ("fact", 180, None),
        )
        for _ in range(10)
    ]
    keep(store, *memories)
    return len(memories)


def test_forward_to_2099_and_back_deletes_nothing(store: Store) -> None:
    """Neither by itself nor by a cleanup that somebody runs just then."""
    number, clock = fill(store), FakeClock(NOW)
    keeper = tending(store, clock)
    keeper.when_due()
    for moment in (IN_2099, IN_2099 + 3_600_000, NOW + 60_000, IN_2099, NOW + 120_000):
        clock.moment = moment
        keeper.when_due()
        assert keeper.cleanup(dry_run=True).gone == keeper.cleanup().gone == ()
    assert store.upkeep.memories() == number
    assert not keeper.state(store).doubted


def test_back_a_day_deletes_nothing_and_holds_nothing_up(store: Store) -> None:
    number, clock = fill(store), FakeClock(NOW)
    keeper = tending(store, clock)
    keeper.cleanup()
    clock.moment = NOW - DAY_MS
    keeper.cleanup()
    clock.moment = NOW
    keeper.cleanup()
    assert store.upkeep.memories() == number
    clock.moment = NOW + 3 * DAY_MS
    assert len(keeper.cleanup().gone) == 10


def test_the_state_says_that_the_clock_is_doubted(store: Store) -> None:
    clock = FakeClock(NOW)
    keeper = tending(store, clock)
    keeper.cleanup()
    clock.moment = IN_2099
    assert keeper.state(store).doubted


def test_after_a_long_absence_a_cleanup_works_a_day_later(store: Store) -> None:
    number, clock = fill(store), FakeClock(NOW)
    keeper = tending(store, clock)
    keeper.cleanup()
    clock.moment = NOW + 100 * DAY_MS
    assert keeper.cleanup().gone == ()
    clock.advance(DAY_MS)
    assert len(keeper.cleanup().gone) == number - 10


def test_an_entry_made_under_a_wrong_clock_makes_it_no_more_trusted(
    project: Path, embedder: Topics, clock: FakeClock
) -> None:
    """Not even in the process that made the store, before any upkeep, though the log has the wrong time then."""
    with closing(opened(project, embedder, clock)) as service:
        service.add(Draft(content="The walrus queue drains", trust="agent", expires=NOW + DAY_MS))
        clock.advance(IN_2099 - clock.now())
        service.add(Draft(content="The staging host is called lima"))
        assert service.upkeep.cleanup().gone == ()
