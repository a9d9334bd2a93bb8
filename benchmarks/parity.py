"""Whether PostgreSQL finds by words what SQLite finds, on public questions: `python -m benchmarks parity`.

The same conversations go into a store of each kind through the public API, and both answer every question. The
server is real, started here from the package that the tests use.
"""

import os
import statistics
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks import data
from benchmarks.data import Corpus
from benchmarks.quality import put
from benchmarks.scoring import overlap
from holdfast import Holdfast
from tests.postgres.server import running

WITHIN = ("turns", "sessions")
LIMIT = 10


def run() -> dict[str, float] | None:
    """Measure; None when the data is not there."""
    place = data.part("locomo")
    if place is None:
        return None
    shares: dict[str, list[float]] = {within: [] for within in WITHIN}
    with running() as server:
        for corpus in data.locomo(place.parent):
            with _both(corpus, server.dsn) as (file, hosted):
                for question in corpus.questions:
                    for within in WITHIN:
                        ours, theirs = (_ranking(one, question.text, within) for one in (file, hosted))
                        shares[within].append(overlap(ours, theirs))
    return {
        f"{within}: mean share of SQLite's first {LIMIT} that PostgreSQL has": statistics.fmean(found)
        for within, found in shares.items()
    }


@contextmanager
def _both(corpus: Corpus, dsn: str) -> Iterator[tuple[Holdfast, Holdfast]]:
    """Open a store of each kind with the corpus in it. Words are compared, so none has vectors."""
    with tempfile.TemporaryDirectory() as spare:
        os.environ["HOLDFAST_DATA_HOME"] = os.environ["HOLDFAST_CONFIG_HOME"] = str(Path(spare) / "home")
        os.environ["HOLDFAST_EMBEDDING_MODEL"] = "none"
        with (
            Holdfast.open(spare, project=corpus.name) as file,
            Holdfast.open(dsn, tenant="parity", project=corpus.name) as hosted,
        ):
            for one in (file, hosted):
                put(corpus, one)
            yield file, hosted


def _ranking(memory: Holdfast, question: str, within: str) -> list[tuple[str, float]]:
    hits = memory.search(question, limit=LIMIT, mode="keyword", within=within)
    return [(hit.ref or "", hit.score) for hit in hits]
