-- name: memory_filter
-- What a memory must be to count; put in place of /*memory_filter*/ in the queries below.
    (%(projects)s::text[] IS NULL OR m.project = ANY (%(projects)s::text[]))
AND (%(current_at)s::bigint IS NULL
     OR (m.valid_until IS NULL AND (m.expires IS NULL OR m.expires > %(current_at)s::bigint)
         AND (m.fades IS NULL OR m.fades > %(current_at)s::bigint)))
AND (%(kinds)s::text[] IS NULL OR m.kind = ANY (%(kinds)s::text[]))
AND (%(statuses)s::text[] IS NULL OR m.status = ANY (%(statuses)s::text[]))
AND (%(trusts)s::text[] IS NULL OR m.trust = ANY (%(trusts)s::text[]))
AND (%(agents)s::text[] IS NULL OR m.agent = ANY (%(agents)s::text[]))
AND (%(branches)s::text[] IS NULL OR m.branch = ANY (%(branches)s::text[]))
AND (%(since)s::bigint IS NULL OR m.created_at >= %(since)s::bigint)
AND (%(until)s::bigint IS NULL OR m.created_at < %(until)s::bigint)
AND (%(min_importance)s::float8 IS NULL OR m.importance >= %(min_importance)s::float8)
AND (%(session)s::uuid IS NULL OR m.session = %(session)s::uuid)
AND (%(sources)s::text[] IS NULL OR m.sources && %(sources)s::text[])
AND (%(tags)s::text[] IS NULL OR m.tags @> %(tags)s::text[])
AND (%(file)s::text IS NULL OR touches(m.files, %(file)s::text))
AND (%(contains)s::text IS NULL OR strpos(folded(m.title), %(contains)s::text) > 0
     OR strpos(folded(m.content), %(contains)s::text) > 0)

-- name: memory_columns
-- The columns of a memory in the order rows.py reads them; put in place of /*memory_columns*/.
m.id, m.project, m.tenant, m."user", m.kind, m.title, m.content, m.context, m.tags, m.files, m.file_hashes,
m.importance, m.confidence, m.status, m.trust, m.sources, m.session, m.agent, m.branch, m."commit",
m.created_at, m.updated_at, m.renewed_at, m.accessed_at, m.reads, m.valid_from, m.valid_until,
m.superseded_by, m.expires, m.fades, m.fingerprint, m.metadata, m.kind_confidence, m.version

-- name: memories_get
-- Memories by full id, with their rows; in one order, so that nobody who holds them waits in a circle.
SELECT m.seq, /*memory_columns*/ FROM memory m
WHERE m.tenant = %(tenant)s AND m.place = %(place)s AND m.id = ANY (%(ids)s::uuid[])
ORDER BY m.id /*hold*/;

-- name: memories_ending
-- Ids by their last eight digits; the caller compares the rest of a longer tail.
SELECT m.id FROM memory m
WHERE m.tenant = %(tenant)s AND m.place = %(place)s AND m.tail = ANY (%(tails)s::text[]);

-- name: memories_saying
-- Unsuperseded memories of a project by fingerprint.
SELECT /*memory_columns*/ FROM memory m
WHERE m.tenant = %(tenant)s AND m.place = %(place)s AND m.project = %(project)s AND m.valid_until IS NULL
  AND m.fingerprint = ANY (%(fingerprints)s::text[]);

-- name: memories_ever_saying
-- Memories of a project by fingerprint, superseded ones included. What is always true names both indexes, of those
-- that hold and of those that are superseded: either alone is of no use here.
SELECT /*memory_columns*/ FROM memory m
WHERE m.tenant = %(tenant)s AND m.place = %(place)s AND m.project = %(project)s
  AND m.fingerprint = ANY (%(fingerprints)s::text[]) AND (m.valid_until IS NULL OR m.valid_until IS NOT NULL)
ORDER BY m.valid_until NULLS LAST, m.seq;

-- name: memories_walk
-- Memories in order of arrival, with their rows, from after one of them on, or from where it was.
SELECT m.seq, /*memory_columns*/ FROM memory m
WHERE m.tenant = %(tenant)s AND m.place = %(place)s AND m.seq > coalesce(
  (SELECT a.seq FROM memory a WHERE a.tenant = %(tenant)s AND a.place = %(place)s AND a.id = %(after)s::uuid),
  %(ended)s::bigint, 0)
