"""Make what a release hands out, in `dist/`: wheel, source archive, their digests, and a bill of materials.

    python -m scripts.release

The wheel is installed into an empty environment with what it needs, and tells its story there, before anything is
said of it. The bill of materials (CycloneDX) is written by cyclonedx-py from that environment, and the weights,
which no tool for Python packages can see, are added. Built twice from one commit the archives are the same bytes:
`SOURCE_DATE_EPOCH` is the commit's time.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from hashlib import sha256
from pathlib import Path

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from scripts import way_in

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
BILL = DIST / "sbom.cdx.json"
EMBEDDING = ROOT / "src" / "holdfast" / "embedding"
WEIGHTS = {
    "all-MiniLM-L6-v2-int8": EMBEDDING / "minilm" / "model.json",
    "holdfast-static-questions": EMBEDDING / "static" / "table.json",
    "holdfast-judge-int8": EMBEDDING.parent / "judge" / "full.json",
    "holdfast-judge-light": EMBEDDING.parent / "judge" / "light.json",
}
"""What is bundled and no Python package: the name of each, and the file that has its digests."""


def main() -> int:
    """Build, try, describe."""
    os.environ["SOURCE_DATE_EPOCH"] = _run("git", "log", "-1", "--format=%ct").strip()
    shutil.rmtree(DIST, ignore_errors=True)
    wheel = build(DIST)
    with tempfile.TemporaryDirectory() as scratch:
        python = install(wheel, Path(scratch) / "env")
        tell_story(python.with_name("holdfast"), Path(scratch) / "home")
        bill = bill_of_materials(python)
    check_bill(bill)
    BILL.write_text(bill, encoding="utf-8")
    print(write_digests())
    return 0


def build(target: Path) -> Path:
    """Build both archives; return the wheel."""
    _run(sys.executable, "-m", "hatchling", "build", "-d", str(target))
    [wheel] = target.glob("*.whl")
    return wheel


def install(wheel: Path, place: Path) -> Path:
    """Install the wheel into a new environment, in the versions that were tested; return its interpreter."""
    venv.create(place)  # without pip, which would be a line of the bill
    python = place / ("Scripts" if os.name == "nt" else "bin") / "python"
    pip = (sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check")
    _run(*pip, "install", "--constraint", str(ROOT / "constraints.txt"), str(wheel))
    return python


def tell_story(command: Path, home: Path) -> None:
    """Walk the way in, and run the demo, as somebody who has nothing but this package."""
    way_in.walk(home, command.parent)
    _run(str(command), "demo", cwd=home, env=way_in.bare_environment(home, command.parent))


def bill_of_materials(python: Path) -> str:
    """Return what is installed there, with its licences, and the weights, as CycloneDX."""
    about = ("--pyproject", str(ROOT / "pyproject.toml"), "--mc-type", "library")
    options = (*about, "--output-reproducible", "--no-validate")  # it is checked once, when it is complete
    bill = json.loads(_run(sys.executable, "-m", "cyclonedx_py", "environment", *options, str(python)))
    bill["components"] += [_weights(name, record) for name, record in WEIGHTS.items()]
    return json.dumps(bill, indent=1, ensure_ascii=False) + "\n"


def check_bill(text: str) -> None:
    """Hold the bill against the schema of its version, which takes half a minute."""
    version = SchemaVersion.from_version(json.loads(text)["specVersion"])
    if mistake := JsonStrictValidator(version).validate_str(text):
        raise SystemExit(f"The bill of materials is not CycloneDX: {mistake}")


def _weights(name: str, record: Path) -> dict[str, object]:
    digests = json.loads(record.read_text(encoding="utf-8"))["sha256"]
    [digest] = [digest for file, digest in digests.items() if file.endswith((".onnx", ".bin"))]
    return {
        "type": "machine-learning-model",
        "bom-ref": name,
        "name": name,
        "licenses": [{"license": {"id": "Apache-2.0"}}],
        "hashes": [{"alg": "SHA-256", "content": digest}],
    }


def write_digests() -> str:
    """Write and return the SHA-256 of everything in `dist/`, as `sha256sum --check` reads it."""
    files = sorted(path for path in DIST.iterdir() if path.name != "SHA256SUMS")
    lines = "".join(f"{sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files)
    (DIST / "SHA256SUMS").write_text(lines, encoding="utf-8")
    return lines


def _run(*command: str, cwd: Path = ROOT, env: dict[str, str] | None = None) -> str:
    """Run a program; return what it printed, or end with what it complained of."""
    result = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    if result.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{result.stdout}{result.stderr}")
    return result.stdout


if __name__ == "__main__":
    sys.exit(main())
