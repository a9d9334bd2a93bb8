-- name: memories_numbered_after
-- Memories from after a row on, with their rows.
SELECT m.seq, /*memory_columns*/ FROM memory m
WHERE m.tenant = %(tenant)s AND m.place = %(place)s AND m.seq > %(after)s ORDER BY m.seq LIMIT %(limit)s;

-- name: memories_unmerged
-- Memories that hold and that agents or tools said, from after a row on, with their rows.
SELECT m.seq, /*memory_columns*/ FROM memory m
WHERE m.tenant = %(tenant)s AND m.place = %(place)s AND m.seq > %(after)s AND m.valid_until IS NULL
  AND m.trust IN ('agent', 'tool') ORDER BY m.seq LIMIT %(limit)s;

-- name: memories_refade
-- Other moments at which memories fade, of those that are as they were read.
UPDATE memory m SET version = m.version + 1, fades = f.fades
FROM unnest(%(seqs)s::bigint[], %(fades)s::bigint[], %(versions)s::bigint[]) AS f (seq, fades, version)
WHERE m.tenant = %(tenant)s AND m.place = %(place)s AND m.seq = f.seq AND m.version = f.version RETURNING m.id;

-- name: memories_over
-- Memories that expired or faded, oldest first, from after a row on, with their rows.
SELECT m.seq, /*memory_columns*/ FROM memory m
WHERE m.tenant = %(tenant)s AND m.place = %(place)s AND m.seq > %(after)s AND m.seq IN (
    SELECT e.seq FROM memory e WHERE e.tenant = %(tenant)s AND e.place = %(place)s AND e.expires <= %(at)s
    UNION SELECT f.seq FROM memory f WHERE f.tenant = %(tenant)s AND f.place = %(place)s AND f.fades <= %(at)s)
  AND m.valid_until IS NULL ORDER BY m.seq LIMIT %(limit)s;

-- name: promoted_count
-- How many memories that hold were promoted by themselves and said by nobody else.
SELECT count(*) FROM memory m
WHERE m.tenant = %(tenant)s AND m.place = %(place)s AND m.sources = '{promoted}' AND m.valid_until IS NULL;

-- name: promoted_after
-- These memories, from after a row on, with their rows.
SELECT m.seq, /*memory_columns*/ FROM memory m
WHERE m.tenant = %(tenant)s AND m.place = %(place)s AND m.sources = '{promoted}' AND m.valid_until IS NULL
  AND m.seq > %(after)s ORDER BY m.seq LIMIT %(limit)s;

-- name: memories_least_read
-- Memories by when they were last read, then by when they were made.
SELECT /*memory_columns*/ FROM memory m WHERE m.tenant = %(tenant)s AND m.place = %(place)s
ORDER BY coalesce(m.accessed_at, 0), m.created_at, m.seq LIMIT %(limit)s OFFSET %(passed)s;

-- name: memories_count
-- How many memories there are, history included.
SELECT count(*) FROM memory m WHERE m.tenant = %(tenant)s AND m.place = %(place)s;

-- name: turns_spare
-- Turns of ended sessions that are no evidence of a memory there is, those of the session that ended first before
-- others. A turn up to which a session was read, or forked, tells where to go on: it stays.
SELECT t.id, t.size FROM session s
CROSS JOIN LATERAL (
  SELECT n.id, n.seq, octet_length(n.text) AS size FROM turn n
  WHERE n.tenant = %(tenant)s AND n.session = s.id AND n.id IS DISTINCT FROM s.read_to
    AND NOT EXISTS (
      SELECT FROM evidence e JOIN finding f ON f.tenant = %(tenant)s AND f.id = e.finding
      JOIN memory m ON m.tenant = %(tenant)s AND m.place = %(place)s AND m.id = f.memory
      WHERE e.tenant = %(tenant)s AND e.turn = n.id)
    AND NOT EXISTS (
      SELECT FROM session fork WHERE fork.tenant = %(tenant)s AND fork.parent = s.id AND fork.forked_at = n.id)
  ORDER BY n.seq) t
WHERE s.tenant = %(tenant)s AND s.place = %(place)s AND s.status = 'completed'
  AND (%(ended_before)s::bigint IS NULL OR s.ended_at < %(ended_before)s::bigint)
ORDER BY s.ended_at, s.seq, t.seq LIMIT %(limit)s;

-- name: accesses_oldest
-- Let the oldest accesses go, but for what somebody else holds.
WITH oldest AS MATERIALIZED (
  SELECT o.seq FROM access o WHERE o.tenant = %(tenant)s AND o.place = %(place)s ORDER BY o.seq LIMIT %(limit)s
  FOR UPDATE SKIP LOCKED)
DELETE FROM access a USING oldest o WHERE a.tenant = %(tenant)s AND a.place = %(place)s AND a.seq = o.seq;

-- name: accesses_count
-- How many accesses are logged.
SELECT least(count(*), %(kept)s) FROM access WHERE tenant = %(tenant)s AND place = %(place)s;

-- name: rows_and_waiting
-- Rows that are indexed by words, and rows that wait for vectors.
SELECT (SELECT count(*) FROM memory WHERE tenant = %(tenant)s AND place = %(place)s)
     + (SELECT count(*) FROM turn WHERE tenant = %(tenant)s AND place = %(place)s),
       (SELECT count(*) FROM unembedded WHERE tenant = %(tenant)s AND place = %(place)s);

-- name: audit_unsealed_count
-- How many events are not in the chain yet.
SELECT count(*) FROM audit WHERE tenant = %(tenant)s AND place = %(place)s AND link IS NULL;

-- name: memories_growth
-- How many memories were made in which step of time.
SELECT created_at / %(step)s::bigint, count(*) FROM memory
WHERE tenant = %(tenant)s AND place = %(place)s GROUP BY 1;

-- name: memories_fading
-- How many memories hold and will have faded by then.
SELECT count(*) FROM memory WHERE tenant = %(tenant)s AND place = %(place)s
  AND fades > %(after)s AND fades <= %(until)s AND valid_until IS NULL AND (expires IS NULL OR expires > %(after)s);
