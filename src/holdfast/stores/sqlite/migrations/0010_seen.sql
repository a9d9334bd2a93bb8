-- How the memories of a proposal looked when it was made: a person decides about that. Older ones do not know.
ALTER TABLE proposal ADD COLUMN seen TEXT NOT NULL DEFAULT '{}';
