-- name: turn_filter
-- What a turn must be to count; put in place of /*turn_filter*/.
    (%(projects)s::text[] IS NULL OR s.project = ANY (%(projects)s::text[]))
AND (%(session)s::uuid IS NULL OR s.id = %(session)s::uuid)
AND (%(since)s::bigint IS NULL OR t.at >= %(since)s::bigint)
AND (%(until)s::bigint IS NULL OR t.at < %(until)s::bigint)
AND (%(file)s::text IS NULL OR touches(t.files, %(file)s::text))
AND (%(contains)s::text IS NULL OR strpos(folded(t.text), %(contains)s::text) > 0)
AND (%(said)s::boolean IS NULL
     OR %(said)s::boolean = (t.tool IS NULL AND lower(t.role) NOT IN ('tool', 'system')))

-- name: turn_columns
-- The columns of a turn in the order rows.py reads them; put in place of /*turn_columns*/.
t.id, t.session, t.role, t.text, t.at, t.ref, t.tool, t.files

-- name: turns_get
-- Turns by id.
SELECT /*turn_columns*/ FROM turn t
WHERE t.tenant = %(tenant)s AND t.place = %(place)s AND t.id = ANY (%(ids)s::uuid[])
ORDER BY t.id /*hold*/;

-- name: turns_ending
-- Ids by their last eight digits; the caller compares the rest of a longer tail. No index: people ask, rarely.
SELECT t.id FROM turn t
WHERE t.tenant = %(tenant)s AND t.place = %(place)s AND right(t.id::text, 8) = %(tail)s;

-- name: turns_walk
-- Turns in order of arrival, with their rows, from after one of them on, or from where it was.
SELECT t.seq, /*turn_columns*/ FROM turn t
WHERE t.tenant = %(tenant)s AND t.place = %(place)s AND t.seq > coalesce(
  (SELECT a.seq FROM turn a WHERE a.tenant = %(tenant)s AND a.place = %(place)s AND a.id = %(after)s::uuid),
  %(ended)s::bigint, 0)
ORDER BY t.seq LIMIT %(limit)s;

-- name: turns_of
-- The turns of a session as recorded.
SELECT /*turn_columns*/ FROM turn t
WHERE t.tenant = %(tenant)s AND t.place = %(place)s AND t.session = %(session)s::uuid ORDER BY t.seq;

-- name: turns_following
-- The turns of a session that came after a certain turn, or from its first.
SELECT /*turn_columns*/ FROM turn t
WHERE t.tenant = %(tenant)s AND t.place = %(place)s AND t.session = %(session)s::uuid AND t.seq > coalesce(
  (SELECT a.seq FROM turn a WHERE a.tenant = %(tenant)s AND a.place = %(place)s AND a.id = %(after)s::uuid), 0)
ORDER BY t.seq LIMIT %(limit)s;

-- name: turns_leading
-- The last turns of a session up to a certain turn, newest first.
SELECT /*turn_columns*/ FROM turn t
WHERE t.tenant = %(tenant)s AND t.place = %(place)s AND t.session = %(session)s::uuid AND t.seq <=
  (SELECT a.seq FROM turn a WHERE a.tenant = %(tenant)s AND a.place = %(place)s AND a.id = %(upto)s::uuid)
ORDER BY t.seq DESC LIMIT %(limit)s;

-- name: turn_with_ref
-- A turn by the caller's own key.
SELECT /*turn_columns*/ FROM turn t
WHERE t.tenant = %(tenant)s AND t.place = %(place)s AND t.session = %(session)s::uuid AND t.ref = %(ref)s;

-- name: turns_containing
-- Turns that hold a text literally; held in the order in which everybody holds turns.
SELECT /*turn_columns*/ FROM (
  SELECT h.* FROM turn h WHERE h.tenant = %(tenant)s AND h.place = %(place)s AND strpos(h.text, %(text)s) > 0
  ORDER BY h.id /*hold*/) t
ORDER BY t.seq;

-- name: turns_match
-- The best candidates by FTS5's bm25. First in how many turns each term stands, and which terms the budget pays for,
-- the rarest first (`stores/weights.py`); then a score for every row that holds one; the best of them are looked at
-- until enough have passed the filter; only of these it is read where each term stands and how often. The first row of
-- the answer says how often each term stands, and how many rows were scored.
-- OFFSET 0 has each term looked up by itself: before a new store is analysed, a join read all its terms for every row.
WITH counted AS MATERIALIZED (
  SELECT w.term, w.spot, (SELECT count(*) FROM turn_term p WHERE p.tenant = %(tenant)s AND p.place = %(place)s
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
    SELECT i.seq, i.tf, i.dl FROM turn_term i
    WHERE i.tenant = %(tenant)s AND i.place = %(place)s AND i.term = w.term COLLATE "C" OFFSET 0) p
  GROUP BY p.seq
), best AS MATERIALIZED (
  SELECT found.id, b.seq, b.score FROM (
    SELECT r.seq, r.score FROM scored r ORDER BY r.score DESC, r.seq LIMIT %(reach)s) b
  CROSS JOIN LATERAL (
    SELECT t.id FROM turn t JOIN session s ON s.tenant = %(tenant)s AND s.id = t.session
    WHERE t.tenant = %(tenant)s AND t.place = %(place)s AND t.seq = b.seq
      AND /*turn_filter*/ OFFSET 0) found
  ORDER BY b.score DESC, b.seq LIMIT %(limit)s
)
SELECT NULL::uuid, (SELECT count(*) FROM scored), 0, array_agg(c.spot ORDER BY c.spot),
       array_agg(c.holding::float8 ORDER BY c.spot), NULL::float8
