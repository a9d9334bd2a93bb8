-- The log's own functions are told whose log it is, so that on a cluster each of their statements goes to one node. They
-- act only for the tenant of the transaction: on a cluster their owner is not under row-level security.

DROP FUNCTION audit_seal(bigint, bigint[], bigint[], text[]);
DROP FUNCTION audit_trim(bigint);

-- Events that are not in the chain take their places in it; one that is in it stays as it is.
CREATE FUNCTION audit_seal(own text, store bigint, seqs bigint[], links bigint[], hashes text[]) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
  UPDATE audit a SET link = s.link, hash = s.hash
  FROM unnest(seqs, links, hashes) AS s (number, link, hash)
  WHERE a.tenant = own AND own = current_setting('holdfast.tenant', true)
    AND a.place = store AND a.seq = s.number AND a.link IS NULL
$$;

-- The oldest events of the chain go, all but the newest 4,000 (AUDIT_KEPT in model/limits.py); the last of those that
-- went is returned, as the rest hangs on its hash.
CREATE FUNCTION audit_trim(own text, store bigint) RETURNS TABLE (link bigint, hash text)
LANGUAGE sql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
  WITH passed AS MATERIALIZED (
    SELECT a.link, a.hash FROM audit a
    WHERE a.tenant = own AND own = current_setting('holdfast.tenant', true) AND a.place = store AND a.link IS NOT NULL
    ORDER BY a.link DESC OFFSET 4000 LIMIT 1),
  gone AS (
    DELETE FROM audit a USING passed p
    WHERE a.tenant = own AND own = current_setting('holdfast.tenant', true) AND a.place = store AND a.link <= p.link)
  SELECT p.link, p.hash FROM passed p
$$;

REVOKE EXECUTE ON FUNCTION audit_seal(text, bigint, bigint[], bigint[], text[]), audit_trim(text, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION audit_seal(text, bigint, bigint[], bigint[], text[]), audit_trim(text, bigint)
  TO holdfast_app, holdfast_gc;
