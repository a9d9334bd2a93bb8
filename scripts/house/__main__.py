"""Print the numbers of the house beside their limits."""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from scripts.house import LIMITS, count, traced

ROOT = Path(__file__).resolve().parents[2]


def main(arguments: Sequence[str] | None = None) -> None:
    """Count and print."""
    parser = argparse.ArgumentParser(prog="python -m scripts.house", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quick", action="store_true", help="only what is read from files")
    parser.add_argument("--root", type=Path, default=ROOT, help="the checkout to count (default: this one)")
    options = parser.parse_args(arguments)
    root = options.root.resolve()
    numbers = count.of_source(root) | count.of_the_rest(root)
    if not options.quick:
        numbers |= traced.files_run(root) | {"test items": traced.test_items(root)}
    if options.json:
        print(json.dumps(numbers, indent=2))
        return
    print(f"{'':<66}{'now':>10}{'limit':>10}")
    for name, number in numbers.items():
        limit = LIMITS[name]
        print(f"{name:<66}{number:>10,}{limit:>10,}{'  over' if number > limit else ''}")


if __name__ == "__main__":
    main()
