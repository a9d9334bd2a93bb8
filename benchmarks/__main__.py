"""Run every benchmark and print a table each."""

import argparse
import json
import sys
from pathlib import Path

from benchmarks import conflicts, redaction, speed
from benchmarks.data import folder, missing


def main() -> None:
    """Print the tables, and write the figures as JSON where asked."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    arguments = parser.parse_args()
    figures = speed.run()
    speed.show(figures, sys.stdout)
    print("\nKinds, revisions and conflicts")
    show(quality := conflicts.run())
    figures |= quality
    if place := folder("redaction"):
        print("\nRedaction")
        show(quality := redaction.run(place))
        figures |= quality
    else:
        print(missing("redaction"))
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


def show(figures: dict[str, float]) -> None:
    """Print figures as a table."""
    for name, value in figures.items():
        print(f"  {name:<66} {value:9.4f}")


if __name__ == "__main__":
    main()
