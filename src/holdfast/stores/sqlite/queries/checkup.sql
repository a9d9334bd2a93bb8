-- name: memory_every
-- Every memory with its number, from after a number on.
SELECT m.seq, /*memory_columns*/ FROM memory m WHERE m.seq > :after ORDER BY m.seq LIMIT :limit;

-- name: session_every
-- The same for sessions.
SELECT s.seq, /*session_columns*/ FROM session s WHERE s.seq > :after ORDER BY s.seq LIMIT :limit;

-- name: turn_every
-- The same for turns.
SELECT t.seq, /*turn_columns*/ FROM turn t JOIN session s ON s.seq = t.session
WHERE t.seq > :after ORDER BY t.seq LIMIT :limit;

-- name: finding_every
-- The same for findings.
SELECT f.seq, /*finding_columns*/ FROM finding f WHERE f.seq > :after ORDER BY f.seq LIMIT :limit;

-- name: conflict_every
-- The same for conflicts.
SELECT c.seq, /*conflict_columns*/ FROM conflict c WHERE c.seq > :after ORDER BY c.seq LIMIT :limit;

-- name: proposal_every
-- The same for proposals.
SELECT p.seq, /*proposal_columns*/ FROM proposal p WHERE p.seq > :after ORDER BY p.seq LIMIT :limit;

-- name: receipt_every
-- The same for receipts.
SELECT r.seq, /*receipt_columns*/ FROM receipt r WHERE r.seq > :after ORDER BY r.seq LIMIT :limit;

-- name: access_every
-- The same for accesses.
SELECT seq, memory, action, at, score, query FROM access WHERE seq > :after ORDER BY seq LIMIT :limit;

-- name: vector_every
-- Every vector in the order of its row, from after one on.
SELECT target, row, chunk, embedding FROM vector WHERE (target, row, chunk) > (:target, :row, :chunk)
ORDER BY target, row, chunk LIMIT :limit;
