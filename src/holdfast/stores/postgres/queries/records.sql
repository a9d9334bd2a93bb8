-- name: place_make
-- A store of a tenant; one that is there stays as it is.
INSERT INTO place (tenant, id, name, store_id, tombstone_key, created_at)
VALUES (%(tenant)s, nextval('arrival'), %(name)s, %(store_id)s, %(key)s, %(now)s)
ON CONFLICT (tenant, name) DO NOTHING;

-- name: place_named
-- A store of a tenant by the name of its project.
SELECT p.id, p.store_id, p.tombstone_key FROM place p WHERE p.tenant = %(tenant)s AND p.name = %(name)s;

-- name: arrivals
-- As many new numbers as there are new rows, in order.
SELECT nextval('arrival') FROM generate_series(1, %(count)s) ORDER BY 1;

-- name: meta_get
-- A fact about the store itself.
SELECT value FROM meta WHERE tenant = %(tenant)s AND place = %(place)s AND key = %(key)s;

-- name: meta_set
-- Note a fact about the store itself.
INSERT INTO meta (tenant, place, key, value) VALUES (%(tenant)s, %(place)s, %(key)s, %(value)s)
ON CONFLICT (tenant, place, key) DO UPDATE SET value = excluded.value;

-- name: pins_now
-- How often something was pinned.
SELECT value::bigint FROM meta WHERE tenant = %(tenant)s AND place = %(place)s AND key = %(key)s;

-- name: pins_more
-- Once more; whoever pins next waits for this transaction.
INSERT INTO meta AS m (tenant, place, key, value) VALUES (%(tenant)s, %(place)s, %(key)s, '1')
ON CONFLICT (tenant, place, key) DO UPDATE SET value = (m.value::bigint + 1)::text RETURNING value::bigint;

-- name: stat_add
-- A change of how much there is of something.
INSERT INTO tenant_stat (tenant, place, target, seq, documents, tokens, bytes)
VALUES (%(tenant)s, %(place)s, %(target)s, nextval('arrival'), %(documents)s, %(tokens)s, %(bytes)s);

-- name: stat_oldest
-- The oldest changes of something.
SELECT o.seq, o.documents, o.tokens, o.bytes FROM tenant_stat o
WHERE o.tenant = %(tenant)s AND o.place = %(place)s AND o.target = %(target)s ORDER BY o.seq LIMIT %(limit)s;

-- name: stats_drop
-- Changes that another stands for now.
DELETE FROM tenant_stat s WHERE s.tenant = %(tenant)s AND s.place = %(place)s AND s.target = %(target)s
  AND s.seq = ANY (%(seqs)s::bigint[]);

-- name: only_one
-- Be the only one that does a certain chore of this store until the transaction ends; nobody waits for it.
SELECT pg_try_advisory_xact_lock(hashtextextended(%(chore)s || ' ' || %(tenant)s, %(place)s));

-- name: tombstones_standing
-- Which marks stand.
SELECT mark FROM tombstone WHERE tenant = %(tenant)s AND place = %(place)s AND mark = ANY (%(marks)s::bytea[]);

-- name: tombstones_add
-- Mark something as forgotten.
INSERT INTO tombstone (tenant, place, mark)
SELECT o.tenant, o.id, m.mark FROM place o CROSS JOIN unnest(%(marks)s::bytea[]) AS m (mark)
WHERE o.tenant = %(tenant)s AND o.id = %(place)s ORDER BY m.mark ON CONFLICT DO NOTHING;

-- name: tombstones_remove
-- Let it be remembered again.
DELETE FROM tombstone WHERE tenant = %(tenant)s AND place = %(place)s AND mark = ANY (%(marks)s::bytea[]);

-- name: tombstones_all
-- Every mark.
SELECT mark FROM tombstone WHERE tenant = %(tenant)s AND place = %(place)s;

-- name: tombstones_clear
-- Nothing was forgotten.
DELETE FROM tombstone WHERE tenant = %(tenant)s AND place = %(place)s;

-- name: place_key
-- Another key for what was forgotten.
UPDATE place SET tombstone_key = %(key)s WHERE tenant = %(tenant)s AND id = %(place)s;

-- name: tombstones_count
-- How many there are.
SELECT count(*) FROM tombstone WHERE tenant = %(tenant)s AND place = %(place)s;

-- name: audit_record
-- A new event, not in the chain yet.
INSERT INTO audit (tenant, place, seq, at, action, actor, ids, detail)
VALUES (%(tenant)s, %(place)s, nextval('arrival'), %(at)s, %(action)s, %(actor)s, %(ids)s::text[], %(detail)s);

-- name: audit_count
-- How many events there are, and how many are not in the chain yet.
SELECT count(*), count(*) FILTER (WHERE link IS NULL) FROM audit WHERE tenant = %(tenant)s AND place = %(place)s;

-- name: audit_events
-- Events, newest first.
SELECT action, actor, at, ids, detail FROM audit WHERE tenant = %(tenant)s AND place = %(place)s
ORDER BY seq DESC LIMIT %(limit)s;

