"""What search loses while vectors are missing, on public data: `python -m benchmarks.missing --work DIR`.

The stores are those of `benchmarks.quality`; of each a share of the vectors is hidden. Partly embedded is usual
after an ingest: no share may rank worse than words alone do by more than .01.
"""

import argparse
import statistics
import sys
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from benchmarks import data
from benchmarks.data import Corpus
from benchmarks.quality import SETS, corpora, fill, workplace
from benchmarks.scoring import recall
from holdfast.embedding.minilm import MiniLM
from holdfast.model.search import Filters, Query
from holdfast.model.vectors import Near, VectorModel
from holdfast.ports import Store, Vectors
from holdfast.recall.channels import Question
from holdfast.recall.ranking import Ranking
from holdfast.recall.search import search
from holdfast.stores.sqlite.store import SqliteStore

if TYPE_CHECKING:
    from holdfast.model.vectors import Vector

SHARES = (0.0, 0.02, 0.1, 0.3, 0.6, 0.9, 1.0)
MEASURES = {
    "locomo": (("turns", 5), ("sessions", 10)),
    "longmemeval": (("sessions", 5),),
    "cosqa": (("memories", 5),),
}
EVERYTHING = 1_000_000


class Partly:
    """Vectors of which only a share can be seen, the same rows every time."""

    def __init__(self, vectors: Vectors, share: float) -> None:
        self._vectors = vectors
        self._share = share

    def model(self) -> VectorModel | None:
        """Return the model that they are of."""
        return self._vectors.model()

    def nearest(self, target: str, vector: "Vector", filters: Filters, limit: int) -> list[Near]:
        """Return the nearest that can be seen."""
        wanted = limit if self._share == 1 else EVERYTHING
        near = self._vectors.nearest(target, vector, filters, wanted)
        return [one for one in near if self._seen(one.id)][:limit]

    def cosines(self, target: str, vector: "Vector", ids: Sequence[str]) -> dict[str, float]:
        """Return the cosines of those that can be seen."""
        return dict(self._vectors.cosines(target, vector, [one for one in ids if self._seen(one)]))

    def _seen(self, row: str) -> bool:
        return zlib.crc32(row.encode()) < self._share * 2**32


class PartlyEmbedded:
    """A store with a share of its vectors."""

    def __init__(self, store: Store, share: float) -> None:
        self._store = store
        self.vectors = Partly(store.vectors, share)

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)


def main() -> None:
    """Print a line a measure: by words alone, and at each share."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.missing", description=__doc__)
    parser.add_argument("--sets", nargs="*", default=SETS)
    parser.add_argument("--work", type=Path, required=True, help="stores and their vectors, kept between runs")
    parser.add_argument("--every", type=int, default=1, help="ask only every so manieth question")
    arguments = parser.parse_args()
    place = data.folder()
    if place is None:
        sys.exit("No data: set HOLDFAST_BENCH_DATA to its directory (docs/benchmarks.md).")
    sys.stdout.write(f"{'':<24}{'words':>8}" + "".join(f"{share:8.2f}" for share in SHARES) + "\n")
    with workplace(arguments.work) as home:
        for name in arguments.sets:
            _show(name, corpora(name, place), home, arguments.every)


def _show(name: str, whole: Sequence[Corpus], home: Path, every: int) -> None:
    model = MiniLM()
    for within, at in MEASURES[name]:
        rows = [
            [values for corpus in whole for values in _values(corpus, home, model, within, at, share, every)]
            for share in (None, *SHARES)
        ]
        cells = "".join(f"{statistics.fmean(row):8.3f}" for row in rows)
        sys.stdout.write(f"{name + ' ' + within + f' R@{at}':<24}{cells}\n")
        sys.stdout.flush()


def _values(
    corpus: Corpus, home: Path, model: MiniLM, within: str, at: int, share: float | None, every: int
) -> list[float]:
    """Return the recall of each question with a share of the vectors, or by words alone."""
    refs = fill(corpus, home / corpus.name)
    path = home / corpus.name / ".holdfast" / "memory.db"
    store = SqliteStore.open(path, project=corpus.name, now=1)
    seen = cast(Store, PartlyEmbedded(store, share if share is not None else 0.0))
    values = []
    for asked in corpus.questions[::every]:
        vector = None if share is None else model.embed_query(asked.text)
        question = Question(Query(text=asked.text, limit=at, within=within), vector, store.vectors.model())
        hits = search(question, [seen], Ranking())
        answers = asked.answers
        if corpus.name.startswith("locomo") and within == "sessions":
            answers = frozenset(answer.partition(":")[0] for answer in answers)
        values.append(recall([hit.ref or refs[hit.id] for hit in hits], answers, at))
    store.close()
    return values


if __name__ == "__main__":
    main()
