"""A question's vector without a model runtime: word pieces and frequent pairs of them, one row of a table each.

Lives here: the table, what it was made from (SOURCES.md, the attribution) and the code that reads it. Must not
live here: searching, and documents, whose vectors come from the model whose space the table lies in. Light, and
nothing but the standard library.
"""

from holdfast.embedding.static.encoder import RECORD, SPACE, StaticEncoder, bundled

__all__ = ["RECORD", "SPACE", "StaticEncoder", "bundled"]
