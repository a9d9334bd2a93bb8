"""What is done to a store besides writing and reading it. `embed` keeps its vectors complete."""
