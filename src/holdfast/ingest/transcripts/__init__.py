"""Past sessions, as coding agents wrote them down themselves (`agents.*.transcript` reads each).

`locate` says where they lie, `read_marks` which were read and what of a session is not known yet, and `ingest`
brings it all into the store.
"""