ORDER BY m.seq LIMIT %(limit)s;

-- name: memories_quarantined
-- Candidates that were promoted by themselves and not judged since, oldest first.
SELECT /*memory_columns*/ FROM memory m
WHERE m.tenant = %(tenant)s AND m.place = %(place)s AND m.status = 'candidate' AND m.renewed_at <= %(before)s
  AND m.valid_until IS NULL AND m.sources[1] = %(source)s AND NOT m.judged
ORDER BY m.renewed_at, m.seq LIMIT %(limit)s;

-- name: memories_newest
-- Memories, newest first.
SELECT /*memory_columns*/ FROM memory m
WHERE m.tenant = %(tenant)s AND m.place = %(place)s AND /*memory_filter*/
ORDER BY m.created_at DESC, m.seq DESC LIMIT %(limit)s;

-- name: memories_fade_next
-- The memories that hold and will fade, the soonest first.
SELECT /*memory_columns*/ FROM memory m WHERE m.tenant = %(tenant)s AND m.place = %(place)s
  AND m.fades > %(now)s AND m.valid_until IS NULL AND (m.expires IS NULL OR m.expires > %(now)s)
ORDER BY m.fades, m.seq LIMIT %(limit)s;

-- name: memories_before
-- The memories just before an anchor in time, nearest first.
SELECT /*memory_columns*/ FROM memory m
WHERE m.tenant = %(tenant)s AND m.place = %(place)s AND (m.created_at, m.seq) < (%(created_at)s,
  (SELECT a.seq FROM memory a WHERE a.tenant = %(tenant)s AND a.place = %(place)s AND a.id = %(id)s::uuid))
  AND /*memory_filter*/
ORDER BY m.created_at DESC, m.seq DESC LIMIT %(window)s;

-- name: memories_after
-- The memories just after an anchor in time, nearest first.
SELECT /*memory_columns*/ FROM memory m
WHERE m.tenant = %(tenant)s AND m.place = %(place)s AND (m.created_at, m.seq) > (%(created_at)s,
  (SELECT a.seq FROM memory a WHERE a.tenant = %(tenant)s AND a.place = %(place)s AND a.id = %(id)s::uuid))
  AND /*memory_filter*/
ORDER BY m.created_at, m.seq LIMIT %(window)s;

-- name: memories_neighbours
-- What is tied to memories by supersession, one step in either direction.
SELECT m.id FROM memory m
WHERE m.tenant = %(tenant)s AND m.place = %(place)s AND m.superseded_by = ANY (%(ids)s::uuid[])
UNION
SELECT m.superseded_by FROM memory m
WHERE m.tenant = %(tenant)s AND m.place = %(place)s AND m.id = ANY (%(ids)s::uuid[]) AND m.superseded_by IS NOT NULL;

-- name: memories_in_order
-- Memories by id, in the order in which they began to hold.
SELECT /*memory_columns*/ FROM memory m
WHERE m.tenant = %(tenant)s AND m.place = %(place)s AND m.id = ANY (%(ids)s::uuid[]) ORDER BY m.valid_from, m.seq;

