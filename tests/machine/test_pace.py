"""What is known of a machine's pace, and what it stretches."""

import pytest

from holdfast.machine import environment


@pytest.mark.parametrize(
    ("said", "known"),
    [("", 1.0), ("3", 3.0), ("0", 1.0), ("5000", 1000.0), ("1e9", 1.0), ("-2", 1.0), ("2.5", 1.0)],
)
def test_a_pace_is_a_whole_number_from_one_to_a_thousand(
    said: str, known: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_HOOK_PACE", said)
    assert (environment.known_pace(), environment.stretch(150)) == (known, 150 * known)
