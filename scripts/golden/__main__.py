"""The command line: `python -m scripts.golden record|compare|speed`; the package says what for."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from scripts.golden import speed
from scripts.golden.checkout import ROOT, checkout_at, workplace
from scripts.golden.difference import Difference, differences
from scripts.golden.sections import SECTIONS, USUAL, Run, Section, make, read, write

SHOWN = 5


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return its exit code."""
    options = _parser().parse_args(arguments)
    checkout = checkout_at(options.checkout)
    if options.command == "speed":
        return _speed(options)
    if not options.data or not (data := Path(options.data).resolve()).is_dir():
        raise SystemExit("No data: give --data, or set HOLDFAST_BENCH_DATA to its folder.")
    folder: Path = options.folder.resolve()
    if ROOT in (folder, *folder.parents):
        raise SystemExit("The folder must lie outside the repository: it holds other people's text.")
    different = 0
    for name, section in make(Run(checkout, data, _say), options.only or USUAL):
        if options.command == "compare":
            different += compare(folder, name, section, options.show)
        if target := folder if options.command == "record" else options.keep:
            write(target, name, section)
    return int(different > 0)


def compare(folder: Path, name: str, new: Section, shown: int = SHOWN) -> int:
    """Print what differs in a section from a recording; return the number of entries that do."""
    old = read(folder, name)
    if old is None:
        _say(f"{name}: not recorded in {folder}")
        return 1
    if name == "speed":
        slower = speed.compare(old, new)
        _say("\n".join([f"speed: {len(slower)} of {len(new)} slower by more than the tolerance", *slower]))
        return len(slower)
    found = differences(old, new)
    _say("\n".join([f"{name}: {len(found)} of {len(old)} differ", *_reported(found[:shown])]))
    return len(found)


def _reported(found: Sequence[Difference]) -> list[str]:
    return [f"  {one.entry}{one.place}\n    old {one.old}\n    new {one.new}" for one in found]


def _speed(options: argparse.Namespace) -> int:
    """Measure one checkout, or two in turn, and print milliseconds of CPU over bare Python."""
    checkouts = [checkout_at(folder) for folder in (options.checkout, options.against) if folder]
    with workplace() as place:
        figures = speed.measure(checkouts, place, options.rounds, options.memories)
    heads = [f"{checkout.folder.name:>12}, median/least" for checkout in checkouts]
    _say(f"{'ms of CPU over bare Python':<28}{''.join(f'{head:>28}' for head in heads)}{'difference':>22}")
    worst = 0.0
    for name in speed.COMMANDS:
        cells = [f"{one[name]['median']:.1f} / {one[name]['least']:.1f}" for one in figures]
        line = f"{name:<28}" + "".join(f"{cell:>28}" for cell in cells)
        if len(figures) == 2:
            gaps = [figures[0][name][key] - figures[1][name][key] for key in ("median", "least")]
            worst = max(worst, min(gaps))
            line += f"{f'{gaps[0]:+.1f} / {gaps[1]:+.1f}':>22}"
        _say(line)
    return int(worst > speed.TOLERANCE_MS)


def _say(line: str) -> None:
    print(line, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m scripts.golden")
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("record", "compare"):
        command = commands.add_parser(name)
        command.add_argument("folder", type=Path, help="where the recording lies, outside the repository")
        command.add_argument(
            "--data", default=os.environ.get("HOLDFAST_BENCH_DATA"), help="the folder of the data"
        )
        command.add_argument(
            "--only", nargs="+", choices=SECTIONS, help=f"these sections (default: {' '.join(USUAL)})"
        )
        if name == "compare":
            command.add_argument("--show", type=int, default=SHOWN, help="differences shown of each section")
            command.add_argument("--keep", type=Path, help="also write the new answers to this folder")
    measured = commands.add_parser("speed")
    measured.add_argument("--against", type=Path, help="another checkout, measured in turn with this one")
    measured.add_argument("--rounds", type=int, default=speed.ROUNDS)
    measured.add_argument("--memories", type=int, default=speed.MEMORIES)
    for command in commands.choices.values():
        command.add_argument("--checkout", type=Path, default=ROOT, help="the checkout to run (default: this one)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
