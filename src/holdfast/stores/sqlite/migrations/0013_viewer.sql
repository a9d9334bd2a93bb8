-- What a brief said, word for word, until something in it is forgotten or newer ones take its place. NULL: not kept.
ALTER TABLE receipt ADD COLUMN text TEXT;
-- The sessions that another was forked into.
CREATE INDEX session_parent ON session (parent) WHERE parent IS NOT NULL;
-- What figures are counted from, without reading a text.
CREATE INDEX memory_census ON memory (kind, status, trust, valid_until, expires, fades, reads);
