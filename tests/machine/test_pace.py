"""What is known of a machine's pace, and what it stretches."""

import pytest

from holdfast.machine import environment

PACES = (
    ("", 1.0),
    ("3", 3.0),
    ("0", 1.0),
    ("5000", 1000.0),
    ("1e9", 1.0),
    ("-2", 1.0),
    ("2.5", 1.0),
)


def test_a_pace_is_a_whole_number_from_one_to_a_thousand(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = []
    for said, known in PACES:
        monkeypatch.setenv("HOLDFAST_HOOK_PACE", said)
        if (environment.known_pace(), environment.stretch(150)) != (known, 150 * known):
            wrong.append((said, environment.known_pace()))
    assert wrong == []
