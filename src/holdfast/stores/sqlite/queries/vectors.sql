-- name: vector_state
-- What every index of vectors must agree with, the number of the latest change, and the nonce of the one that the
-- index knows: none when a later change of the same row took its place. Then how often what fades was set anew.
SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'change'), 0),
       (SELECT nonce FROM change WHERE seq = :position),
       (SELECT value FROM meta WHERE key = 'fading_mark'),
       (SELECT value FROM meta WHERE key = 'store_id'),
       (SELECT value FROM meta WHERE key = 'epoch'),
       (SELECT value FROM meta WHERE key = 'vector_generation'),
       (SELECT value FROM meta WHERE key = 'vector_model'),
       (SELECT value FROM meta WHERE key = 'vector_dimensions');

-- name: change_nonce
-- The nonce of one change.
SELECT nonce FROM change WHERE seq = :seq;

-- name: vectors_all
-- Every vector of a target in the order of its rows.
SELECT row, embedding FROM vector WHERE target = :target ORDER BY row, chunk;

-- name: vectors_of
-- The vectors of some rows of a target.
SELECT row, embedding FROM vector WHERE target = :target AND row IN (SELECT value FROM json_each(:rows))
ORDER BY row, chunk;

-- name: vectors_changed
-- The rows that changed after a position, with the vectors they have now. The plus keeps SQLite from reading every
-- change there ever was, in the order of their rows.
SELECT c.row, v.embedding FROM change c
LEFT JOIN vector v ON v.target = c.target AND v.row = c.row
WHERE c.seq > :position AND +c.target = :target ORDER BY c.row, v.chunk;

-- name: vectors_drop
-- Let every vector go.
DELETE FROM vector;

-- name: unembedded_drop
-- Let nothing wait.
DELETE FROM unembedded;

-- name: memory_wait_all
-- Let every memory wait for vectors.
INSERT INTO unembedded (target, row) SELECT 'memory', seq FROM memory;

-- name: turn_wait_all
-- Let every turn wait for vectors.
INSERT INTO unembedded (target, row) SELECT 'turn', seq FROM turn;

-- name: unembedded_counts
-- How many rows wait, by target.
SELECT target, count(*) FROM unembedded GROUP BY target;

-- name: memory_waiting
-- Memories that wait for vectors, newest first.
SELECT m.id, u.mark FROM unembedded u JOIN memory m ON m.seq = u.row
WHERE u.target = 'memory' ORDER BY u.row DESC LIMIT :limit;

-- name: turn_waiting
-- Turns that wait for vectors, newest first.
SELECT t.id, u.mark FROM unembedded u JOIN turn t ON t.seq = u.row
WHERE u.target = 'turn' ORDER BY u.row DESC LIMIT :limit;

-- name: memory_marks
-- Rows and marks of memories that wait.
SELECT m.id, m.seq, u.mark FROM memory m JOIN unembedded u ON u.target = 'memory' AND u.row = m.seq
WHERE m.id IN (SELECT value FROM json_each(:ids));

-- name: turn_marks
-- Rows and marks of turns that wait.
SELECT t.id, t.seq, u.mark FROM turn t JOIN unembedded u ON u.target = 'turn' AND u.row = t.seq
WHERE t.id IN (SELECT value FROM json_each(:ids));

-- name: vector_insert
-- One chunk's vector.
INSERT INTO vector (target, row, chunk, embedding) VALUES (:target, :row, :chunk, :embedding);

-- name: memory_kept
-- The vectors of memories.
SELECT m.id, v.embedding FROM memory m JOIN vector v ON v.target = 'memory' AND v.row = m.seq
WHERE m.id IN (SELECT value FROM json_each(:ids)) ORDER BY v.row, v.chunk;

-- name: turn_kept
-- The vectors of turns.
SELECT t.id, v.embedding FROM turn t JOIN vector v ON v.target = 'turn' AND v.row = t.seq
WHERE t.id IN (SELECT value FROM json_each(:ids)) ORDER BY v.row, v.chunk;

-- name: unembedded_done
-- A row has its vectors.
DELETE FROM unembedded WHERE target = :target AND row = :row;

-- name: vector_changed
-- A row's vectors are its latest change.
INSERT OR REPLACE INTO change (target, row, action) VALUES (:target, :row, 'vector');

-- name: memory_rows
-- The rows of memories.
SELECT seq, id FROM memory WHERE id IN (SELECT value FROM json_each(:ids));

-- name: turn_rows
-- The rows of turns.
SELECT seq, id FROM turn WHERE id IN (SELECT value FROM json_each(:ids));

-- name: memory_ids
-- The ids of memories.
SELECT seq, id FROM memory WHERE seq IN (SELECT value FROM json_each(:rows));

-- name: turn_ids
-- The ids of turns.
SELECT seq, id FROM turn WHERE seq IN (SELECT value FROM json_each(:rows));

-- name: memory_superseded
-- Memories that something newer took the place of.
SELECT seq FROM memory INDEXED BY memory_superseded WHERE valid_until IS NOT NULL;

-- name: memory_expired
-- Memories whose time is over.
SELECT seq FROM memory INDEXED BY memory_expires WHERE expires IS NOT NULL AND expires <= :current_at;

-- name: memory_allowed
-- Memories that pass the filters.
SELECT m.seq FROM memory m WHERE /*memory_filter*/;

-- name: turn_allowed
-- Turns that pass the filters.
SELECT t.seq FROM turn t JOIN session s ON s.seq = t.session WHERE /*turn_filter*/;
