-- name: conflict_columns
-- The columns of a conflict in the order rows.py reads them; put in place of /*conflict_columns*/.
c.id, c.first, c.second, c.kind, c.detected_at, c.resolved_at, c.kept

-- name: conflict_get
-- A conflict by full id.
SELECT /*conflict_columns*/ FROM conflict c WHERE c.id = :id;

-- name: conflicts_ending
-- Ids by their last eight digits; the caller compares the rest of a longer tail.
SELECT id FROM conflict WHERE substr(id, -8) = :tail;

-- name: conflicts_walk
-- Conflicts in order of arrival, from after one of them on.
SELECT /*conflict_columns*/ FROM conflict c
WHERE c.seq > coalesce((SELECT seq FROM conflict WHERE id = :after), 0) ORDER BY c.seq LIMIT :limit;

-- name: conflicts_unresolved
-- Unresolved conflicts between memories that are both shown, newest first; with ids only those that touch one of them.
SELECT /*conflict_columns*/ FROM conflict c
JOIN memory one ON one.id = c.first JOIN memory other ON other.id = c.second
WHERE c.resolved_at IS NULL
  AND one.valid_until IS NULL AND (one.expires IS NULL OR one.expires > :now) AND (one.fades IS NULL OR one.fades > :now)
  AND other.valid_until IS NULL AND (other.expires IS NULL OR other.expires > :now)
  AND (other.fades IS NULL OR other.fades > :now)
  AND (:ids IS NULL OR c.first IN (SELECT value FROM json_each(:ids))
       OR c.second IN (SELECT value FROM json_each(:ids)))
ORDER BY c.seq DESC;

-- name: conflicts_about
-- The conflicts of a memory, settled ones included, newest first.
SELECT /*conflict_columns*/ FROM conflict c WHERE c.first = :memory OR c.second = :memory ORDER BY c.seq DESC;

-- name: conflict_record
-- A new conflict; a pair that is known already stays as it is.
INSERT OR IGNORE INTO conflict (id, first, second, kind, detected_at, resolved_at, kept)
VALUES (:id, :first, :second, :kind, :detected_at, :resolved_at, :kept);

-- name: conflict_settle
-- What a person decided.
UPDATE conflict SET resolved_at = :resolved_at, kept = :kept WHERE id = :id;

-- name: conflicts_delete
-- Conflicts go with the memories they are about.
DELETE FROM conflict WHERE first IN (SELECT value FROM json_each(:ids))
  OR second IN (SELECT value FROM json_each(:ids));