-- name: audit_unsealed
-- Events that are not in the chain yet, in order.
SELECT seq, action, actor, at, ids, detail FROM audit
WHERE tenant = %(tenant)s AND place = %(place)s AND link IS NULL ORDER BY seq LIMIT %(limit)s;

-- name: audit_seal
-- Events take their place in the chain; nobody but the owner may change a row, so a function does.
SELECT audit_seal(%(tenant)s, %(place)s, %(seqs)s::bigint[], %(links)s::bigint[], %(hashes)s::text[]);

-- name: audit_chain
-- The whole chain in order, for verification.
SELECT link, action, actor, at, ids, detail, hash FROM audit
WHERE tenant = %(tenant)s AND place = %(place)s AND link IS NOT NULL ORDER BY link;

-- name: audit_after
-- Events of the chain from a place on, oldest first.
SELECT link, action, actor, at, ids, detail FROM audit
WHERE tenant = %(tenant)s AND place = %(place)s AND link > %(link)s ORDER BY link LIMIT %(limit)s;

-- name: audit_trim
-- Let old events of the chain go, by the same way; return the last of them.
SELECT link, hash FROM audit_trim(%(tenant)s, %(place)s);

-- name: access_record
-- One look at a memory.
INSERT INTO access (tenant, place, seq, memory, action, at, score, query, knew)
VALUES (%(tenant)s, %(place)s, nextval('arrival'), %(memory)s, %(action)s, %(at)s, %(score)s, %(query)s,
        %(knew)s);

-- name: access_trim
-- Keep the newest rows only; what somebody else holds goes another time.
WITH spare AS MATERIALIZED (
  SELECT g.seq FROM access g WHERE g.tenant = %(tenant)s AND g.place = %(place)s AND g.seq <= (
    SELECT o.seq FROM access o WHERE o.tenant = %(tenant)s AND o.place = %(place)s
    ORDER BY o.seq DESC OFFSET %(kept)s LIMIT 1)
  FOR UPDATE SKIP LOCKED)
DELETE FROM access a USING spare s WHERE a.tenant = %(tenant)s AND a.place = %(place)s AND a.seq = s.seq;

-- name: accesses_forget
-- Nobody looked at what was removed.
DELETE FROM access a WHERE a.tenant = %(tenant)s AND a.place = %(place)s AND a.seq IN (
  SELECT g.seq FROM access g WHERE g.tenant = %(tenant)s AND g.place = %(place)s AND g.memory = ANY (%(ids)s::text[])
  ORDER BY g.seq FOR UPDATE);

-- name: accesses_quoted
-- Whether void queries still stand in their rows.
SELECT EXISTS (SELECT FROM access a WHERE a.tenant = %(tenant)s AND a.place = %(place)s AND a.query IS NOT NULL
  AND a.knew < %(known)s);

-- name: accesses_blank
-- Put void queries out of their rows; what somebody else holds is left for another time.
WITH void AS MATERIALIZED (
  SELECT q.seq FROM access q WHERE q.tenant = %(tenant)s AND q.place = %(place)s AND q.query IS NOT NULL
    AND q.knew < %(known)s LIMIT %(limit)s FOR UPDATE SKIP LOCKED)
UPDATE access a SET query = NULL FROM void v WHERE a.tenant = %(tenant)s AND a.place = %(place)s AND a.seq = v.seq
RETURNING a.seq;

-- name: accesses_reword
-- Other words in place of queries.
UPDATE access a SET query = w.query
FROM (SELECT h.seq, h.query FROM access h WHERE h.tenant = %(tenant)s AND h.place = %(place)s
        AND h.query = ANY (%(before)s::text[]) ORDER BY h.seq FOR UPDATE) held
JOIN unnest(%(before)s::text[], %(query)s::text[]) AS w (before, query) ON w.before = held.query
WHERE a.tenant = %(tenant)s AND a.place = %(place)s AND a.seq = held.seq;

-- name: access_recent
-- Accesses, newest first, without queries that are void.
SELECT a.memory, a.action, a.at, a.score, CASE WHEN a.knew >= %(known)s THEN a.query END FROM access a WHERE a.tenant = %(tenant)s AND a.place = %(place)s
ORDER BY a.seq DESC LIMIT least(%(limit)s, %(kept)s);

-- name: record_counts
-- Rows of the smaller tables.
SELECT (SELECT count(*) FROM session WHERE tenant = %(tenant)s AND place = %(place)s),
       (SELECT count(*) FROM turn WHERE tenant = %(tenant)s AND place = %(place)s),
       (SELECT count(*) FROM tombstone WHERE tenant = %(tenant)s AND place = %(place)s),
       (SELECT count(*) FROM audit WHERE tenant = %(tenant)s AND place = %(place)s),
       (SELECT least(count(*), %(accesses)s) FROM access WHERE tenant = %(tenant)s AND place = %(place)s),
       (SELECT count(*) FROM finding WHERE tenant = %(tenant)s AND place = %(place)s);

-- name: schema_version
-- The version of the schema.
SELECT max(number) FROM migration;
