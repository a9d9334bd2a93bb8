"""Measurements, never tests. `python -m benchmarks` runs all; figures hold only within one run on one machine."""
