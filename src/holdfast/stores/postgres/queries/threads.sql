-- name: thread_columns
-- The columns of a thread in the order rows.py reads them; put in place of /*thread_columns*/.
h.id, h.session, h.first, h.title, h.at, h.files, h.statements

-- name: threads_get
-- Threads by id.
SELECT /*thread_columns*/ FROM thread h
WHERE h.tenant = %(tenant)s AND h.place = %(place)s AND h.id = ANY (%(ids)s::uuid[]);

-- name: threads_ending
-- Ids by their last eight digits; the caller compares the rest of a longer tail. No index: people ask, rarely.
SELECT h.id FROM thread h WHERE h.tenant = %(tenant)s AND h.place = %(place)s AND right(h.id::text, 8) = %(tail)s;

-- name: threads_of
-- The threads of a session in the order of their turns.
SELECT /*thread_columns*/ FROM thread h
WHERE h.tenant = %(tenant)s AND h.place = %(place)s AND h.session = %(session)s::uuid ORDER BY h.begins, h.seq;

-- name: threads_newest
-- The latest threads, newest first.
SELECT /*thread_columns*/ FROM thread h WHERE h.tenant = %(tenant)s AND h.place = %(place)s ORDER BY h.at DESC, h.seq DESC LIMIT %(limit)s;

-- name: threads_of_turns
-- Which thread each turn stands in: the last one of its session that begins at it or before.
SELECT t.id, (SELECT h.id FROM thread h
              WHERE h.tenant = %(tenant)s AND h.place = %(place)s AND h.session = t.session AND h.begins <= t.seq
              ORDER BY h.begins DESC LIMIT 1)
FROM turn t WHERE t.tenant = %(tenant)s AND t.place = %(place)s AND t.id = ANY (%(ids)s::uuid[]);

-- name: threads_of_memories
-- Which thread each memory is a statement of.
SELECT m.memory, m.thread FROM thread_memory m JOIN thread h ON h.tenant = m.tenant AND h.id = m.thread
WHERE h.tenant = %(tenant)s AND h.place = %(place)s AND m.memory = ANY (%(ids)s::uuid[]);

-- name: thread_put
-- A new thread, or a new state of one.
INSERT INTO thread (tenant, place, seq, id, session, first, begins, title, at, files, statements)
VALUES (%(tenant)s, %(place)s, nextval('arrival'), %(id)s, %(session)s, %(first)s,
  (SELECT t.seq FROM turn t WHERE t.tenant = %(tenant)s AND t.place = %(place)s AND t.id = %(first)s::uuid),
  %(title)s, %(at)s, %(files)s, %(statements)s)
ON CONFLICT (tenant, id) DO UPDATE SET title = excluded.title, at = excluded.at, files = excluded.files,
  statements = excluded.statements;

-- name: thread_memory_clear
-- Forget which memories are statements of a thread, before it is said anew.
DELETE FROM thread_memory m WHERE m.tenant = %(tenant)s AND m.thread = %(id)s::uuid;

-- name: thread_memory_put
-- A memory is a statement of a thread, and of one alone: the first that had it.
INSERT INTO thread_memory (tenant, memory, thread) VALUES (%(tenant)s, %(memory)s::uuid, %(id)s::uuid)
ON CONFLICT (tenant, memory) DO NOTHING;

-- name: threads_delete
-- Remove threads.
DELETE FROM thread h WHERE h.tenant = %(tenant)s AND h.place = %(place)s AND h.id = ANY (%(ids)s::uuid[]);
