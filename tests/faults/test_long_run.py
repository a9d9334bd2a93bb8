"""Everything at once for long: nothing acknowledged is lost, and the server is as large as it was.

In `make test` a few rounds; in `make soak` an hour at half load, or the minutes that `HOLDFAST_SOAK_MINUTES` says.
"""

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults import long_run
from tests.faults.disk.survey import losses
from tests.faults.long_run import Tally
from tests.faults.mortal import PROMISES, Mortal
from tests.interfaces.http.served import program

MINUTES = float(os.environ.get("HOLDFAST_SOAK_MINUTES", "60"))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's home, with a project that git keeps."""
    subprocess.run(["git", "init", "-q", tmp_path / "home" / "project"], check=True)
    monkeypatch.setenv("HOLDFAST_DATA_HOME", str(tmp_path / "home" / "data"))
    return tmp_path / "home"


@pytest.fixture
def mortal() -> Iterator[Mortal]:
    """Processes to kill."""
    lives = Mortal()
    yield lives
    lives.end()


def lost(home: Path, tally: Tally) -> list[str]:
    """Return what was acknowledged, by the server, the hooks or a killed process, and is gone."""
    project = home / "project"
    promises = [*tally.promises, *(project / PROMISES).read_text().split()]
    return [*tally.lost, *losses(home, promises, to_the_disk=True)]


def test_a_few_rounds_of_everything_with_kills_lose_nothing(home: Path, mortal: Mortal) -> None:
    with program(home / "project") as server:
        tally = long_run.run(home, server, mortal, lambda so_far: so_far.rounds < 2, idle=lambda _: None, keeps=1)
        assert lost(home, tally) == []
        assert tally.refused == []
        assert len(tally.given) == 1


@pytest.mark.soak
def test_an_hour_of_everything_at_half_load_loses_nothing_and_nothing_grows(
    home: Path, mortal: Mortal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HOLDFAST_EMBEDDING_MODEL")  # the bundled one, as users have it
    end = time.monotonic() + MINUTES * 60
    with program(home / "project") as server:
        tally = long_run.run(home, server, mortal, lambda _: time.monotonic() < end, idle=time.sleep)
        print(f"\n{long_run.figures(tally, home / 'project')}")
        assert lost(home, tally) == []
        assert tally.refused == []
        assert long_run.unsteady(tally.samples) == []
