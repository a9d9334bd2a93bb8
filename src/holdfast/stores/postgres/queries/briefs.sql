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
INSERT INTO receipt (tenant, place, seq, id, at, agent, session, prompted, budget, tokens, took_ms, cut, degraded, items)
VALUES (%(tenant)s, %(place)s, nextval('arrival'), %(id)s, %(at)s, %(agent)s, %(session)s, %(prompted)s, %(budget)s,
        %(tokens)s, %(took_ms)s, %(cut)s, %(degraded)s, %(items)s);

-- name: receipts_trim
-- Keep the newest only.
DELETE FROM receipt r WHERE r.tenant = %(tenant)s AND r.place = %(place)s AND r.seq <= (
  SELECT o.seq FROM receipt o WHERE o.tenant = %(tenant)s AND o.place = %(place)s
  ORDER BY o.seq DESC OFFSET %(kept)s LIMIT 1);

-- name: receipts_recent
-- Receipts, newest first.
SELECT id, at, agent, session, prompted, budget, tokens, took_ms, cut, degraded, items FROM receipt
WHERE tenant = %(tenant)s AND place = %(place)s ORDER BY seq DESC LIMIT %(limit)s;

-- name: receipt_latencies
-- How long the latest briefs took.
SELECT took_ms, cut, degraded FROM receipt
WHERE tenant = %(tenant)s AND place = %(place)s ORDER BY seq DESC LIMIT %(limit)s;

-- name: accesses_fetched
-- When entries were read.
SELECT memory, at FROM access
WHERE tenant = %(tenant)s AND place = %(place)s AND memory = ANY (%(ids)s::text[]) AND action = 'get' ORDER BY at;
