"""Run every benchmark and print a table each."""

import argparse
import json
import sys
from pathlib import Path

from benchmarks import speed


def main() -> None:
    """Print the tables, and write the figures as JSON where asked."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    arguments = parser.parse_args()
    figures = speed.run()
    speed.show(figures, sys.stdout)
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
