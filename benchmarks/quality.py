"""Quality of search on public data, through the public API: `python -m benchmarks.quality`.

Every mode answers the same questions over the same store, beside plain FTS5 over the same texts. `static` is
hybrid search with questions encoded by the static table, as commands do it. Nothing here knows how a score is
made. `--work` keeps the stores, and with them their vectors, between runs.
"""

import argparse
import json
import os
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import apsw

from benchmarks import data
from benchmarks.data import Asked, Corpus
from benchmarks.scoring import all_at, any_at, ndcg, recall, reciprocal
from holdfast import Holdfast
from holdfast.embedding.minilm import MiniLM
from holdfast.storage.open import open_service

MODES = {
    "keyword": ("keyword", "weighted"),
    "vector": ("vector", "weighted"),
    "hybrid": ("hybrid", "weighted"),
    "static": ("hybrid", "weighted"),
    "minmax": ("hybrid", "minmax"),
    "rrf": ("hybrid", "rrf"),
}
SETS = ("locomo", "longmemeval", "cosqa")
AIMS = {"locomo turns R@5": 0.73, "locomo sessions R@10": 0.96, "longmemeval R@5": 0.87, "cosqa R@5": 0.77}

Figures = dict[str, dict[str, float]]
Ask = Callable[[str], list[str]]


def main() -> None:
    """Run the sets that are asked for and print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality", description=__doc__)
    parser.add_argument("--sets", nargs="*", default=SETS)
    parser.add_argument("--modes", nargs="*", default=["plain FTS5", *MODES])
    parser.add_argument("--work", type=Path, help="keep stores and their vectors here between runs")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    arguments = parser.parse_args()
    figures = run(arguments.sets, arguments.modes, arguments.work)
    if figures is None:
        sys.exit("No data: set HOLDFAST_BENCH_DATA to its directory (docs/benchmarks.md).")
    show(figures, sys.stdout.write)
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


def run(sets: Sequence[str], modes: Sequence[str], work: Path | None = None) -> Figures | None:
    """Measure; None when the data is not there. Figures by measure, then by mode."""
    place = data.folder()
    if place is None:
        return None
    with workplace(work) as home:
        measured: dict[str, dict[str, list[float]]] = {}
        for name in sets:
            for corpus in corpora(name, place):
                _measure(name, corpus, home, modes, measured)
    return {
        measure: {mode: statistics.fmean(values) for mode, values in by_mode.items()}
        for measure, by_mode in measured.items()
    }


def show(figures: Figures, write: Callable[[str], object]) -> None:
    """Print the figures, a line a measure."""
    modes = list(dict.fromkeys(mode for by_mode in figures.values() for mode in by_mode))
    write(f"{'':<26}" + "".join(f"{mode:>12}" for mode in modes) + f"{'aim':>8}\n")
    for measure, by_mode in figures.items():
        cells = "".join(f"{by_mode[mode]:12.4f}" if mode in by_mode else f"{'':>12}" for mode in modes)
        aim = f"{AIMS[measure]:8.2f}" if measure in AIMS else ""
        write(f"{measure:<26}{cells}{aim}\n")


def corpora(name: str, place: Path) -> list[Corpus]:
    """Read a set; each corpus is a store of its own."""
    match name:
        case "locomo":
            return data.locomo(place)
        case "longmemeval":
            return [data.longmemeval(place)]
        case "cosqa":
            return [data.cosqa(place)]
        case _:
            raise SystemExit(f"no data set {name!r}")


def _measure(
    name: str, corpus: Corpus, home: Path, modes: Sequence[str], measured: dict[str, dict[str, list[float]]]
) -> None:
    refs = fill(corpus, home / corpus.name)
    for mode in modes:
        for within in {"locomo": ("turns", "sessions"), "longmemeval": ("sessions",)}.get(name, ("memories",)):
            with _asking(corpus, home / corpus.name, mode, within, refs) as ask:
                for question in corpus.questions:
                    for measure, value in _values(name, within, ask(question.text), question):
                        measured.setdefault(measure, {}).setdefault(mode, []).append(value)


def _values(name: str, within: str, ranking: list[str], question: Asked) -> Iterator[tuple[str, float]]:
    answers = question.answers
    match name, within:
        case "locomo", "turns":
            yield "locomo turns R@5", recall(ranking, answers, 5)
            yield "locomo turns R@10", recall(ranking, answers, 10)
            yield "locomo turns nDCG@10", ndcg(ranking, answers, 10)
        case "locomo", _:
            sessions = frozenset(answer.partition(":")[0] for answer in answers)
            yield "locomo sessions R@10", recall(ranking, sessions, 10)
            yield "locomo sessions R@5", recall(ranking, sessions, 5)
        case "longmemeval", _:
            yield "longmemeval R@5", recall(ranking, answers, 5)
            yield "longmemeval any@5", any_at(ranking, answers, 5)
            yield "longmemeval all@5", all_at(ranking, answers, 5)
        case _:
            yield "cosqa R@5", recall(ranking, answers, 5)
            yield "cosqa R@10", recall(ranking, answers, 10)
            yield "cosqa MRR", reciprocal(ranking, answers)


def fill(corpus: Corpus, place: Path) -> dict[str, str]:
    """Put a corpus into a store, unless a run before did; return the data set's keys of memories by id."""
    keys = place / "keys.json"
    if not keys.exists():
        place.mkdir(parents=True, exist_ok=True)
        start = time.perf_counter()
        with Holdfast.open(place, project=corpus.name) as memory:
            found = put(corpus, memory)
            memory.flush()
        keys.write_text(json.dumps(found), encoding="utf-8")
        sys.stderr.write(f"{corpus.name}: filled in {time.perf_counter() - start:.0f} s\n")
    loaded: dict[str, str] = json.loads(keys.read_text(encoding="utf-8"))
    return loaded


