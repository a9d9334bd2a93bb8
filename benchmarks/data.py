"""Where the data of the quality benchmarks lies: outside the repository, named by HOLDFAST_BENCH_DATA."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def folder(name: str) -> Path | None:
    """Return a folder of the data, None when it is not there."""
    base = Path(os.environ.get("HOLDFAST_BENCH_DATA") or ROOT / ".." / "shared" / "data")
    found = base / name
    return found if found.is_dir() else None


def missing(name: str) -> str:
    """Return what to tell somebody who has no data."""
    return f"No {name} data. Set HOLDFAST_BENCH_DATA to a folder that holds {name}/, see docs/benchmarks.md."
