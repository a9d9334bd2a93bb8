"""What is done to a store besides writing and reading it.

`embed` keeps its vectors complete, and knows what waits; `asking` guards the embedder. `rules` are what a `round`
follows to keep a store within its limits.
"""
