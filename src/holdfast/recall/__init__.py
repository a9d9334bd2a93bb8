"""The read path: analyse → retrieve → score → floor → hits. `search` is the pipeline; the rest are its steps."""