-- name: memories_match
-- The best candidates by FTS5's bm25. First in how many memories each term stands, and which terms the budget pays for,
-- the rarest first (`stores/weights.py`); then a score for every row that holds one; the best of them are looked at
-- until enough have passed the filter; only of these it is read where each term stands and how often. The first row of
-- the answer says how often each term stands, and how many rows were scored.
-- OFFSET 0 has each term looked up by itself: before a new store is analysed, a join read all its terms for every row.
WITH counted AS MATERIALIZED (
  SELECT w.term, w.spot, (SELECT count(*) FROM memory_term p WHERE p.tenant = %(tenant)s AND p.place = %(place)s
                          AND p.term = w.term COLLATE "C") AS holding
  FROM unnest(%(stems)s::text[], %(spots)s::int[]) AS w (term, spot)
), priced AS MATERIALIZED (
  SELECT c.term, c.spot, c.holding, sum(c.holding) OVER (ORDER BY c.holding, c.spot) AS cost
  FROM counted c
), asked AS MATERIALIZED (
  SELECT c.term, c.spot, greatest(1e-6, ln(greatest(%(documents)s::float8 - c.holding + 0.5, 1e-6) / (c.holding + 0.5))) AS idf
  FROM priced c WHERE c.holding > 0 AND (c.cost <= %(budget)s OR c.cost = c.holding)
), scored AS MATERIALIZED (
  SELECT p.seq, sum(w.idf * p.tf * 2.2 / (p.tf + 1.2 * (0.25 + 0.75 * p.dl / %(mean)s::float8))) AS score
  FROM asked w CROSS JOIN LATERAL (
    SELECT i.seq, i.tf, i.dl FROM memory_term i
    WHERE i.tenant = %(tenant)s AND i.place = %(place)s AND i.term = w.term COLLATE "C" OFFSET 0) p
  GROUP BY p.seq
), best AS MATERIALIZED (
  SELECT found.id, b.seq, b.score FROM (
    SELECT r.seq, r.score FROM scored r ORDER BY r.score DESC, r.seq LIMIT %(reach)s) b
  CROSS JOIN LATERAL (
    SELECT m.id FROM memory m WHERE m.tenant = %(tenant)s AND m.place = %(place)s AND m.seq = b.seq
      AND /*memory_filter*/ OFFSET 0) found
  ORDER BY b.score DESC, b.seq LIMIT %(limit)s
)
SELECT NULL::uuid, (SELECT count(*) FROM scored), 0, array_agg(c.spot ORDER BY c.spot),
       array_agg(c.holding::float8 ORDER BY c.spot), NULL::float8
FROM counted c
UNION ALL
SELECT b.id, b.seq, max(p.dl), array_agg(w.spot), array_agg(p.tf), b.score
FROM best b CROSS JOIN asked w CROSS JOIN LATERAL (
  SELECT i.tf, i.dl FROM memory_term i
  WHERE i.tenant = %(tenant)s AND i.place = %(place)s AND i.term = w.term COLLATE "C" AND i.seq = b.seq OFFSET 0) p
GROUP BY b.id, b.seq, b.score
ORDER BY 6 DESC NULLS FIRST, 2;

-- name: memories_frequencies
-- In how many memories each index form stands.
SELECT p.term, count(*) FROM memory_term p
WHERE p.tenant = %(tenant)s AND p.place = %(place)s AND p.term = ANY (%(stems)s::text[] COLLATE "C") GROUP BY p.term;

-- name: memories_words
-- Index forms of memories that begin in a certain way.
SELECT p.term, count(*) FROM memory_term p
WHERE p.tenant = %(tenant)s AND p.place = %(place)s
  AND p.term >= %(lead)s::text COLLATE "C" AND p.term < (%(lead)s::text || U&'\+10FFFF') COLLATE "C"
GROUP BY p.term;

-- name: memory_insert
-- A new memory, and its row.
INSERT INTO memory (
  tenant, place, seq, id, project, "user", kind, title, content, context, tags, files, file_hashes, importance,
  confidence, status, trust, sources, session, agent, branch, "commit", created_at, updated_at, renewed_at,
  accessed_at, reads, valid_from, valid_until, superseded_by, expires, fingerprint, metadata, judged,
  kind_confidence, fades)
VALUES (
  %(tenant)s, %(place)s, nextval('arrival'), %(id)s, %(project)s, %(user)s, %(kind)s, %(title)s, %(content)s, %(context)s,
  %(tags)s, %(files)s, %(file_hashes)s, %(importance)s, %(confidence)s, %(status)s, %(trust)s, %(sources)s,
  %(session)s, %(agent)s, %(branch)s, %(commit)s, %(created_at)s, %(updated_at)s, %(renewed_at)s, %(accessed_at)s,
  %(reads)s, %(valid_from)s, %(valid_until)s, %(superseded_by)s, %(expires)s, %(fingerprint)s, %(metadata)s,
  %(judged)s, %(kind_confidence)s, %(fades)s)
RETURNING id, seq;

-- name: memory_terms_put
-- The index forms of memories, or other figures for them.
INSERT INTO memory_term (tenant, place, term, seq, tf, dl)
SELECT o.tenant, o.id, t.term, t.seq, t.tf, t.dl
FROM place o CROSS JOIN
     unnest(%(term)s::text[], %(seq)s::bigint[], %(tf)s::float8[], %(dl)s::int[])
       AS t (term, seq, tf, dl)
WHERE o.tenant = %(tenant)s AND o.id = %(place)s
ON CONFLICT (tenant, place, term, seq) DO UPDATE SET tf = excluded.tf, dl = excluded.dl;

