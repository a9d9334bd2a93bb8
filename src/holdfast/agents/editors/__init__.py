"""Files that belong to somebody else, edited as text so that nothing of anybody else's moves.

`jsonc` and `toml` change one kind of file each; `targets` says what is to stand in a file and where an
installation takes place, with `shell` for the commands and `guidance` for the instructions in them and `hosts` for
the folders of editors; `plan` puts it together, and `ledger` keeps what was installed where.
"""
