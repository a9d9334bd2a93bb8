-- name: vectors_drop
-- Let every vector go.
DELETE FROM vec v WHERE v.tenant = %(tenant)s AND v.place = %(place)s;

-- name: unembedded_drop
-- Let nothing wait.
DELETE FROM unembedded u WHERE u.tenant = %(tenant)s AND u.place = %(place)s;

-- name: memory_wait_all
-- Let every memory wait for vectors, under one mark.
INSERT INTO unembedded (tenant, place, target, seq, mark)
SELECT r.tenant, r.place, 'memory', r.seq, %(mark)s FROM memory r
WHERE r.tenant = %(tenant)s AND r.place = %(place)s;

-- name: turn_wait_all
-- Let every turn wait for vectors, under one mark.
INSERT INTO unembedded (tenant, place, target, seq, mark)
SELECT r.tenant, r.place, 'turn', r.seq, %(mark)s FROM turn r
WHERE r.tenant = %(tenant)s AND r.place = %(place)s;

-- name: wait
-- Let rows wait for vectors, under new marks.
INSERT INTO unembedded (tenant, place, target, seq, mark)
SELECT o.tenant, o.id, %(target)s, s.seq, s.mark
FROM place o CROSS JOIN unnest(%(seqs)s::bigint[], %(marks)s::bigint[]) AS s (seq, mark)
WHERE o.tenant = %(tenant)s AND o.id = %(place)s
ON CONFLICT (tenant, place, target, seq) DO UPDATE SET mark = excluded.mark;

-- name: vectors_gone
-- Rows lose their vectors.
DELETE FROM vec v WHERE v.tenant = %(tenant)s AND v.place = %(place)s AND v.target = %(target)s
  AND v.seq = ANY (%(seqs)s::bigint[]) RETURNING v.seq;

-- name: unembedded_counts
-- How many rows wait, by target.
SELECT u.target, count(*) FROM unembedded u WHERE u.tenant = %(tenant)s AND u.place = %(place)s GROUP BY u.target;

-- name: memory_waiting
-- Memories that wait for vectors, newest first.
SELECT m.id, u.mark FROM unembedded u
JOIN memory m ON m.tenant = %(tenant)s AND m.place = %(place)s AND m.seq = u.seq
WHERE u.tenant = %(tenant)s AND u.place = %(place)s AND u.target = 'memory' ORDER BY u.seq DESC LIMIT %(limit)s;

-- name: turn_waiting
-- Turns that wait for vectors, newest first.
SELECT t.id, u.mark FROM unembedded u
JOIN turn t ON t.tenant = %(tenant)s AND t.place = %(place)s AND t.seq = u.seq
WHERE u.tenant = %(tenant)s AND u.place = %(place)s AND u.target = 'turn' ORDER BY u.seq DESC LIMIT %(limit)s;

-- name: memory_marks
-- Rows and marks of memories that wait, held until their vectors are in.
SELECT m.id, m.seq, u.mark FROM memory m
JOIN unembedded u ON u.tenant = %(tenant)s AND u.place = %(place)s AND u.target = 'memory' AND u.seq = m.seq
WHERE m.tenant = %(tenant)s AND m.place = %(place)s AND m.id = ANY (%(ids)s::uuid[]) ORDER BY u.seq FOR UPDATE OF u;

-- name: turn_marks
-- Rows and marks of turns that wait, held until their vectors are in.
SELECT t.id, t.seq, u.mark FROM turn t
JOIN unembedded u ON u.tenant = %(tenant)s AND u.place = %(place)s AND u.target = 'turn' AND u.seq = t.seq
WHERE t.tenant = %(tenant)s AND t.place = %(place)s AND t.id = ANY (%(ids)s::uuid[]) ORDER BY u.seq FOR UPDATE OF u;

-- name: memory_kept
-- The vectors of memories.
SELECT m.id, v.embedding FROM memory m
JOIN vec v ON v.tenant = %(tenant)s AND v.place = %(place)s AND v.target = 'memory' AND v.seq = m.seq
WHERE m.tenant = %(tenant)s AND m.place = %(place)s AND m.id = ANY (%(ids)s::uuid[]) ORDER BY v.seq, v.chunk;

-- name: turn_kept
-- The vectors of turns.
SELECT t.id, v.embedding FROM turn t
JOIN vec v ON v.tenant = %(tenant)s AND v.place = %(place)s AND v.target = 'turn' AND v.seq = t.seq
WHERE t.tenant = %(tenant)s AND t.place = %(place)s AND t.id = ANY (%(ids)s::uuid[]) ORDER BY v.seq, v.chunk;

-- name: unembedded_done
-- Rows have their vectors.
DELETE FROM unembedded u WHERE u.tenant = %(tenant)s AND u.place = %(place)s AND u.target = %(target)s
  AND u.seq = ANY (%(seqs)s::bigint[]);

