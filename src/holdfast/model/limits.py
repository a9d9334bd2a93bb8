"""The numbers that bound what is kept. Plain constants, shared with hooks."""

CONTENT_BYTES = 65_536
"""A memory's content in UTF-8; more is an error, because half a decision is worse than none."""

TURN_BYTES = 65_536
"""A turn's text in UTF-8; more is cut, with a mark that says so."""

TURN_READ_CHARS = 98_304
"""Characters of a turn that are cleaned: what is cut off later anyway is not worth the time."""

TITLE_CHARS = 80
QUOTE_BYTES = 8_192
CONTEXT_BYTES = 16_384
METADATA_BYTES = 16_384
NAME_CHARS = 200
"""A tag, a source, an agent's name, a caller's ref."""

TAGS = 50
FILES = 200
PATH_CHARS = 1_024
FORGOTTEN_AT_ONCE = 100
"""Memories removed in one transaction when many are forgotten."""

FINDING_CHARS = 500
EXCERPT_CHARS = 400

PINS = 5
"""Memories that every brief carries."""

SHORT_ID_DIGITS = 8
"""Last digits of an id that people type; more where two end alike."""

BATCH = 500
"""Rows that are read or judged at once."""

BULK = 100
"""Entries written in one transaction by a bulk add: others want to write as well, and wait for seconds only."""

ACCESS_ROWS = 10_000
"""Accesses that are logged; the oldest go."""

ACCESS_BATCH = 200
"""Accesses that wait in a process before they are written."""

PATIENCE_MS = 50
"""How long work that only serves statistics waits for another writer before it is dropped."""

RECEIPTS = 1_000
"""Briefs whose receipts are kept."""

BRIEF_TEXTS = 200
"""Briefs of which also the text is kept, for who asks what an agent was told."""

NO_LIMIT = 1_000_000_000
"""Where every row is asked for: more than any store has."""

METADATA_DEPTH = 20
"""How deep a caller's JSON may be nested."""

AUDIT_EVENTS = 5_000
AUDIT_KEPT = 4_000
"""Events that the audit log may hold, and those that are left when it is trimmed: not at every event."""

READS_KEEP = 3
"""Reads after which age hides a memory no more."""

HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS
QUARANTINE_MS = DAY_MS
"""How old a candidate must be before being read confirms it."""
