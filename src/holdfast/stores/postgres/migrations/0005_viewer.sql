-- What a brief said, word for word, until something in it is forgotten or newer ones take its place. NULL: not kept.
ALTER TABLE receipt ADD COLUMN text text;
-- The sessions that another was forked into.
CREATE INDEX session_parent ON session (tenant, place, parent) WHERE parent IS NOT NULL;
