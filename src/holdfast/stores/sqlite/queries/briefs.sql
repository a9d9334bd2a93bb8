-- name: aliases_all
-- Every word with what else it is called.
SELECT word, meaning FROM alias ORDER BY word, meaning;

-- name: alias_add
-- Let a word also be called so; a pair that is there already gives no row.
INSERT INTO alias (word, meaning) VALUES (:word, :meaning) ON CONFLICT DO NOTHING RETURNING word;

-- name: alias_remove
-- Let go of one meaning of a word, or of all.
DELETE FROM alias WHERE word = :word AND (:meaning IS NULL OR meaning = :meaning) RETURNING word;

-- name: receipt_record
-- What went into a brief.
INSERT INTO receipt (id, at, agent, session, prompted, budget, tokens, took_ms, cut, degraded, items, text)
VALUES (:id, :at, :agent, :session, :prompted, :budget, :tokens, :took_ms, :cut, :degraded, :items, :text);

-- name: receipts_trim
-- Keep the newest only.
DELETE FROM receipt WHERE seq <= (SELECT max(seq) FROM receipt) - :kept;

-- name: receipt_texts_trim
-- Keep the texts of the newest only; each new one lets go of one, and of what a crash left.
UPDATE receipt SET text = NULL WHERE seq BETWEEN (SELECT max(seq) FROM receipt) - :kept - 10
  AND (SELECT max(seq) FROM receipt) - :kept AND text IS NOT NULL;

-- name: receipt_columns
-- The columns of a receipt in the order rows.py reads them; put in place of /*receipt_columns*/.
r.id, r.at, r.agent, r.session, r.prompted, r.budget, r.tokens, r.took_ms, r.cut, r.degraded, r.items

-- name: receipts_recent
-- Receipts, newest first.
SELECT /*receipt_columns*/ FROM receipt r ORDER BY r.seq DESC LIMIT :limit;

-- name: receipts_of
-- The receipts of sessions, newest first.
SELECT /*receipt_columns*/ FROM receipt r WHERE r.session IN (SELECT value FROM json_each(:sessions))
ORDER BY r.seq DESC LIMIT :limit;

-- name: receipts_naming
-- The receipts that name an entry, newest first.
SELECT /*receipt_columns*/ FROM receipt r WHERE instr(r.items, :entry) ORDER BY r.seq DESC LIMIT :limit;

-- name: receipts_get
-- A receipt.
SELECT /*receipt_columns*/ FROM receipt r WHERE r.id = :id;

-- name: receipt_texts
-- What briefs said, as far as it is kept, newest first.
SELECT id, text FROM receipt WHERE text <> '' AND (:ids IS NULL OR id IN (SELECT value FROM json_each(:ids)))
ORDER BY seq DESC;

-- name: receipt_texts_kept
-- Which briefs have a text, or had one that was taken away.
SELECT id, text IS NULL FROM receipt WHERE id IN (SELECT value FROM json_each(:ids));

-- name: receipt_reword
-- Other words in place of what a brief said.
UPDATE receipt SET text = :text WHERE id = :id AND text IS NOT NULL;

-- name: receipt_latencies
-- How long the latest briefs took.
SELECT took_ms, cut, degraded FROM receipt ORDER BY seq DESC LIMIT :limit;

-- name: accesses_fetched
-- When entries were read.
SELECT memory, at FROM access WHERE action = 'get' AND memory IN (SELECT value FROM json_each(:ids)) ORDER BY at;
