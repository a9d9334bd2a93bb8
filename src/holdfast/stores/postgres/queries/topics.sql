-- name: topics_put
-- Words of memories that hold, and how many each has.
INSERT INTO topic (tenant, place, word, memory, size)
SELECT o.tenant, o.id, t.word, t.memory, t.size
FROM place o CROSS JOIN unnest(%(words)s::bigint[], %(memories)s::bigint[], %(sizes)s::int[]) AS t (word, memory, size)
WHERE o.tenant = %(tenant)s AND o.id = %(place)s;

-- name: topics_drop
-- Memories are no longer found by these words.
DELETE FROM topic t USING unnest(%(words)s::bigint[], %(memories)s::bigint[]) AS g (word, memory)
WHERE t.tenant = %(tenant)s AND t.place = %(place)s AND t.word = g.word AND t.memory = g.memory;

-- name: topics_of
-- The newest memories under each word, as tickets (`stores/topics.py`).
SELECT w.word, array_agg(found.ticket ORDER BY found.ticket DESC)
FROM unnest(%(words)s::bigint[]) AS w (word)
CROSS JOIN LATERAL (
  SELECT t.memory * %(sizes)s + t.size AS ticket FROM topic t
  WHERE t.tenant = %(tenant)s AND t.place = %(place)s AND t.word = w.word
  ORDER BY t.memory DESC LIMIT %(most)s) found
GROUP BY w.word;

-- name: memories_numbered
-- Memories by the numbers of their rows.
SELECT m.seq, /*memory_columns*/ FROM memory m
WHERE m.tenant = %(tenant)s AND m.place = %(place)s AND m.seq = ANY (%(numbers)s::bigint[]);
