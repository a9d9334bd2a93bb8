"""The brief: what an agent is told, within a token budget. `pipeline` puts its steps in order.

Pure parts (budget, render) are light: hooks share them.
"""
