"""Run every benchmark and print a table each."""

import argparse
import json
import sys
from pathlib import Path

from benchmarks import speed, startup

BENCHMARKS = {"speed": speed, "startup": startup}


def main() -> None:
    """Print the tables, and write the figures as JSON where asked."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("only", nargs="*", help=f"which ones (default: all of {', '.join(BENCHMARKS)})")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.only if name not in BENCHMARKS]
    if unknown:
        parser.error(f"no benchmark is called {unknown[0]}")
    figures: dict[str, float] = {}
    for name in arguments.only or BENCHMARKS:
        measured = BENCHMARKS[name].run()
        BENCHMARKS[name].show(measured, sys.stdout)
        figures |= measured
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
