-- name: thread_columns
-- The columns of a thread in the order rows.py reads them; put in place of /*thread_columns*/.
h.id, h.session, h.first, h.title, h.at, h.files, h.statements

-- name: threads_get
-- Threads by id.
SELECT /*thread_columns*/ FROM thread h WHERE h.id IN (SELECT value FROM json_each(:ids));

-- name: threads_ending
-- Ids by their last eight digits; the caller compares the rest of a longer tail. No index: people ask, rarely.
SELECT id FROM thread WHERE substr(id, -8) = :tail;

-- name: threads_of
-- The threads of a session in the order of their turns.
SELECT /*thread_columns*/ FROM thread h WHERE h.session = :session ORDER BY h.begins, h.seq;

-- name: threads_newest
-- The latest threads, newest first.
SELECT /*thread_columns*/ FROM thread h ORDER BY h.at DESC, h.seq DESC LIMIT :limit;

-- name: threads_of_turns
-- Which thread each turn stands in: the last one of its session that begins at it or before.
SELECT t.id, (SELECT h.id FROM thread h WHERE h.session = s.id AND h.begins <= t.seq ORDER BY h.begins DESC LIMIT 1)
FROM turn t JOIN session s ON s.seq = t.session WHERE t.id IN (SELECT value FROM json_each(:ids));

-- name: threads_of_memories
-- Which thread each memory is a statement of.
SELECT m.memory, h.id FROM thread_memory m JOIN thread h ON h.seq = m.thread
WHERE m.memory IN (SELECT value FROM json_each(:ids));

-- name: thread_put
-- A new thread, or a new state of one.
INSERT INTO thread (id, session, first, begins, title, at, files, statements)
VALUES (:id, :session, :first, (SELECT seq FROM turn WHERE id = :first), :title, :at, :files, :statements)
ON CONFLICT (id) DO UPDATE SET title = excluded.title, at = excluded.at, files = excluded.files,
  statements = excluded.statements;

-- name: thread_memory_clear
-- Forget which memories are statements of a thread, before it is said anew.
DELETE FROM thread_memory WHERE thread = (SELECT seq FROM thread WHERE id = :id);

-- name: thread_memory_put
-- A memory is a statement of a thread, and of one alone: the first that had it.
INSERT OR IGNORE INTO thread_memory (memory, thread) SELECT :memory, seq FROM thread WHERE id = :id;

-- name: threads_delete
-- Remove threads.
DELETE FROM thread WHERE id IN (SELECT value FROM json_each(:ids));
