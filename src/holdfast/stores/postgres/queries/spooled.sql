-- name: spooled_claim
-- Note an entry of a spool; returns a row when it was not noted before.
INSERT INTO spooled (tenant, place, spool, sequence, at)
VALUES (%(tenant)s, %(place)s, %(spool)s, %(sequence)s, %(at)s) ON CONFLICT DO NOTHING RETURNING sequence;

-- name: spooled_noted
-- Every note.
SELECT spool, sequence, at FROM spooled WHERE tenant = %(tenant)s AND place = %(place)s
ORDER BY spool COLLATE "C", sequence;

-- name: spooled_release
-- Forget old notes, but not about spools that are still there.
DELETE FROM spooled WHERE tenant = %(tenant)s AND place = %(place)s AND at < %(before)s
  AND spool <> ALL (%(present)s::text[]);
