"""The viewer: what a person sees in a browser. Its files, who may come in, and what its pages ask for.

What must not be here: anything that reads or changes memory by itself. Pages ask operations, and those ask verbs.
"""
