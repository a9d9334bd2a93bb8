-- Events of the audit log can be added, and neither changed nor removed by those who add them. What the log itself
-- needs (a place in the chain, letting the oldest go) is done by two functions with the owner's rights, which do no more
-- than that. Row-level security is around them as around anybody.

REVOKE INSERT, UPDATE, DELETE ON audit FROM holdfast_app, holdfast_gc;
GRANT INSERT (tenant, place, seq, at, action, actor, ids, detail) ON audit TO holdfast_app, holdfast_gc;

-- Events that are not in the chain take their places in it; one that is in it stays as it is.
CREATE FUNCTION audit_seal(store bigint, seqs bigint[], links bigint[], hashes text[]) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
  UPDATE audit a SET link = s.link, hash = s.hash
  FROM unnest(seqs, links, hashes) AS s (number, link, hash)
  WHERE a.tenant = current_setting('holdfast.tenant', true) AND a.place = store AND a.seq = s.number AND a.link IS NULL
$$;

-- The oldest events of the chain go, all but the newest 4,000 (AUDIT_KEPT in model/limits.py); the last of those that
-- went is returned, as the rest hangs on its hash.
CREATE FUNCTION audit_trim(store bigint) RETURNS TABLE (link bigint, hash text)
LANGUAGE sql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
  WITH passed AS MATERIALIZED (
    SELECT a.link, a.hash FROM audit a
    WHERE a.tenant = current_setting('holdfast.tenant', true) AND a.place = store AND a.link IS NOT NULL
    ORDER BY a.link DESC OFFSET 4000 LIMIT 1),
  gone AS (
    DELETE FROM audit a USING passed p
    WHERE a.tenant = current_setting('holdfast.tenant', true) AND a.place = store AND a.link <= p.link)
  SELECT p.link, p.hash FROM passed p
$$;

REVOKE EXECUTE ON FUNCTION audit_seal(bigint, bigint[], bigint[], text[]), audit_trim(bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION audit_seal(bigint, bigint[], bigint[], text[]), audit_trim(bigint) TO holdfast_app, holdfast_gc;
