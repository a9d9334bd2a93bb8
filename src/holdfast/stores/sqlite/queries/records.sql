-- name: meta_get
-- A fact about the store itself.
SELECT value FROM meta WHERE key = :key;

-- name: meta_set
-- Note a fact about the store itself.
INSERT INTO meta (key, value) VALUES (:key, :value) ON CONFLICT (key) DO UPDATE SET value = excluded.value;

-- name: memories_changed
-- The latest change of a memory takes the place of its earlier ones, with a new number and nonce.
INSERT OR REPLACE INTO change (target, row, action)
SELECT 'memory', seq, :action FROM memory WHERE id IN (SELECT value FROM json_each(:ids));

-- name: turns_changed
-- The same for turns.
INSERT OR REPLACE INTO change (target, row, action)
SELECT 'turn', seq, :action FROM turn WHERE id IN (SELECT value FROM json_each(:ids));

-- name: tombstones_any
-- Whether anything was ever forgotten: most stores are spared the look-ups.
SELECT 1 FROM tombstone LIMIT 1;

-- name: tombstone_standing
-- Which marks stand.
SELECT mark FROM tombstone WHERE mark = :mark;

-- name: tombstones_all
-- Every mark.
SELECT mark FROM tombstone;

-- name: tombstones_clear
-- Nothing was forgotten.
DELETE FROM tombstone;

-- name: tombstone_add
-- Mark something as forgotten.
INSERT OR IGNORE INTO tombstone (mark) VALUES (:mark);

-- name: tombstone_remove
-- Let it be remembered again.
DELETE FROM tombstone WHERE mark = :mark;

-- name: audit_last
-- The end of the chain.
SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1;

-- name: audit_record
-- A new event.
INSERT INTO audit (at, action, actor, ids, detail, hash) VALUES (:at, :action, :actor, :ids, :detail, :hash);

-- name: audit_span
-- First and last number kept.
SELECT (SELECT min(seq) FROM audit), (SELECT max(seq) FROM audit);

-- name: audit_hash
-- The hash of one event.
SELECT hash FROM audit WHERE seq = :seq;

-- name: audit_trim
-- Let old events go.
DELETE FROM audit WHERE seq <= :seq;

-- name: audit_events
-- Events, newest first.
SELECT action, actor, at, ids, detail FROM audit ORDER BY seq DESC LIMIT :limit;

-- name: audit_after
-- Events from a number on, oldest first.
SELECT seq, action, actor, at, ids, detail FROM audit WHERE seq > :seq ORDER BY seq LIMIT :limit;

-- name: audit_chain
-- The whole chain in order, for verification.
SELECT seq, action, actor, at, ids, detail, hash FROM audit ORDER BY seq;

-- name: access_record
-- One look at a memory.
INSERT INTO access (memory, action, at, score, query) VALUES (:memory, :action, :at, :score, :query);

-- name: access_trim
-- Keep the newest rows only.
DELETE FROM access WHERE seq <= (SELECT max(seq) FROM access) - :kept;

-- name: accesses_forget
-- Nobody looked at what was removed.
DELETE FROM access WHERE memory IN (SELECT value FROM json_each(:ids));

-- name: accesses_unquote
-- Any query may hold words of what was removed.
UPDATE access SET query = NULL WHERE query IS NOT NULL;

-- name: tombstones_count
-- How much was forgotten.
SELECT count(*) FROM tombstone;

-- name: memory_separators
-- The keys between the pages of the index.
SELECT DISTINCT term FROM memory_fts_idx;

-- name: memory_word_from
-- The first indexed word from here on.
SELECT term FROM memory_vocab WHERE term >= :word LIMIT 1;

-- name: turn_separators
-- The same for turns.
SELECT DISTINCT term FROM turn_fts_idx;

-- name: turn_word_from
-- The same for turns.
SELECT term FROM turn_vocab WHERE term >= :word LIMIT 1;

-- name: accesses_reword
-- Other words in place of a query.
UPDATE access SET query = :query WHERE query = :before;

-- name: access_recent
-- Accesses, newest first.
SELECT memory, action, at, score, query FROM access ORDER BY seq DESC LIMIT :limit;

-- name: record_counts
-- Rows of the smaller tables.
SELECT (SELECT count(*) FROM session), (SELECT count(*) FROM turn), (SELECT count(*) FROM tombstone),
       (SELECT count(*) FROM audit), (SELECT count(*) FROM access), (SELECT count(*) FROM finding);
