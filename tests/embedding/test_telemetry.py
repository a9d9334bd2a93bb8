"""Libraries that report to their makers are switched off before they are there, and again once they are."""

import os
import sys
from types import ModuleType

import pytest

from holdfast.embedding import SWITCHES, import_without_telemetry


class Runtime(ModuleType):
    """What onnxruntime offers, as far as it is used."""

    def __init__(self) -> None:
        super().__init__("onnxruntime")
        self.off = 0

    def disable_telemetry_events(self) -> None:
        self.off += 1


@pytest.fixture
def runtime(monkeypatch: pytest.MonkeyPatch) -> Runtime:
    runtime = Runtime()
    monkeypatch.setitem(sys.modules, "onnxruntime", runtime)
    for name in SWITCHES:
        monkeypatch.setenv(name, "0")
    return runtime


@pytest.mark.parametrize("name", ["onnxruntime", "json"])
def test_the_environment_and_the_switch_say_no_whatever_they_said_before(runtime: Runtime, name: str) -> None:
    """`json` stands for a package that brought the runtime in."""
    assert import_without_telemetry(name) is sys.modules[name]
    assert {name: os.environ[name] for name in SWITCHES} == SWITCHES
    assert runtime.off == 1


def test_a_package_that_did_not_bring_the_runtime_in_is_imported_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(sys.modules, "onnxruntime", raising=False)
    assert import_without_telemetry("json").__name__ == "json"
