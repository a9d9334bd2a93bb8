"""Run every benchmark and print a table each; the quality of search only where its data is there."""

import argparse
import json
import sys
from pathlib import Path

from benchmarks import (
    briefs,
    bulk,
    conflicts,
    data,
    decisions,
    history,
    hooks,
    mcp,
    parity,
    postgres,
    quality,
    redaction,
    sessions,
    speed,
    startup,
    talk,
    transcripts,
    vectors,
    way_in,
)

BENCHMARKS = (
    "speed", "startup", "mcp", "hooks", "vectors", "conflicts", "sessions", "briefs", "redaction",
    "history", "transcripts", "bulk", "decisions", "talk", "postgres", "parity", "quality", "way_in",
)  # fmt: skip


def main() -> None:
    """Print the tables, and write the figures as JSON where asked."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("only", nargs="*", help=f"which ones (default: all of {', '.join(BENCHMARKS)})")
    parser.add_argument("--hnsw", action="store_true", help="with vectors: also build and ask a graph (minutes)")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.only if name not in BENCHMARKS]
    if unknown:
        parser.error(f"no benchmark is called {unknown[0]}")
    figures = {name: _measure(name, arguments.hnsw) for name in arguments.only or BENCHMARKS}
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


def _measure(name: str, hnsw: bool) -> object:
    """Run one benchmark and print its table."""
    match name:
        case "speed":
            fast = speed.run()
            speed.show(fast, sys.stdout)
            return fast
        case "startup":
            begun = startup.run()
            startup.show(begun, sys.stdout)
            return begun
        case "hooks":
            quick = hooks.run()
            hooks.show(quick, sys.stdout)
            return quick
        case "mcp":
            served = mcp.run()
            mcp.show(served, sys.stdout)
            return served
        case "vectors":
            near = vectors.run([10_000, 100_000], hnsw)
            vectors.show(near, sys.stdout)
            return near
        case "conflicts":
            return _shown(conflicts.run())
        case "sessions":
            return _shown(sessions.run())
        case "briefs":
            return _shown(briefs.run())
        case "redaction":
            return _redaction()
        case "decisions":
            return _decisions()
        case "talk":
            return _talk()
        case "history":
            return _shown(history.run())
        case "transcripts":
            return _shown(transcripts.run())
        case "bulk":
            return _shown(bulk.run())
        case "postgres":
            return _shown(postgres.run())
        case "parity":
            return _parity()
        case "way_in":
            return _shown(way_in.run())
    if not data.folder():
        sys.stdout.write("No data for the quality of search: set HOLDFAST_BENCH_DATA (docs/benchmarks.md).\n")
        return None
    good = quality.run(quality.SETS, ["plain FTS5", *quality.MODES])
    quality.show(good or {}, sys.stdout.write)
    return good


def _redaction() -> object:
    if place := data.part("redaction"):
        return _shown(redaction.run(place))
    sys.stdout.write(data.missing("redaction") + "\n")
    return None


def _parity() -> object:
    if figures := parity.run():
        return _shown(figures)
    sys.stdout.write(data.missing("locomo") + "\n")
    return None


def _decisions() -> object:
    if figures := decisions.run():
        decisions.show(figures, sys.stdout.write)
        return figures
    sys.stdout.write(data.missing("decisions") + "\n")
    return None


def _talk() -> object:
    if figures := talk.run():
        talk.show(figures, sys.stdout.write)
        return figures
    sys.stdout.write(data.missing("talk") + "\n")
    return None


def _shown(figures: dict[str, float]) -> dict[str, float]:
    """Print figures as a table, and return them."""
    for name, value in figures.items():
        sys.stdout.write(f"  {name:<66} {value:9.4f}\n")
    return figures


if __name__ == "__main__":
    main()
