"""Embedders: text to vectors.

Lives here: the bundled model, the hashing fallback, the remote and fastembed adapters, chunking of long texts
and exact vector search over arrays. Must not live here: storage, fusion, configuration. An embedder has
`model`, `dimensions`, `embed(texts)` and `embed_query(text)`; importing this package loads no third-party
module.
"""
