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
-- The best candidates by FTS5's bm25: where each term stands among those asked, and how often. They are looked at
-- best first, and only until enough have passed the filter.
WITH scored AS MATERIALIZED (
  SELECT p.seq, max(p.dl) AS dl, array_agg(w.spot) AS spots, array_agg(p.tf) AS often,
         sum(w.idf * p.tf * 2.2 / (p.tf + 1.2 * (0.25 + 0.75 * p.dl / %(mean)s::float8))) AS score
  FROM unnest(%(stems)s::text[], %(idfs)s::float8[], %(spots)s::int[]) AS w (term, idf, spot)
  JOIN turn_term p ON p.tenant = %(tenant)s AND p.place = %(place)s AND p.term = w.term COLLATE "C"
  GROUP BY p.seq
)
SELECT found.id, p.dl, p.spots, p.often FROM (SELECT * FROM scored ORDER BY score DESC, seq OFFSET 0) p
CROSS JOIN LATERAL (
  SELECT t.id FROM turn t JOIN session s ON s.tenant = %(tenant)s AND s.id = t.session
  WHERE t.tenant = %(tenant)s AND t.place = %(place)s AND t.seq = p.seq AND /*turn_filter*/ OFFSET 0) found
ORDER BY p.score DESC, p.seq LIMIT %(limit)s;

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
-- A new turn.
INSERT INTO turn (tenant, place, seq, id, session, at, ref, role, tool, files, text)
VALUES (%(tenant)s, %(place)s, %(seq)s, %(id)s, %(session)s, %(at)s, %(ref)s, %(role)s, %(tool)s, %(files)s, %(text)s);

-- name: turn_terms_put
-- The index forms of turns.
INSERT INTO turn_term (tenant, place, term, seq, tf, dl, said, dated)
SELECT %(tenant)s, %(place)s, t.term, t.seq, t.tf, t.dl, t.said, t.dated
FROM unnest(%(term)s::text[], %(seq)s::bigint[], %(tf)s::float8[], %(dl)s::int[], %(said)s::int[],
            %(dated)s::boolean[]) AS t (term, seq, tf, dl, said, dated);

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
