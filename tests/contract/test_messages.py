"""A store that breaks a promise is told what was expected and what came, in every suite of the contract."""

from importlib import import_module
from pathlib import Path

from _pytest.assertion.rewrite import AssertionRewritingHook


def test_pytest_explains_what_fails_in_every_suite() -> None:
    names = [f"tests.contract.{path.stem}" for path in Path(__file__).parent.glob("[!_]*.py")]
    mute = [name for name in names if not isinstance(import_module(name).__loader__, AssertionRewritingHook)]
    assert "tests.contract.briefs" in names
    assert mute == []
