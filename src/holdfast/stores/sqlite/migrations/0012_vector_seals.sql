-- A checksum of every vector: one flipped bit of an exponent changes the order of every answer, and no page knows it.
ALTER TABLE vector ADD COLUMN seal INTEGER;
