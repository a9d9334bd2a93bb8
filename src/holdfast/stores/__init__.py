"""The places memory is kept, each behind `ports.Store`; `analyser` and `weights` are what they share.

A backend's folder repeats the same file names: memories, sessions, turns, records, store. Only `compose`
and tests may name a backend.
"""
