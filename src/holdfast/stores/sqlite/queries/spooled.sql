-- name: spooled_claim
-- Note an entry of a spool; returns a row when it was not noted before.
INSERT INTO spooled (spool, sequence, at) VALUES (:spool, :sequence, :at)
ON CONFLICT DO NOTHING RETURNING sequence;

-- name: spooled_noted
-- Every note.
SELECT spool, sequence, at FROM spooled ORDER BY spool, sequence;

-- name: spooled_release
-- Forget old notes, but not about spools that are still there.
DELETE FROM spooled WHERE at < :before AND spool NOT IN (SELECT value FROM json_each(:present));