-- name: memory_near
-- The memories among so many of the nearest chunks that pass the filters; and how many chunks there were. The cast and the
-- length, where there are any, are how the graph of a large store (`care.py`) is indexed.
WITH near AS MATERIALIZED (
  SELECT v.seq, v.embedding/*length*/ <#> %(query)s AS away FROM vec v
  WHERE v.tenant = %(tenant)s AND v.place = %(place)s AND v.target = 'memory' /*of length*/
  ORDER BY v.embedding/*length*/ <#> %(query)s LIMIT %(reach)s
), best AS MATERIALIZED (SELECT n.seq, min(n.away) AS away FROM near n GROUP BY n.seq ORDER BY 2, 1)
SELECT found.id, -b.away, (SELECT count(*) FROM near) FROM best b
CROSS JOIN LATERAL (
  SELECT m.id FROM memory m
  WHERE m.tenant = %(tenant)s AND m.place = %(place)s AND m.seq = b.seq AND /*memory_filter*/ OFFSET 0) found
ORDER BY b.away, b.seq LIMIT %(limit)s;

-- name: turn_near
-- The same for turns.
WITH near AS MATERIALIZED (
  SELECT v.seq, v.embedding/*length*/ <#> %(query)s AS away FROM vec v
  WHERE v.tenant = %(tenant)s AND v.place = %(place)s AND v.target = 'turn' /*of length*/
  ORDER BY v.embedding/*length*/ <#> %(query)s LIMIT %(reach)s
), best AS MATERIALIZED (SELECT n.seq, min(n.away) AS away FROM near n GROUP BY n.seq ORDER BY 2, 1)
SELECT found.id, -b.away, (SELECT count(*) FROM near) FROM best b
CROSS JOIN LATERAL (
  SELECT t.id FROM turn t JOIN session s ON s.tenant = %(tenant)s AND s.id = t.session
  WHERE t.tenant = %(tenant)s AND t.place = %(place)s AND t.seq = b.seq AND /*turn_filter*/ OFFSET 0) found
ORDER BY b.away, b.seq LIMIT %(limit)s;

-- name: memory_nearest
-- The memories that pass the filters and are nearest to a vector of length 1, by their nearest chunk.
SELECT m.id, max(-(v.embedding <#> %(query)s)) AS cosine FROM vec v
JOIN memory m ON m.tenant = %(tenant)s AND m.place = %(place)s AND m.seq = v.seq
WHERE v.tenant = %(tenant)s AND v.place = %(place)s AND v.target = 'memory' AND /*memory_filter*/
GROUP BY m.id, v.seq ORDER BY cosine DESC, v.seq LIMIT %(limit)s;

-- name: turn_nearest
-- The same for turns.
SELECT t.id, max(-(v.embedding <#> %(query)s)) AS cosine FROM vec v
JOIN turn t ON t.tenant = %(tenant)s AND t.place = %(place)s AND t.seq = v.seq
JOIN session s ON s.tenant = %(tenant)s AND s.id = t.session
WHERE v.tenant = %(tenant)s AND v.place = %(place)s AND v.target = 'turn' AND /*turn_filter*/
GROUP BY t.id, v.seq ORDER BY cosine DESC, v.seq LIMIT %(limit)s;

-- name: memory_cosines
-- The cosines of named memories.
SELECT m.id, max(-(v.embedding <#> %(query)s)) FROM vec v
JOIN memory m ON m.tenant = %(tenant)s AND m.place = %(place)s AND m.seq = v.seq
WHERE v.tenant = %(tenant)s AND v.place = %(place)s AND v.target = 'memory' AND m.id = ANY (%(ids)s::uuid[])
GROUP BY m.id;

-- name: turn_cosines
-- The cosines of named turns.
SELECT t.id, max(-(v.embedding <#> %(query)s)) FROM vec v
JOIN turn t ON t.tenant = %(tenant)s AND t.place = %(place)s AND t.seq = v.seq
WHERE v.tenant = %(tenant)s AND v.place = %(place)s AND v.target = 'turn' AND t.id = ANY (%(ids)s::uuid[])
GROUP BY t.id;

-- name: vectors_put
-- The vectors of chunks, if they are of the model that the store has now; a row for each that is kept.
INSERT INTO vec (tenant, place, target, seq, chunk, embedding)
SELECT o.tenant, o.place, %(target)s, c.seq, c.chunk, c.embedding
FROM meta o
CROSS JOIN unnest(%(seqs)s::bigint[], %(chunks)s::int[], %(embeddings)s::halfvec[]) AS c (seq, chunk, embedding)
WHERE o.tenant = %(tenant)s AND o.place = %(place)s AND o.key = 'vector_model' AND o.value = %(model)s
RETURNING 1;
