-- name: place_facts
-- What there is to know of a store as a whole (`stats.py`): what a row is about, a name, a text, numbers.
SELECT 'note', key, value, '{}'::bigint[] FROM meta WHERE tenant = %(tenant)s AND place = %(place)s
UNION ALL
SELECT 'sum', target, '',
       ARRAY[sum(documents)::bigint, sum(tokens)::bigint, sum(bytes)::bigint, count(*)]
FROM tenant_stat WHERE tenant = %(tenant)s AND place = %(place)s GROUP BY target
UNION ALL
SELECT 'alias', word, meaning, '{}' FROM alias WHERE tenant = %(tenant)s AND place = %(place)s
UNION ALL
SELECT 'waits', t.target, '', '{}' FROM (VALUES ('memory'), ('turn')) AS t (target)
WHERE EXISTS (SELECT FROM unembedded u WHERE u.tenant = %(tenant)s AND u.place = %(place)s AND u.target = t.target)
UNION ALL
SELECT 'tombstones', '', '', ARRAY[count(*)] FROM tombstone WHERE tenant = %(tenant)s AND place = %(place)s;
