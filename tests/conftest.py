"""What every test stands on: a home of its own, an empty project, a clock that obeys, an empty store."""

import contextlib
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from holdfast import judge
from holdfast.judge import Judge
from holdfast.machine.environment import MARKS
from holdfast.stores.sqlite.store import SqliteStore
from tests.judges import KeywordJudge
from tests.systems import TESTS, can_run

pytest.register_assert_rewrite("tests.contract")  # the suite is made of asserts

settings.register_profile("holdfast", deadline=None, derandomize=True, database=None)
settings.load_profile("holdfast")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # started in the background: every child would inherit that
    signal.signal(signal.SIGINT, lambda number, frame: None)  # what is handled here, however, is the default there


SLOW = """
    benchmarks clients docs e2e faults packaging parity platforms postgres traced viewer
    interfaces/cli interfaces/hooks interfaces/http interfaces/mcp/test_program.py
    contract/test_histories.py contract/test_parity.py contract/test_postgres.py service/test_extraction.py
    storage/test_vector_worker.py upkeep/test_limits.py upkeep/test_survival.py
""".split()
"""Tests that start processes, browsers or servers, or take some seconds: `slow`, left out of `make quick`."""


def is_slow(path: Path) -> bool:
    """Whether a folder or file of tests is listed as slow, or inside one that is."""
    return any(path.is_relative_to(TESTS / name) for name in SLOW)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out files, and folders whose fixtures, use what this system has not; and slow ones in `make quick`."""
    is_left_out = "not slow" in config.option.markexpr and is_slow(collection_path)
    return None if can_run(collection_path, sys.platform) and not is_left_out else True


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that `make quick` leaves out."""
    for item in items:
        if is_slow(item.path):
            item.add_marker(pytest.mark.slow)


class FakeClock:
    """`ports.Clock` that stands still until it is told to move."""

    def __init__(self, moment: int = 1_800_000_000_000) -> None:
        self.moment = moment

    def now(self) -> int:
        return self.moment

    def advance(self, milliseconds: int) -> None:
        """Let time pass."""
        self.moment += milliseconds


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the user's own data, configuration and git settings out of the tests."""
    marks = tuple(name for name, _ in MARKS)
    for name in [name for name in os.environ if name.startswith(("HOLDFAST_", "GIT_")) or name in marks]:
        monkeypatch.delenv(name)  # tests run by an agent are still a person's
    monkeypatch.setenv("HOLDFAST_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("HOLDFAST_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("HOLDFAST_EMBEDDING_MODEL", "hashing")  # the bundled model only where it is the point
    monkeypatch.setenv("HOLDFAST_EMBEDDING_BACKGROUND", "false")  # unless it is the point
    monkeypatch.setenv("HOLDFAST_HOOK_PACE", "1000")  # what is done is tested here, not how fast this machine is
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "no-gitconfig"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """An empty project directory."""
    place = tmp_path / "project"
    place.mkdir()
    return place


@pytest.fixture
def clock() -> FakeClock:
    """A clock that stands still."""
    return FakeClock()


@pytest.fixture
def store() -> Iterator[SqliteStore]:
    """An empty store in memory: what a test fills that is not about the file."""
    with contextlib.closing(SqliteStore.in_memory()) as store:
        yield store


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """A real PostgreSQL with our schema: a database of its own in `HOLDFAST_PG_DSN`, or a server started here."""
    given = os.environ.get("HOLDFAST_PG_DSN")
    if not given and sys.platform != "linux":
        pytest.skip("PostgreSQL is started here on Linux alone; HOLDFAST_PG_DSN can name a server")
    from holdfast.stores.postgres.migrate import bring_up
    from holdfast.stores.postgres.server import Address
    from tests.postgres.server import borrowed, running

    with borrowed(given) if given else running() as server:
        bring_up(Address(server.dsn))
        yield server.dsn


@pytest.fixture
def empty_postgres(postgres: str) -> str:
    """The same, with nothing in it."""
    from tests.postgres.server import clear

    clear(postgres)
    return postgres


@pytest.fixture
def use_judge(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Judge], None]]:
    """Let a judge of the test's read everything: for tests of what becomes of verdicts, not of the models."""

    def use(reader: Judge) -> None:
        monkeypatch.setattr(judge, "open_light", lambda: reader)
        monkeypatch.setattr(judge, "best", lambda: reader)
        close_judges()

    yield use
    close_judges()


@pytest.fixture
def keyword_judge(use_judge: Callable[[Judge], None]) -> None:
    """Let a judge of keywords read everything."""
    use_judge(KeywordJudge())


def close_judges() -> None:
    """Forget the judges that this process has opened, and their verdicts."""
    judge.light_judge.cache_clear()
