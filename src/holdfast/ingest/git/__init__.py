"""The project's git history: every commit is evidence, and one that states something is a memory.

`log` runs git and reads commits, `message` judges what one says, `history` brings it all into the store.
"""
