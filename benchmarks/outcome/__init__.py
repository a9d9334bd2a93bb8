"""The outcome of tasks: what of the facts that a fix needs is in the brief, and a way into sde-bench's runner."""
