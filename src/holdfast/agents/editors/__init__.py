"""Files that belong to somebody else, edited as text so that nothing of anybody else's moves.

`jsonc` and `toml` change one kind of file each; `targets` says what is to stand in a file, `ledger` remembers how
it was, and `plan` puts it together; `place` says where an installation takes place.
"""
