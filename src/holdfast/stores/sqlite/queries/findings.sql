-- name: finding_columns
-- The columns of a finding in the order rows.py reads them; put in place of /*finding_columns*/.
f.id, f.session, f.kind, f.content, f.fingerprint,
(SELECT json_group_array(json_array(e.turn, e.start, e.stop) ORDER BY e.place) FROM evidence e WHERE e.finding = f.seq),
f.importance, f.confidence, f.signals, f.files, f.created_at, f.memory

-- name: findings_get
-- Findings by id.
SELECT /*finding_columns*/ FROM finding f WHERE f.id IN (SELECT value FROM json_each(:ids));

-- name: findings_ending
-- Ids by their last eight digits; the caller compares the rest of a longer tail. No index: people ask, rarely.
SELECT id FROM finding WHERE substr(id, -8) = :tail;

-- name: findings_of
-- The findings of a session as they were made, after a certain one, or from the first.
SELECT /*finding_columns*/ FROM finding f
WHERE f.session = :session AND f.seq > coalesce((SELECT seq FROM finding WHERE id = :after), 0)
ORDER BY f.seq LIMIT :limit;

-- name: findings_latest
-- The last findings of a session, newest first.
SELECT /*finding_columns*/ FROM finding f WHERE f.session = :session ORDER BY f.seq DESC LIMIT :limit;

-- name: findings_from_turns
-- Findings that have one of these turns as evidence.
SELECT /*finding_columns*/ FROM finding f
WHERE f.seq IN (SELECT finding FROM evidence WHERE turn IN (SELECT value FROM json_each(:ids))) ORDER BY f.seq;

-- name: findings_behind
-- Findings that became one of these memories.
SELECT /*finding_columns*/ FROM finding f WHERE f.memory IN (SELECT value FROM json_each(:ids)) ORDER BY f.seq;

-- name: findings_saying
-- Findings with one of these fingerprints.
SELECT /*finding_columns*/ FROM finding f
WHERE f.fingerprint IN (SELECT value FROM json_each(:fingerprints)) ORDER BY f.seq;

-- name: findings_unpromoted
-- What was found lately and is no memory yet, newest first.
SELECT /*finding_columns*/ FROM finding f
WHERE f.memory IS NULL AND f.created_at >= :since ORDER BY f.created_at DESC, f.seq DESC LIMIT :limit;

-- name: finding_put
-- A new finding, or a new state of one.
INSERT INTO finding (id, session, kind, importance, confidence, created_at, memory, fingerprint, signals, files, content)
VALUES (:id, :session, :kind, :importance, :confidence, :created_at, :memory, :fingerprint, :signals, :files, :content)
ON CONFLICT (id) DO UPDATE SET kind = excluded.kind, importance = excluded.importance,
  confidence = excluded.confidence, memory = excluded.memory, fingerprint = excluded.fingerprint,
  signals = excluded.signals, files = excluded.files, content = excluded.content, session = excluded.session,
  created_at = excluded.created_at;

-- name: evidence_clear
-- Forget where a finding was said, before it is said anew.
DELETE FROM evidence WHERE finding = (SELECT seq FROM finding WHERE id = :id);

-- name: evidence_put
-- Where a finding was said.
INSERT INTO evidence (finding, place, turn, start, stop)
SELECT seq, :place, :turn, :start, :stop FROM finding WHERE id = :id;

-- name: findings_delete
-- Remove findings; their evidence goes with them.
DELETE FROM finding WHERE id IN (SELECT value FROM json_each(:ids));
