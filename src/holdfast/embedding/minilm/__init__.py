"""The bundled sentence model: all-MiniLM-L6-v2 in int8, run by onnxruntime on the CPU: text to token ids to one
vector of length 1.

Lives here: the model's files, their digests and the code that runs them. Must not live here: chunking, storage,
ranking. Importing this package loads neither numpy nor onnxruntime; the first text embedded does. Each text is run
by itself and never padded, because the quantised graph takes one scale for a whole input: a vector must not depend
on the texts embedded beside it. That costs little on a CPU, where a text of 20 tokens fills the kernels already;
many texts are run side by side on as many cores as the process may use.
"""

from __future__ import annotations

import threading
from collections.abc import Generator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.embedding import import_without_telemetry
from holdfast.errors import ModelUnusable
from holdfast.model.ids import digest_bytes

if TYPE_CHECKING:
    import numpy as np
    import onnxruntime  # type: ignore[import-untyped]  # ships no stubs
    from numpy.typing import NDArray
    from tokenizers import Tokenizer


def damaged_files(record: Path) -> list[str]:
    """Name the files beside a record (a JSON file with their SHA-256) that are missing or differ from it."""
    import json

    if not record.is_file():
        return [record.name]
    digests = json.loads(record.read_text("utf-8"))["sha256"]
    return [name for name, digest in digests.items() if _digest(record.with_name(name)) != digest]


def _digest(path: Path) -> str:
    return digest_bytes(path.read_bytes()) if path.is_file() else ""


MODEL = "all-MiniLM-L6-v2-int8"
DIMENSIONS = 384
TOKENS = 256
WORTH_SHARING = 4
"""Texts from which on other cores are asked to help."""
FILES = Path(__file__).parent
RECORD = FILES / "model.json"
"""Names the files with their SHA-256."""


class MiniLM:
    """Embeds texts with the bundled model, each on one core; safe to share between threads.

    What is longer than 256 tokens is cut there.
    """

    model = MODEL
    dimensions = DIMENSIONS

    def __init__(self, cores: int = 1) -> None:
        self.cores = cores
        """How many texts are embedded side by side: one beside an agent at work, all where somebody waits."""
        self._lock = threading.Lock()
        self._session_and_tokenizer: tuple[onnxruntime.InferenceSession, Tokenizer] | None = None

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one row per text."""
        self._ready()
        import numpy as np

        vectors = np.empty((len(texts), DIMENSIONS), np.float32)
        for place, vector in self._embedded(texts):
            vectors[place] = vector
        return vectors

    def _embedded(self, texts: Sequence[str]) -> Generator[tuple[int, NDArray[np.float32]]]:
        """Hand out vectors with the places of their texts."""
        if self.cores < 2 or len(texts) < WORTH_SHARING:
            yield from ((place, self._vector(text)) for place, text in enumerate(texts))
            return
        # The longest first, so that no core is left with one when the others are done.
        places = sorted(range(len(texts)), key=lambda place: -len(texts[place]))
        try:
            from concurrent.futures import ThreadPoolExecutor  # few embed many texts

            pool = ThreadPoolExecutor(min(self.cores, len(texts)), thread_name_prefix="holdfast-embed")
            vectors = pool.map(self._vector, [texts[place] for place in places])
        except RuntimeError:  # at the interpreter's end no thread is started any more
            yield from ((place, self._vector(text)) for place, text in enumerate(texts))
            return
        try:
            yield from zip(places, vectors, strict=True)
        finally:
            pool.shutdown(cancel_futures=True)  # who interrupts waits for the texts begun, not for all

    def _vector(self, text: str) -> NDArray[np.float32]:
        """Run one text; onnxruntime lets other threads run meanwhile."""
        session, tokenizer = self._ready()
        import numpy as np

        try:
            ids = np.array([tokenizer.encode(text).ids], np.int64)
            vector: NDArray[np.float32] = session.run(None, {"input_ids": ids})[0][0]
        except Exception as error:  # both raise a dozen types without a common root
            raise ModelUnusable(problem=f"it failed on a text: {error}") from error
        return vector

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the vector of one text."""
        row: NDArray[np.float32] = self.embed([text])[0]
        return row

    @property
    def loaded(self) -> bool:
        """Whether the next text costs a few milliseconds, not a third of a second."""
        return self._session_and_tokenizer is not None

    def load(self) -> None:
        """Get ready now instead of at the first text."""
        self._ready()

    def _ready(self) -> tuple[onnxruntime.InferenceSession, Tokenizer]:
        with self._lock:
            if self._session_and_tokenizer is None:
                self._session_and_tokenizer = (
                    open_session(FILES / "model.onnx"),
                    open_tokenizer(FILES / "tokenizer.json"),
                )
            return self._session_and_tokenizer


def open_session(path: Path) -> onnxruntime.InferenceSession:
    """Load a graph for one thread. Raises ModelUnusable."""
    try:
        onnxruntime = import_without_telemetry("onnxruntime")
    except ImportError as error:
        raise ModelUnusable(problem="onnxruntime is not installed: pip install onnxruntime") from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    # Idle threads that spin would burn the cores an agent is using.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # The graph was written with fused operators: only constant folding is left to do.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime raises a dozen types without a common root
        raise ModelUnusable(problem=f"{path.name} cannot be loaded: {error}") from error


def open_tokenizer(path: Path) -> Tokenizer:
    """Load the tokenizer, cut at TOKENS. Raises ModelUnusable."""
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise ModelUnusable(problem="tokenizers is not installed: pip install tokenizers") from error
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the Rust side raises bare Exception
        raise ModelUnusable(problem=f"{path.name} cannot be loaded: {error}") from error
    tokenizer.enable_truncation(TOKENS)
    return tokenizer


def missing_packages() -> list[str]:
    """Name the packages that the model needs and that are not installed, without importing them."""
    return [name for name in ("numpy", "onnxruntime", "tokenizers") if find_spec(name) is None]
