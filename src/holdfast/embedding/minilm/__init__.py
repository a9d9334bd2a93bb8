"""The bundled sentence model: all-MiniLM-L6-v2 in int8, run by onnxruntime on the CPU.

Lives here: the model's files, their digests and the code that runs them. Must not live here: chunking,
storage, ranking. Importing this package loads neither numpy nor onnxruntime; the first text embedded does.
"""

from holdfast.embedding.minilm.runtime import DIMENSIONS, MODEL, RECORD, TOKENS, MiniLM, missing_packages

__all__ = ["DIMENSIONS", "MODEL", "RECORD", "TOKENS", "MiniLM", "missing_packages"]
