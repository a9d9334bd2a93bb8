"""What a command loads before it answers: names of modules, never times."""

import subprocess
import sys
from pathlib import Path

import pytest

from holdfast import Holdfast

PROGRAM = """
import os, sys
leave = os._exit
def tell(code):
    sys.stderr.write("\\n" + " ".join(sorted(sys.modules)))
    sys.stderr.flush()
    leave(code)
os._exit = tell
sys.argv = ["holdfast", *sys.argv[1:]]
from holdfast.interfaces.cli.entry import main
main()
"""
HEAVY = """
numpy onnxruntime tokenizers pydantic mcp anyio httpx asyncio logging sqlite3 ssl http.client email
importlib.metadata psycopg tomlkit watchfiles tomllib hashlib subprocess
""".split()
"""Libraries that no command of every day needs: none loads a model, talks to anybody or reads a settings file."""

LOOKING = """
holdfast.service.add holdfast.service.user_words holdfast.service.forget
holdfast.service.change holdfast.service.entries holdfast.service.sessions holdfast.service.briefs
holdfast.capture.reconcile holdfast.capture.classify holdfast.capture.permission
holdfast.capture.sessions.findings holdfast.upkeep.round holdfast.stores.postgres holdfast.ingest holdfast.share
holdfast.export
""".split()
"""What writes, learns, briefs and cleans up: who looks for something needs none of it."""

WRITING = """
holdfast.service.user_words holdfast.service.entries holdfast.service.sessions
holdfast.service.briefs holdfast.recall.search holdfast.capture.sessions.findings holdfast.upkeep.round
holdfast.stores.postgres holdfast.ingest holdfast.share holdfast.export
""".split()
"""What a plain note needs nothing of."""


def loaded_by(project: Path, *words: str) -> set[str]:
    """Run a command to its end; return the modules that it held then."""
    command = [sys.executable, "-I", "-c", PROGRAM, *words, "--project", str(project)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(done.stderr.splitlines()[-1].split())


@pytest.fixture
def kept(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose store holds a rule and its vector, and where upkeep was done."""
    monkeypatch.setenv("HOLDFAST_EMBEDDING_MODEL", "minilm")
    with Holdfast.open(project) as memory:
        memory.add("Prices are stored in integer cents", trust="user")
        memory.flush()
        memory.cleanup()  # a slice by itself may be cut short on a busy machine, and the next command would go on
    return project


TENDING = """
holdfast.capture.sessions.promote holdfast.capture.combine holdfast.upkeep.round holdfast.upkeep.rules
holdfast.service.sessions holdfast.service.forget
""".split()
"""Promotion, merging, eviction and what they need."""


def test_the_first_notes_in_a_new_store_load_no_upkeep(project: Path) -> None:
    loaded = [loaded_by(project, "add", f"The gateway bans clients of kind {number}") for number in (1, 2)]
    assert [sorted(modules & set(TENDING)) for modules in loaded] == [[], []]


def test_the_version_is_told_without_the_command_line() -> None:
    command = [sys.executable, "-I", "-c", PROGRAM, "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    modules = set(done.stderr.splitlines()[-1].split())
    own = {name for name in modules if name.startswith("holdfast")}
    assert own == {"holdfast", "holdfast.interfaces", "holdfast.interfaces.cli", "holdfast.interfaces.cli.entry"}
    assert modules.isdisjoint({"click", "msgspec", *HEAVY})


@pytest.mark.parametrize(
    ("words", "spared"),
    [
        (("search", "how are prices kept?"), LOOKING),
        (("status",), LOOKING),
        (("add", "The gateway bans fast clients"), WRITING),
    ],
    ids=["search", "status", "add"],
)
def test_a_command_loads_what_it_needs(kept: Path, words: tuple[str, ...], spared: list[str]) -> None:
    modules = loaded_by(kept, *words)
    assert "holdfast.storage.open" in modules
    assert modules & {*HEAVY, *spared} == set()
