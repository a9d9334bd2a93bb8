-- name: aliases_all
-- Every word with what else it is called.
SELECT word, meaning FROM alias WHERE tenant = %(tenant)s AND place = %(place)s ORDER BY word, meaning;

-- name: alias_add
-- Let a word also be called so; a pair that is there already gives no row.
INSERT INTO alias (tenant, place, word, meaning) VALUES (%(tenant)s, %(place)s, %(word)s, %(meaning)s)
ON CONFLICT DO NOTHING RETURNING word;

-- name: alias_remove
-- Let go of one meaning of a word, or of all.
DELETE FROM alias WHERE tenant = %(tenant)s AND place = %(place)s AND word = %(word)s
  AND (%(meaning)s::text IS NULL OR meaning = %(meaning)s::text) RETURNING word;

-- name: receipt_record
-- What went into a brief.
INSERT INTO receipt (tenant, place, seq, id, at, agent, session, prompted, budget, tokens, took_ms, cut, degraded, items, text)
VALUES (%(tenant)s, %(place)s, nextval('arrival'), %(id)s, %(at)s, %(agent)s, %(session)s, %(prompted)s, %(budget)s,
        %(tokens)s, %(took_ms)s, %(cut)s, %(degraded)s, %(items)s, %(text)s);

-- name: receipts_trim
-- Keep the newest only.
DELETE FROM receipt r WHERE r.tenant = %(tenant)s AND r.place = %(place)s AND r.seq <= (
  SELECT o.seq FROM receipt o WHERE o.tenant = %(tenant)s AND o.place = %(place)s
  ORDER BY o.seq DESC OFFSET %(kept)s LIMIT 1);

-- name: receipt_texts_trim
-- Keep the texts of the newest only. With every brief, so that only the few before them can have one; what somebody else is
-- just letting go of is theirs.
-- As an array, the few are looked up once: joined, they were looked up for every receipt until the table is analysed.
UPDATE receipt r SET text = NULL
WHERE r.tenant = %(tenant)s AND r.place = %(place)s AND r.seq = ANY(ARRAY(
  SELECT t.seq FROM receipt t WHERE t.tenant = %(tenant)s AND t.place = %(place)s AND t.text IS NOT NULL AND t.seq <= (
      SELECT o.seq FROM receipt o WHERE o.tenant = %(tenant)s AND o.place = %(place)s
      ORDER BY o.seq DESC OFFSET %(kept)s LIMIT 1)
    AND t.seq > coalesce((SELECT o.seq FROM receipt o WHERE o.tenant = %(tenant)s AND o.place = %(place)s
      ORDER BY o.seq DESC OFFSET %(kept)s + 50 LIMIT 1), 0)
  FOR UPDATE SKIP LOCKED));

-- name: receipt_columns
-- The columns of a receipt in the order rows.py reads them; put in place of /*receipt_columns*/.
r.id, r.at, r.agent, r.session, r.prompted, r.budget, r.tokens, r.took_ms, r.cut, r.degraded, r.items

-- name: receipts_recent
-- Receipts, newest first.
SELECT /*receipt_columns*/ FROM receipt r
WHERE r.tenant = %(tenant)s AND r.place = %(place)s ORDER BY r.seq DESC LIMIT %(limit)s;

-- name: receipts_of
-- The receipts of sessions, newest first.
SELECT /*receipt_columns*/ FROM receipt r
WHERE r.tenant = %(tenant)s AND r.place = %(place)s AND r.session = ANY (%(sessions)s::text[])
ORDER BY r.seq DESC LIMIT %(limit)s;

-- name: receipts_naming
-- The receipts that name an entry, newest first.
SELECT /*receipt_columns*/ FROM receipt r
WHERE r.tenant = %(tenant)s AND r.place = %(place)s AND strpos(r.items::text, %(entry)s) > 0
ORDER BY r.seq DESC LIMIT %(limit)s;

-- name: receipts_get
-- A receipt.
SELECT /*receipt_columns*/ FROM receipt r WHERE r.tenant = %(tenant)s AND r.place = %(place)s AND r.id = %(id)s;

-- name: receipt_texts
-- What briefs said, as far as it is kept, newest first.
SELECT id, text FROM receipt WHERE tenant = %(tenant)s AND place = %(place)s AND text <> ''
  AND (%(ids)s::text[] IS NULL OR id = ANY (%(ids)s::text[])) ORDER BY seq DESC;

-- name: receipt_texts_kept
-- Which briefs have a text, or had one that was taken away.
SELECT id, text IS NULL FROM receipt WHERE tenant = %(tenant)s AND place = %(place)s AND id = ANY (%(ids)s::text[]);

-- name: receipt_reword
-- Other words in place of what a brief said.
UPDATE receipt SET text = %(text)s WHERE tenant = %(tenant)s AND place = %(place)s AND id = %(id)s AND text IS NOT NULL;

-- name: receipt_latencies
-- How long the latest briefs took.
SELECT took_ms, cut, degraded FROM receipt
WHERE tenant = %(tenant)s AND place = %(place)s ORDER BY seq DESC LIMIT %(limit)s;

-- name: accesses_fetched
-- When entries were read.
SELECT memory, at FROM access
WHERE tenant = %(tenant)s AND place = %(place)s AND memory = ANY (%(ids)s::text[]) AND action = 'get' ORDER BY at;
