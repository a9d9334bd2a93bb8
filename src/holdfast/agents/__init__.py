"""Coding agents: a package each, and what they share. Light where hooks need it.

The package itself reads what an agent's hooks are told (light); its module `files` says what is installed into it,
and reads the sessions that it wrote down. `editors` is a table of those without hooks. `events` is the vocabulary,
`injected` tells text that a client or holdfast added, `entry` makes of an event the entry that `spool` keeps.
`plan` installs: `targets` says what is to stand in a file, `jsonc` and `toml` change it, `ledger` keeps how it
was.
"""
