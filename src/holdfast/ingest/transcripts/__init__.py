"""Past sessions, as coding agents wrote them down themselves (`agents.*.transcript` reads each).

`locate` says where they lie, `new_messages` what of a session is not known yet, `read_marks` remembers which files
were read, and `ingest` brings it all into the store.
"""