-- name: memory_terms_drop
-- Index forms of memories go.
DELETE FROM memory_term p USING unnest(%(terms)s::text[], %(seqs)s::bigint[]) AS g (term, seq)
WHERE p.tenant = %(tenant)s AND p.place = %(place)s AND p.term = g.term COLLATE "C" AND p.seq = g.seq;

-- name: memories_hold
-- Memories with their rows, held against others who would change them.
SELECT m.seq, /*memory_columns*/ FROM memory m
WHERE m.tenant = %(tenant)s AND m.place = %(place)s AND m.id = ANY (%(ids)s::uuid[]) ORDER BY m.id FOR NO KEY UPDATE;

-- name: memory_replace
-- New state for a memory.
UPDATE memory m SET
  version = m.version + 1, kind = %(kind)s, title = %(title)s, content = %(content)s, context = %(context)s, tags = %(tags)s,
  files = %(files)s, fingerprint = %(fingerprint)s, importance = %(importance)s, confidence = %(confidence)s,
  status = %(status)s, trust = %(trust)s, sources = %(sources)s, "user" = %(user)s, session = %(session)s,
  agent = %(agent)s, branch = %(branch)s, "commit" = %(commit)s, updated_at = %(updated_at)s,
  renewed_at = %(renewed_at)s, accessed_at = %(accessed_at)s, reads = %(reads)s, valid_from = %(valid_from)s,
  valid_until = %(valid_until)s, superseded_by = %(superseded_by)s, expires = %(expires)s,
  file_hashes = %(file_hashes)s, metadata = %(metadata)s, judged = %(judged)s,
  kind_confidence = %(kind_confidence)s, fades = %(fades)s
WHERE m.tenant = %(tenant)s AND m.place = %(place)s AND m.id = %(id)s::uuid;

-- name: memories_count_read
-- One more read of each, in the order of their ids, so that no two readers wait for each other in a circle; enough of
-- them keep it. The memories as they are then, with their rows.
UPDATE memory m SET version = m.version + 1, reads = m.reads + 1, accessed_at = %(at)s,
  fades = CASE WHEN m.reads + 1 >= %(enough)s THEN NULL ELSE m.fades END
FROM (SELECT o.id FROM memory o WHERE o.tenant = %(tenant)s AND o.place = %(place)s AND o.id = ANY (%(ids)s::uuid[])
      ORDER BY o.id FOR UPDATE) read
WHERE m.tenant = %(tenant)s AND m.place = %(place)s AND m.id = read.id
RETURNING m.seq, /*memory_columns*/;

-- name: memories_release
-- Let go of what the removed memories had superseded; it stays history.
UPDATE memory m SET version = m.version + 1, superseded_by = NULL
WHERE m.tenant = %(tenant)s AND m.place = %(place)s AND m.id IN (
  SELECT o.id FROM memory o WHERE o.tenant = %(tenant)s AND o.place = %(place)s
    AND o.superseded_by = ANY (%(ids)s::uuid[]) ORDER BY o.id FOR UPDATE)
RETURNING m.id;

-- name: memories_delete
-- Remove memories.
DELETE FROM memory m WHERE m.tenant = %(tenant)s AND m.place = %(place)s AND m.id = ANY (%(ids)s::uuid[]);

-- name: memories_grouped
-- Current memories by kind, status and trust, for the figures of `stats`.
SELECT m.kind, m.status, m.trust, count(*) FROM memory m
WHERE m.tenant = %(tenant)s AND m.place = %(place)s
  AND m.valid_until IS NULL AND (m.expires IS NULL OR m.expires > %(now)s::bigint)
  AND (m.fades IS NULL OR m.fades > %(now)s::bigint)
GROUP BY m.kind, m.status, m.trust ORDER BY m.kind, m.status, m.trust;

-- name: memories_totals
-- All memories, superseded, expired, faded, reads.
SELECT count(*), count(m.valid_until),
       count(*) FILTER (WHERE m.valid_until IS NULL AND m.expires <= %(now)s::bigint),
       count(*) FILTER (WHERE m.valid_until IS NULL AND (m.expires IS NULL OR m.expires > %(now)s::bigint)
                          AND m.fades <= %(now)s::bigint),
       coalesce(sum(m.reads), 0)::bigint
FROM memory m WHERE m.tenant = %(tenant)s AND m.place = %(place)s;