def put(corpus: Corpus, memory: Holdfast) -> dict[str, str]:
    """Let a memory have a corpus; return the data set's keys of its notes by id."""
    for talk in corpus.talks:
        session = memory.start_session(agent="bench", at=talk.at, ref=talk.ref)
        for turn in talk.turns:
            session.record(turn.speaker, turn.text or "(nothing)", at=talk.at, ref=turn.ref)
        session.end()
    added = memory.add_many([{"content": text, "kind": "fact"} for _, text in corpus.notes])
    return {one.id or "": key for one, (key, _) in zip(added, corpus.notes, strict=True)}


@contextmanager
def _asking(corpus: Corpus, place: Path, mode: str, within: str, refs: dict[str, str]) -> Iterator[Ask]:
    if mode == "plain FTS5":
        yield _plain(corpus, within)
        return
    chosen, fusion = MODES[mode]
    os.environ["HOLDFAST_SEARCH_FUSION"] = fusion
    model = MiniLM()
    if mode != "static":  # until it is loaded, questions get their vectors from the table
        model.load()
    with Holdfast(open_service(place, actor="python", project_id=corpus.name, embedder=model)) as memory:

        def ask(question: str) -> list[str]:
            hits = memory.search(question, limit=10, mode=chosen, within=within)
            return [hit.ref or refs[hit.id] for hit in hits]

        yield ask
    del os.environ["HOLDFAST_SEARCH_FUSION"]


def _plain(corpus: Corpus, within: str) -> Ask:
    """Ask a bare FTS5 table with porter stemming and its own bm25."""
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE VIRTUAL TABLE text USING fts5 (body, tokenize = 'porter unicode61')")
    texts = _texts(corpus, within)
    connection.executemany("INSERT INTO text (rowid, body) VALUES (?, ?)", enumerate(texts.values()))
    keys = list(texts)

    def ask(question: str) -> list[str]:
        match = " OR ".join(f'"{word}"' for word in dict.fromkeys(re.findall(r"\w+", question)))
        rows = connection.execute("SELECT rowid FROM text WHERE text MATCH ? ORDER BY rank LIMIT 10", (match,))
        return [keys[int(str(row[0]))] for row in rows]

    return ask


def _texts(corpus: Corpus, within: str) -> dict[str, str]:
    if within == "memories":
        return dict(corpus.notes)
    turns = {turn.ref: f"{turn.speaker}: {turn.text}" for talk in corpus.talks for turn in talk.turns}
    if within == "turns":
        return turns
    return {talk.ref: "\n".join(turns[turn.ref] for turn in talk.turns) for talk in corpus.talks}


@contextmanager
def workplace(work: Path | None) -> Iterator[Path]:
    """Give the stores a place, and keep the user's own memory and settings out."""
    with tempfile.TemporaryDirectory() as spare:
        place = work or Path(spare)
        os.environ["HOLDFAST_DATA_HOME"] = os.environ["HOLDFAST_CONFIG_HOME"] = str(place / "home")
        yield place


if __name__ == "__main__":
    main()
