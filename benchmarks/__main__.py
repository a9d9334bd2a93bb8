"""Run every benchmark and print a table each; the quality of search only where its data is there."""

import argparse
import json
import sys
from pathlib import Path

from benchmarks import data, quality, speed, vectors


def main() -> None:
    """Print the tables, and write the figures as JSON where asked."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    arguments = parser.parse_args()
    figures: dict[str, object] = {}
    figures["speed"] = fast = speed.run()
    speed.show(fast, sys.stdout)
    figures["vectors"] = near = vectors.run([10_000, 100_000], hnsw=False)
    vectors.show(near, sys.stdout)
    if data.folder():
        figures["quality"] = good = quality.run(quality.SETS, ["plain FTS5", *quality.MODES])
        quality.show(good or {}, sys.stdout.write)
    else:
        sys.stdout.write("No data for the quality of search: set HOLDFAST_BENCH_DATA (docs/benchmarks.md).\n")
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
