"""Coding agents: a package each, and what they share. Light where hooks need it.

The package itself reads what an agent's hooks are told (light); its module `files` says what is installed into
it, and reads the sessions that it wrote down. `editors` is a table of those that install no more than files in a
home. `events` is the vocabulary, and makes of an event the entry that `spool` keeps. `plan` installs: `targets`
says what is to stand in a file, `documents` changes it, `ledger` keeps how it was.
"""
