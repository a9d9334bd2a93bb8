"""Other memories beside this one, each in its own environment, in turn on the same texts and questions.

Installs what is missing into HOLDFAST_PEERS (3 GB), takes 20 minutes or so on two quiet cores, prints a table in
Markdown. docs/benchmarks.md says what differs between them. What a peer that failed said stands under the table.
"""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from benchmarks import data
from benchmarks.peers import answers, speed
from benchmarks.peers.environments import PEERS, Peer, fetch_model, install
from benchmarks.peers.network import reached
from benchmarks.peers.speed import Failures, Report, Sizes
from benchmarks.peers.table import table

STAGES = ("speed", "network", "locomo", "talk")
QUICK = Sizes(texts=100, queries=10, cold_starts=1, together=20)
QUICK_QUESTIONS, QUICK_SET = 20, "odyash"


def main() -> None:
    """Measure, print the table, and write the figures as JSON where asked."""
    arguments = _arguments()
    peers = tuple(peer for peer in PEERS if not arguments.only or peer.name in arguments.only)
    for peer in peers:
        install(peer)
    fetch_model(peers)
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as place:
        report, failures = _measure(peers, Path(place), arguments)
    print(table(peers, report, failures))
    print(f"\n{arguments.sizes.texts:,} texts; load {load:.0f} at the start, {os.getloadavg()[0]:.0f} at the end.")


def _arguments() -> argparse.Namespace:
    names = ", ".join(peer.name for peer in PEERS)
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("--only", nargs="*", help=f"which memories (default: all of {names})")
    parser.add_argument(
        "--stages", nargs="*", default=STAGES, choices=STAGES, help="what is measured (default: all)"
    )
    parser.add_argument("--texts", type=int, help="how many texts are added for the timings (default: 1,000)")
    parser.add_argument("--conversations", type=int, help="take only so many of LoCoMo's (default: all)")
    parser.add_argument("--sets", nargs="*", help="which sets of talk (default: all)")
    parser.add_argument("--quick", action="store_true", help="a little of everything, to see whether it runs")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    arguments = parser.parse_args()
    sizes = QUICK if arguments.quick else Sizes()
    arguments.sizes = replace(sizes, texts=arguments.texts or sizes.texts)
    if unknown := [name for name in arguments.only or () if name not in {peer.name for peer in PEERS}]:
        parser.error(f"no memory is called {unknown[0]}; there are {names}")
    return arguments


def _measure(
    peers: Sequence[Peer], place: Path, arguments: argparse.Namespace
) -> tuple[Report, dict[str, Failures]]:
    report: Report = {peer.name: {} for peer in peers}
    failures: dict[str, Failures] = {}
    for stage in arguments.stages:
        sys.stderr.write(f"{stage}\n")
        measured = _stage(stage, peers, place / stage, arguments, failures.setdefault(stage, {}))
        for name, figures in measured.items():
            report[name] |= figures
        _save(report, failures, arguments)
    return report, failures


def _save(report: Report, failures: dict[str, Failures], arguments: argparse.Namespace) -> None:
    """Write what there is after every stage: the next one may take long."""
    if arguments.json:
        whole = {
            "load": os.getloadavg()[0],
            "sizes": asdict(arguments.sizes),
            "figures": report,
            "failures": failures,
        }
        arguments.json.write_text(json.dumps(whole, indent=2) + "\n", encoding="utf-8")


def _stage(
    stage: str, peers: Sequence[Peer], place: Path, arguments: argparse.Namespace, failures: Failures
) -> Report:
    if stage == "speed":
        return speed.measure(peers, place, arguments.sizes, failures)
    if stage == "network":
        return {peer.name: {"tries the network": reached(peer, place / peer.name)} for peer in peers}
    source = data.part(stage)
    if source is None:
        sys.stderr.write(data.missing(stage) + "\n")
        return {}
    if stage == "locomo":
        corpora = data.locomo(source.parent)[: arguments.conversations]
        return answers.locomo(
            peers, place, answers.first(corpora, QUICK_QUESTIONS) if arguments.quick else corpora, failures
        )
    sets = arguments.sets or ([QUICK_SET] if arguments.quick else answers.all_sets(source))
    return answers.later_prompts(peers, place, source, sets, failures)


if __name__ == "__main__":
    main()
