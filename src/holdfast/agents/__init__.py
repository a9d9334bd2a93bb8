"""Coding agents: one folder each, and what they share. Light where hooks need it.

`hook` of an agent reads its payloads (light), `install` says what goes into its files, `transcript` reads what it
wrote down itself. `events` is the vocabulary, `payload` reads other people's JSON, `injected` tells what nobody
said, `entry` makes of an event what is kept, in the `spool`.
"""
