-- A checksum of what was written, by which a row that a failing disk changed is known (`seals.py`). Rows that are
-- there already get theirs when the schema is brought up, those that can still be read as they were written.
ALTER TABLE memory ADD COLUMN seal INTEGER;
ALTER TABLE session ADD COLUMN seal INTEGER;
ALTER TABLE turn ADD COLUMN seal INTEGER;
ALTER TABLE finding ADD COLUMN seal INTEGER;
ALTER TABLE conflict ADD COLUMN seal INTEGER;
ALTER TABLE proposal ADD COLUMN seal INTEGER;
ALTER TABLE alias ADD COLUMN seal INTEGER;
