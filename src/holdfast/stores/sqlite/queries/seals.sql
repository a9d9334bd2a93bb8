-- name: memory_every
-- Every memory with its number, from after a number on.
SELECT m.seq, /*memory_columns*/ FROM memory m WHERE m.seq > :after ORDER BY m.seq LIMIT :limit;

-- name: session_every
-- The same for sessions.
SELECT s.seq, /*session_columns*/ FROM session s WHERE s.seq > :after ORDER BY s.seq LIMIT :limit;

-- name: turn_every
-- The same for turns; one whose session is gone has none.
SELECT t.seq, /*turn_columns*/ FROM turn t LEFT JOIN session s ON s.seq = t.session
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

-- name: alias_every
-- The same for aliases, which have no numbers: they are few, and counted.
SELECT row_number() OVER (ORDER BY word, meaning) AS seq, word, meaning, seal FROM alias
WHERE :after = 0 LIMIT :limit;

-- name: memory_seal
-- Seal a memory that was written before there were seals.
UPDATE memory SET seal = :seal WHERE seq = :number;

-- name: session_seal
-- The same for a session.
UPDATE session SET seal = :seal WHERE seq = :number;

-- name: turn_seal
-- The same for a turn.
UPDATE turn SET seal = :seal WHERE seq = :number;

-- name: finding_seal
-- The same for a finding.
UPDATE finding SET seal = :seal WHERE seq = :number;

-- name: conflict_seal
-- The same for a conflict.
UPDATE conflict SET seal = :seal WHERE seq = :number;

-- name: proposal_seal
-- The same for a proposal.
UPDATE proposal SET seal = :seal WHERE seq = :number;

-- name: vector_every
-- Every vector with its seal, those of a row together, from after one on.
SELECT target, row, chunk, embedding, seal FROM vector WHERE (target, row, chunk) > (:target, :row, :chunk)
ORDER BY target, row, chunk LIMIT :limit;

-- name: vector_seal
-- Seal a vector that was made before there were seals of them.
UPDATE vector SET seal = :seal WHERE target = :target AND row = :row AND chunk = :chunk;

-- name: vector_damaged
-- Let go of a row's vectors.
DELETE FROM vector WHERE target IS :target AND row IS :row;

-- name: facts_sealed
-- The facts about a store that never change by themselves, in the order of their names.
SELECT key, value FROM meta WHERE key IN ('store_id', 'project', 'created_at', 'tombstone_key') ORDER BY key;
