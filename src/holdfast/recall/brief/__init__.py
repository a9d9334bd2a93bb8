"""The brief: what an agent is told, within a token budget. `pipeline` puts its steps in order.

Pure parts (tokens, budget, escape, agents, render, excerpt) are light: hooks share them.
"""
