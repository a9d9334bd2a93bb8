"""Every error has its place in the one table."""

import pytest

from holdfast import errors
from holdfast.interfaces.mcp import errors as mistakes

FACTS: dict[str, object] = {
    "field": "f", "problem": "p", "kind": "k", "suggestion": "", "kinds": "k", "id": "i", "matches": "m",
    "limit": 5, "reason": "r", "key": "k", "origin": "o", "url": "u", "path": "x", "seconds": 5, "version": 1,
    "milliseconds": 5, "known": 2, "taken": "t", "number": 3, "where": "w", "address": "a", "needed": "n",
    "has": "h", "size": 1, "verb": "v", "proposal": "p", "why": "w", "what": "w",
}  # fmt: skip


@pytest.mark.parametrize("code", dict(mistakes.CODES).values())
def test_codes_are_the_protocols_or_in_the_range_left_to_implementations(code: int) -> None:
    assert code in (-32602, -32603) or -32019 <= code <= -32003


def test_the_message_is_the_errors_own_and_the_data_names_it() -> None:
    kinds = [
        kind
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, errors.HoldfastError) and kind is not errors.UnknownId
    ]
    for kind in kinds:
        error = kind(**FACTS)
        told = mistakes.told(error)
        assert (told.message, told.data["error"]) == (str(error), kind.__name__)


def test_busy_off_and_damaged_are_told_apart() -> None:
    told = [
        mistakes.told(kind(**FACTS)).code
        for kind in (errors.StoreBusy, errors.StoreDamaged, errors.SwitchedOff, errors.ConfigError)
    ]
    assert told == [mistakes.BUSY, mistakes.STORE, mistakes.OFF, mistakes.CONFIG]


def test_what_nobody_expected_is_one_line_and_ours(capsys: pytest.CaptureFixture[str]) -> None:
    told = mistakes.told(KeyError("x\ny"))
    assert (told.code, "\n" in told.message) == (-32603, False)
    assert "mistake of holdfast" in told.message
    assert capsys.readouterr().err == ""


def test_debugging_shows_where_it_went_wrong(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_DEBUG", "1")
    mistakes.told(KeyError("deep"))
    assert "KeyError" in capsys.readouterr().err
