"""Near-duplicates are told from texts that only look alike."""

import time

from hypothesis import given
from hypothesis import strategies as st

from holdfast.capture.compare.same import DIFFERENT, is_near_duplicate, similarity
from holdfast.capture.compare.statement import state
from tests.table import table


def measure(one: str, other: str) -> float:
    return similarity(state(one, "fact"), state(other, "fact"))


@table(
    ("one", "other"),
    [
        ("Use Redis for the job queue", "We use Redis for job queue."),
        ("Run tests with -x", "Tests are run with -x"),
        (
            "Always close connections in a finally block",
            "Connections must always be closed in a finally block",
        ),
    ],
)
def test_the_same_said_otherwise_is_a_near_duplicate(one: str, other: str) -> None:
    assert is_near_duplicate(state(one, "fact"), state(other, "fact"))


@table(
    ("one", "other"),
    [
        ("Retry uploads 3 times", "Retry uploads 5 times"),
        ("Use tabs in Makefiles", "Don't use tabs in Makefiles"),
        ("The importer skips empty lines", "The importer reports progress every minute"),
        (
            "Use Redis for the job queue",
            "Use Redis for the job queue. " + "And much more follows here. " * 20,
        ),
    ],
)
def test_another_number_or_negation_or_rule_is_not(one: str, other: str) -> None:
    assert measure(one, other) <= DIFFERENT


@given(st.text(max_size=60), st.text(max_size=60))
def test_the_measure_is_symmetric_and_between_zero_and_one(one: str, other: str) -> None:
    assert 0 <= measure(one, other) == measure(other, one) <= 1
    assert measure(one, one) == 1


def test_a_megabyte_takes_bounded_time() -> None:
    text = "word " * 200_000
    began = time.process_time()
    measure(text, text + "x")
    assert time.process_time() - began < 8
