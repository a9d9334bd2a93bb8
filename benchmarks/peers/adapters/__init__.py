"""A small program for each memory that is measured: it runs in that memory's environment and speaks one protocol.

Nothing but `protocol` is shared here, and that needs the standard library alone.
"""
