"""What is done to a store besides writing and reading it.

`embed` keeps its vectors complete: `asking` guards the embedder, `backlog` is what waits. `rules` and `size` are
what a `round` follows to keep a store within its limits; `trusted_time` is the time that deletions go by.
"""
