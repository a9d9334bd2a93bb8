"""The values everything else passes around. Each module holds one concept; import from the module.

No behaviour beyond what a value knows of itself, no I/O, and no imports from the rest of holdfast except
errors. Light, except for `ingest`: hooks share them.
"""
