"""The places memory is kept, each behind `ports.Store`; `analyser`, `topics` and `weights` are what they share.

`sql` has the facets of the backends that speak SQL, as far as they are the same. A backend's folder repeats these
file names: memories, turns, records, rows, store. Only `storage` and tests may name a backend.
"""