FROM counted c
UNION ALL
SELECT b.id, b.seq, max(p.dl), array_agg(w.spot), array_agg(p.tf), b.score
FROM best b CROSS JOIN asked w CROSS JOIN LATERAL (
  SELECT i.tf, i.dl FROM turn_term i
  WHERE i.tenant = %(tenant)s AND i.place = %(place)s AND i.term = w.term COLLATE "C" AND i.seq = b.seq OFFSET 0) p
GROUP BY b.id, b.seq, b.score
ORDER BY 6 DESC NULLS FIRST, 2;

-- name: turns_frequencies
-- In how many turns each index form stands.
SELECT p.term, count(*) FROM turn_term p
WHERE p.tenant = %(tenant)s AND p.place = %(place)s AND p.term = ANY (%(stems)s::text[] COLLATE "C") GROUP BY p.term;

-- name: turns_words
-- Index forms of turns that begin in a certain way.
SELECT p.term, count(*) FROM turn_term p
WHERE p.tenant = %(tenant)s AND p.place = %(place)s
  AND p.term >= %(lead)s::text COLLATE "C" AND p.term < (%(lead)s::text || U&'\+10FFFF') COLLATE "C"
GROUP BY p.term;

-- name: turns_places
-- Where turns stand: session, speaker, time, neighbours, and whether somebody said them.
SELECT t.id, t.session, t.role, t.at,
       (SELECT b.id FROM turn b WHERE b.tenant = %(tenant)s AND b.session = t.session AND b.seq < t.seq
        ORDER BY b.seq DESC LIMIT 1),
       (SELECT n.id FROM turn n WHERE n.tenant = %(tenant)s AND n.session = t.session AND n.seq > t.seq
        ORDER BY n.seq LIMIT 1),
       t.tool IS NULL AND lower(t.role) NOT IN ('tool', 'system')
FROM turn t WHERE t.tenant = %(tenant)s AND t.place = %(place)s AND t.id = ANY (%(ids)s::uuid[]);

-- name: turns_around
-- Turns with some of their session before and after each.
SELECT DISTINCT s.seq, t.seq, /*turn_columns*/ FROM turn a
JOIN session s ON s.tenant = %(tenant)s AND s.id = a.session
CROSS JOIN LATERAL (
  (SELECT b.* FROM turn b WHERE b.tenant = %(tenant)s AND b.session = a.session AND b.seq <= a.seq
   ORDER BY b.seq DESC LIMIT %(before)s + 1)
  UNION ALL
  (SELECT n.* FROM turn n WHERE n.tenant = %(tenant)s AND n.session = a.session AND n.seq > a.seq
   ORDER BY n.seq LIMIT %(after)s)) t
WHERE a.tenant = %(tenant)s AND a.place = %(place)s AND a.id = ANY (%(ids)s::uuid[])
ORDER BY s.seq, t.seq;

-- name: turns_last
-- The newest turns of sessions, so many of each.
SELECT t.id FROM unnest(%(sessions)s::uuid[]) WITH ORDINALITY AS w (session, spot)
CROSS JOIN LATERAL (
  SELECT n.id, n.seq FROM turn n WHERE n.tenant = %(tenant)s AND n.place = %(place)s AND n.session = w.session
  ORDER BY n.seq DESC LIMIT %(limit)s) t
ORDER BY w.spot, t.seq DESC;

-- name: turn_insert
-- A new turn, and its row.
INSERT INTO turn (tenant, place, seq, id, session, at, ref, role, tool, files, text)
VALUES (%(tenant)s, %(place)s, nextval('arrival'), %(id)s, %(session)s, %(at)s, %(ref)s, %(role)s, %(tool)s, %(files)s, %(text)s)
RETURNING id, seq;

-- name: turn_terms_put
-- The index forms of turns, or other figures for them.
INSERT INTO turn_term (tenant, place, term, seq, tf, dl, said, dated)
SELECT o.tenant, o.id, t.term, t.seq, t.tf, t.dl, t.said, t.dated
FROM place o CROSS JOIN
     unnest(%(term)s::text[], %(seq)s::bigint[], %(tf)s::float8[], %(dl)s::int[], %(said)s::int[],
            %(dated)s::boolean[])
       AS t (term, seq, tf, dl, said, dated)
WHERE o.tenant = %(tenant)s AND o.id = %(place)s
ON CONFLICT (tenant, place, term, seq) DO UPDATE SET tf = excluded.tf, dl = excluded.dl, said = excluded.said,
  dated = excluded.dated;

-- name: turn_terms_drop
-- Index forms of turns go.
DELETE FROM turn_term p USING unnest(%(terms)s::text[], %(seqs)s::bigint[]) AS g (term, seq)
WHERE p.tenant = %(tenant)s AND p.place = %(place)s AND p.term = g.term COLLATE "C" AND p.seq = g.seq;

-- name: turns_hold
-- The numbers of turns' rows, held against others who would change them.
SELECT t.id, t.seq FROM turn t WHERE t.tenant = %(tenant)s AND t.place = %(place)s AND t.id = ANY (%(ids)s::uuid[])
ORDER BY t.id FOR UPDATE;

-- name: turns_delete
-- Remove turns.
DELETE FROM turn t WHERE t.tenant = %(tenant)s AND t.place = %(place)s AND t.id = ANY (%(ids)s::uuid[]);

-- name: turn_replace
-- New text for a turn.
UPDATE turn t SET text = %(text)s, ref = %(ref)s, role = %(role)s, tool = %(tool)s, files = %(files)s
WHERE t.tenant = %(tenant)s AND t.place = %(place)s AND t.id = %(id)s::uuid;
