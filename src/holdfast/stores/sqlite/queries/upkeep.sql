-- name: meta_add
-- Count something about the store itself.
INSERT INTO meta (key, value) VALUES (:key, :value) ON CONFLICT (key) DO UPDATE SET value = value + excluded.value;

-- name: fading_clears
-- Whether this read is the one that keeps any of these memories.
SELECT 1 FROM memory
WHERE id IN (SELECT value FROM json_each(:ids)) AND fades IS NOT NULL AND reads + 1 >= :enough LIMIT 1;

-- name: memory_faded
-- Memories that their age hides.
SELECT seq FROM memory INDEXED BY memory_fades WHERE fades IS NOT NULL AND fades <= :current_at;

-- name: holding_changes_at
-- When the next memory expires or fades.
SELECT min(moment) FROM (
  SELECT min(expires) AS moment FROM memory INDEXED BY memory_expires WHERE expires > :current_at
  UNION ALL SELECT min(fades) FROM memory INDEXED BY memory_fades WHERE fades > :current_at);

-- name: memories_numbered_after
-- Memories from after a row on, with their rows.
SELECT m.seq, /*memory_columns*/ FROM memory m WHERE m.seq > :after ORDER BY m.seq LIMIT :limit;

-- name: memories_unmerged
-- Memories that hold and that agents or tools said, from after a row on, with their rows.
SELECT m.seq, /*memory_columns*/ FROM memory m
WHERE m.seq > :after AND m.valid_until IS NULL AND m.trust IN ('agent', 'tool') ORDER BY m.seq LIMIT :limit;

-- name: memory_refade
-- Another moment at which a memory fades.
UPDATE memory SET fades = :fades WHERE seq = :seq;

-- name: memories_over
-- Memories that expired or faded, oldest first, from after a row on, with their rows.
SELECT m.seq, /*memory_columns*/ FROM memory m
WHERE m.seq > :after AND m.seq IN (
    SELECT seq FROM memory INDEXED BY memory_expires WHERE expires <= :at
    UNION SELECT seq FROM memory INDEXED BY memory_fades WHERE fades <= :at)
  AND m.valid_until IS NULL ORDER BY m.seq LIMIT :limit;

-- name: promoted_count
-- How many memories that hold were promoted by themselves and said by nobody else.
SELECT count(*) FROM memory INDEXED BY memory_promoted WHERE sources = '["promoted"]' AND valid_until IS NULL;

-- name: promoted_after
-- These memories, from after a row on, with their rows.
SELECT m.seq, /*memory_columns*/ FROM memory m INDEXED BY memory_promoted
WHERE m.sources = '["promoted"]' AND m.valid_until IS NULL AND m.seq > :after ORDER BY m.seq LIMIT :limit;

-- name: memories_least_read
-- Memories by when they were last read, then by when they were made.
SELECT /*memory_columns*/ FROM memory m INDEXED BY memory_last_read
ORDER BY coalesce(m.accessed_at, 0), m.created_at LIMIT :limit OFFSET :passed;

-- name: memories_count
-- How many memories there are, history included.
SELECT count(*) FROM memory;

-- name: turns_spare
-- Turns of ended sessions that are no evidence of a memory there is, those of the session that ended first before
-- others. A turn up to which a session was read, or forked, tells where to go on: it stays.
SELECT t.id, octet_length(t.text) FROM session s INDEXED BY session_ended CROSS JOIN turn t ON t.session = s.seq
WHERE s.status = 'completed' AND (:ended_before IS NULL OR s.ended_at < :ended_before)
  AND NOT EXISTS (SELECT 1 FROM evidence e JOIN finding f ON f.seq = e.finding JOIN memory m ON m.id = f.memory
                  WHERE e.turn = t.id)
  AND t.id IS NOT s.read_to AND NOT EXISTS (SELECT 1 FROM session fork WHERE fork.parent = s.id AND fork.forked_at = t.id)
ORDER BY s.ended_at, s.seq, t.seq LIMIT :limit;

-- name: turns_delete
-- Remove turns.
DELETE FROM turn WHERE id IN (SELECT value FROM json_each(:ids));

-- name: findings_unfounded
-- What was found in these turns and became no memory goes with them: nothing would be left to prove it.
DELETE FROM finding WHERE seq IN (SELECT finding FROM evidence WHERE turn IN (SELECT value FROM json_each(:ids)))
  AND (memory IS NULL OR memory NOT IN (SELECT id FROM memory));

-- name: accesses_oldest
-- Let the oldest accesses go.
DELETE FROM access WHERE seq IN (SELECT seq FROM access ORDER BY seq LIMIT :limit);

-- name: accesses_count
-- How many accesses are logged.
SELECT count(*) FROM access;

-- name: memory_merge
-- Put some of the index's pages together; a negative number begins to make one piece of all, without dead words.
INSERT INTO memory_fts (memory_fts, rank) VALUES ('merge', :pages);

-- name: turn_merge
-- The same for turns.
INSERT INTO turn_fts (turn_fts, rank) VALUES ('merge', :pages);

-- name: memory_secure
-- Whether words are taken out of the index at once, or only marked as dead until it is put together.
INSERT INTO memory_fts (memory_fts, rank) VALUES ('secure-delete', :secure);

-- name: turn_secure
-- The same for turns.
INSERT INTO turn_fts (turn_fts, rank) VALUES ('secure-delete', :secure);

-- name: memory_index_pages
-- About how many pages the index has.
SELECT count(*) FROM memory_fts_idx;

-- name: turn_index_pages
-- The same for turns.
SELECT count(*) FROM turn_fts_idx;

-- name: index_health
-- Rows, rows that are indexed by words, rows that wait for vectors.
SELECT (SELECT count(*) FROM memory) + (SELECT count(*) FROM turn),
       (SELECT count(*) FROM memory_fts_docsize) + (SELECT count(*) FROM turn_fts_docsize),
       (SELECT count(*) FROM unembedded);

-- name: memories_growth
-- How many memories were made in which step of time.
SELECT created_at / :step, count(*) FROM memory GROUP BY 1;

-- name: memories_fading
-- How many memories hold and will have faded by then.
SELECT count(*) FROM memory WHERE fades > :after AND fades <= :until AND valid_until IS NULL
  AND (expires IS NULL OR expires > :after);
