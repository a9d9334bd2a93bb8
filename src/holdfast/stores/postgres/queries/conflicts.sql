-- name: conflict_columns
-- The columns of a conflict in the order rows.py reads them; put in place of /*conflict_columns*/.
c.id, c.first, c.second, c.kind, c.detected_at, c.resolved_at, c.kept

-- name: conflict_get
-- A conflict by full id.
SELECT /*conflict_columns*/ FROM conflict c
WHERE c.tenant = %(tenant)s AND c.place = %(place)s AND c.id = %(id)s::uuid /*hold*/;

-- name: conflicts_ending
-- Ids by their last eight digits; the caller compares the rest of a longer tail.
SELECT c.id FROM conflict c
WHERE c.tenant = %(tenant)s AND c.place = %(place)s AND c.tail = %(tail)s;

-- name: conflicts_walk
-- Conflicts in order of arrival, from after one of them on.
SELECT /*conflict_columns*/ FROM conflict c
WHERE c.tenant = %(tenant)s AND c.place = %(place)s AND c.seq > coalesce(
  (SELECT a.seq FROM conflict a WHERE a.tenant = %(tenant)s AND a.place = %(place)s AND a.id = %(after)s::uuid), 0)
ORDER BY c.seq LIMIT %(limit)s;

-- name: conflicts_unresolved
-- Unresolved conflicts between memories that both hold, newest first; with ids only those that touch one of them.
SELECT /*conflict_columns*/ FROM conflict c
JOIN memory one ON one.tenant = %(tenant)s AND one.id = c.first
JOIN memory other ON other.tenant = %(tenant)s AND other.id = c.second
WHERE c.tenant = %(tenant)s AND c.place = %(place)s AND c.resolved_at IS NULL
  AND one.valid_until IS NULL AND (one.expires IS NULL OR one.expires > %(now)s)
  AND other.valid_until IS NULL AND (other.expires IS NULL OR other.expires > %(now)s)
  AND (%(ids)s::uuid[] IS NULL OR c.first = ANY (%(ids)s::uuid[]) OR c.second = ANY (%(ids)s::uuid[]))
ORDER BY c.seq DESC;

-- name: conflicts_about
-- The conflicts of a memory, settled ones included, newest first.
SELECT /*conflict_columns*/ FROM conflict c WHERE c.tenant = %(tenant)s AND c.place = %(place)s
  AND (c.first = %(memory)s::uuid OR c.second = %(memory)s::uuid) ORDER BY c.seq DESC;

-- name: conflict_record
-- A new conflict; a pair that is known already stays as it is.
INSERT INTO conflict (tenant, place, seq, id, first, second, kind, detected_at, resolved_at, kept)
VALUES (%(tenant)s, %(place)s, nextval('arrival'), %(id)s, %(first)s, %(second)s, %(kind)s, %(detected_at)s,
        %(resolved_at)s, %(kept)s)
ON CONFLICT (tenant, first, second) DO NOTHING;

-- name: conflict_settle
-- What a person decided.
UPDATE conflict c SET resolved_at = %(resolved_at)s, kept = %(kept)s
WHERE c.tenant = %(tenant)s AND c.place = %(place)s AND c.id = %(id)s::uuid;

-- name: conflicts_delete
-- Conflicts go with the memories they are about.
DELETE FROM conflict c WHERE c.tenant = %(tenant)s AND c.place = %(place)s AND c.id IN (
  SELECT o.id FROM conflict o WHERE o.tenant = %(tenant)s AND o.place = %(place)s
    AND (o.first = ANY (%(ids)s::uuid[]) OR o.second = ANY (%(ids)s::uuid[])) ORDER BY o.id FOR UPDATE);
