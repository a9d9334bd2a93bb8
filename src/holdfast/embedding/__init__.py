"""Embedders: text to vectors.

Lives here: the bundled model, the hashing fallback, the remote and fastembed adapters, chunking of long texts
and exact vector search over arrays. Must not live here: storage, fusion, configuration. An embedder has
`model`, `dimensions`, `embed(texts)` and `embed_query(text)`; importing this package loads no third-party
module.

Every import of onnxruntime goes through here, and of whatever imports it; a house test holds that. Version 1.31
and newer writes an id of the device and a queue of events below the user's cache directory, and sends them. Its
environment variable prevents all of it, if it is set before the import; its switch counts for what comes later,
where another program has imported it already. Both count for the whole process: a program that uses holdfast
reports nothing either.
"""

import os
import sys
from types import ModuleType

SWITCHES = {
    "ORT_DISABLE_TELEMETRY": "1",  # onnxruntime: no id, no queue, nothing sent
    "HF_HUB_DISABLE_TELEMETRY": "1",  # huggingface_hub, by which fastembed gets its models
}


def import_without_telemetry(name: str) -> ModuleType:
    """Import a module that is, or may bring in, one that reports to its makers."""
    import importlib  # few processes embed

    os.environ.update(SWITCHES)
    module = importlib.import_module(name)
    runtime = sys.modules.get("onnxruntime")
    if runtime is not None:
        runtime.disable_telemetry_events()
    return module
