-- name: finding_columns
-- The columns of a finding in the order rows.py reads them; put in place of /*finding_columns*/.
f.id, f.session, f.kind, f.content, f.fingerprint, f.turns, f.starts, f.stops, f.importance, f.confidence, f.signals,
f.files, f.created_at, f.memory

-- name: findings_get
-- Findings by id.
SELECT /*finding_columns*/ FROM finding f
WHERE f.tenant = %(tenant)s AND f.place = %(place)s AND f.id = ANY (%(ids)s::uuid[])
ORDER BY f.seq /*hold*/;

-- name: findings_ending
-- Ids by their last eight digits; the caller compares the rest of a longer tail. No index: people ask, rarely.
SELECT f.id FROM finding f
WHERE f.tenant = %(tenant)s AND f.place = %(place)s AND right(f.id::text, 8) = %(tail)s;

-- name: findings_of
-- The findings of a session as they were made, after a certain one, or from the first.
SELECT /*finding_columns*/ FROM finding f
WHERE f.tenant = %(tenant)s AND f.place = %(place)s AND f.session = %(session)s::uuid AND f.seq > coalesce(
  (SELECT a.seq FROM finding a WHERE a.tenant = %(tenant)s AND a.place = %(place)s AND a.id = %(after)s::uuid), 0)
ORDER BY f.seq LIMIT %(limit)s;

-- name: findings_latest
-- The last findings of a session, newest first.
SELECT /*finding_columns*/ FROM finding f
WHERE f.tenant = %(tenant)s AND f.place = %(place)s AND f.session = %(session)s::uuid
ORDER BY f.seq DESC LIMIT %(limit)s;

-- name: findings_from_turns
-- Findings that have one of these turns as evidence.
SELECT /*finding_columns*/ FROM finding f
WHERE f.tenant = %(tenant)s AND f.place = %(place)s AND f.id IN (
  SELECT e.finding FROM evidence e WHERE e.tenant = %(tenant)s AND e.turn = ANY (%(ids)s::uuid[]))
ORDER BY f.seq /*hold*/;

-- name: findings_behind
-- Findings that became one of these memories.
SELECT /*finding_columns*/ FROM finding f
WHERE f.tenant = %(tenant)s AND f.place = %(place)s AND f.memory = ANY (%(ids)s::uuid[])
ORDER BY f.seq /*hold*/;

-- name: findings_saying
-- Findings with one of these fingerprints.
SELECT /*finding_columns*/ FROM finding f
WHERE f.tenant = %(tenant)s AND f.place = %(place)s AND f.fingerprint = ANY (%(fingerprints)s::text[])
ORDER BY f.seq /*hold*/;

-- name: findings_unpromoted
-- What was found lately and is no memory yet, newest first.
SELECT /*finding_columns*/ FROM finding f
WHERE f.tenant = %(tenant)s AND f.place = %(place)s AND f.memory IS NULL AND f.created_at >= %(since)s
ORDER BY f.created_at DESC, f.seq DESC LIMIT %(limit)s;

-- name: finding_put
-- A new finding, or a new state of one.
INSERT INTO finding (
  tenant, place, seq, id, session, kind, importance, confidence, created_at, memory, fingerprint, signals, files,
  content, turns, starts, stops)
VALUES (
  %(tenant)s, %(place)s, nextval('arrival'), %(id)s, %(session)s, %(kind)s, %(importance)s, %(confidence)s,
  %(created_at)s, %(memory)s, %(fingerprint)s, %(signals)s, %(files)s, %(content)s, %(turns)s::uuid[],
  %(starts)s::int[], %(stops)s::int[])
ON CONFLICT (tenant, id) DO UPDATE SET kind = excluded.kind, importance = excluded.importance,
  confidence = excluded.confidence, memory = excluded.memory, fingerprint = excluded.fingerprint,
  signals = excluded.signals, files = excluded.files, content = excluded.content, turns = excluded.turns,
  starts = excluded.starts, stops = excluded.stops;

-- name: evidence_clear
-- Forget where findings were said, before it is said anew.
DELETE FROM evidence e WHERE e.tenant = %(tenant)s AND e.finding = ANY (%(ids)s::uuid[]);

-- name: evidence_put
-- Where findings were said.
INSERT INTO evidence (tenant, turn, finding)
SELECT DISTINCT o.tenant, e.turn, e.finding
FROM place o CROSS JOIN unnest(%(turns)s::uuid[], %(findings)s::uuid[]) AS e (turn, finding)
WHERE o.tenant = %(tenant)s AND o.id = %(place)s;

-- name: findings_unfounded
-- What was found in these turns and became no memory goes with them: nothing would be left to prove it.
DELETE FROM finding f WHERE f.tenant = %(tenant)s AND f.place = %(place)s AND f.id IN (
    SELECT e.finding FROM evidence e WHERE e.tenant = %(tenant)s AND e.turn = ANY (%(ids)s::uuid[]))
  AND NOT EXISTS (SELECT FROM memory m WHERE m.tenant = %(tenant)s AND m.place = %(place)s AND m.id = f.memory);

-- name: findings_delete
-- Remove findings; their evidence goes with them.
DELETE FROM finding f WHERE f.tenant = %(tenant)s AND f.place = %(place)s AND f.id = ANY (%(ids)s::uuid[]);
