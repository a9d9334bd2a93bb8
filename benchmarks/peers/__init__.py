"""Other memories beside this one, each in its own environment, measured in turn: `python -m benchmarks.peers`."""
