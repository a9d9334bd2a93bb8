"""A store that breaks a promise is told what was expected and what came, in every suite of the contract."""

from importlib import import_module
from pkgutil import iter_modules

from _pytest.assertion.rewrite import AssertionRewritingHook

import holdfast.testing


def test_pytest_explains_what_fails_in_every_suite() -> None:
    names = [f"holdfast.testing.{module.name}" for module in iter_modules(holdfast.testing.__path__)]
    mute = [name for name in names if not isinstance(import_module(name).__loader__, AssertionRewritingHook)]
    assert "holdfast.testing.briefs" in names
    assert mute == []
