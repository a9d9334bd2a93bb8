-- name: aliases_all
-- Every word with what else it is called.
SELECT word, meaning, seal FROM alias ORDER BY word, meaning;

-- name: alias_add
-- Let a word also be called so; a pair that is there already gives no row.
INSERT INTO alias (word, meaning, seal) VALUES (:word, :meaning, :seal) ON CONFLICT DO NOTHING RETURNING word;

-- name: alias_remove
-- Let go of one meaning of a word, or of all.
DELETE FROM alias WHERE word = :word AND (:meaning IS NULL OR meaning = :meaning) RETURNING word;

-- name: receipt_record
-- What went into a brief.
INSERT INTO receipt (id, at, agent, session, prompted, budget, tokens, took_ms, cut, degraded, items)
VALUES (:id, :at, :agent, :session, :prompted, :budget, :tokens, :took_ms, :cut, :degraded, :items);

-- name: receipts_trim
-- Keep the newest only.
DELETE FROM receipt WHERE seq <= (SELECT max(seq) FROM receipt) - :kept;

-- name: receipts_recent
-- Receipts, newest first.
SELECT id, at, agent, session, prompted, budget, tokens, took_ms, cut, degraded, items
FROM receipt ORDER BY seq DESC LIMIT :limit;

-- name: receipt_latencies
-- How long the latest briefs took.
SELECT took_ms, cut, degraded FROM receipt ORDER BY seq DESC LIMIT :limit;

-- name: accesses_fetched
-- When entries were read.
SELECT memory, at FROM access WHERE action = 'get' AND memory IN (SELECT value FROM json_each(:ids)) ORDER BY at;
