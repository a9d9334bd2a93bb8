-- A change of vectors says which rows it was about: who holds a copy of them reads just these anew. Vectors are counted
-- by what they are of. And large stores get a part of the table to themselves (`care.py`), with a graph of its own: one
-- partial index for each made every insert of every store look at all of them.

ALTER TABLE tenant_stat ADD COLUMN rows bigint[];

-- Nobody reads another tenant's rows, the owner as little as anybody; but while the schema changes all are counted.
ALTER TABLE vec NO FORCE ROW LEVEL SECURITY;
ALTER TABLE tenant_stat NO FORCE ROW LEVEL SECURITY;
INSERT INTO tenant_stat (tenant, place, target, seq, documents, tokens, bytes)
SELECT v.tenant, v.place, 'vec ' || v.target, nextval('arrival'), count(*), 0, sum(2 * vector_dims(v.embedding) + 208)
FROM vec v GROUP BY v.tenant, v.place, v.target;
DELETE FROM tenant_stat WHERE target = 'vec';
ALTER TABLE tenant_stat FORCE ROW LEVEL SECURITY;

DO $$
DECLARE
  graph text;
BEGIN
  FOR graph IN SELECT indexname FROM pg_indexes WHERE schemaname = 'holdfast' AND starts_with(indexname, 'vec_graph_')
  LOOP
    EXECUTE format('DROP INDEX %I', graph);
  END LOOP;
END $$;

ALTER TABLE vec RENAME TO vec_rest;
ALTER INDEX vec_pkey RENAME TO vec_rest_pkey;
CREATE TABLE vec (LIKE vec_rest INCLUDING CONSTRAINTS INCLUDING STORAGE, PRIMARY KEY (tenant, place, target, seq, chunk))
  PARTITION BY LIST (place);
ALTER TABLE vec ATTACH PARTITION vec_rest DEFAULT;
ALTER TABLE vec_rest FORCE ROW LEVEL SECURITY;
REVOKE ALL ON vec_rest FROM holdfast_app, holdfast_gc;
ALTER TABLE vec ENABLE ROW LEVEL SECURITY;
ALTER TABLE vec FORCE ROW LEVEL SECURITY;
CREATE POLICY of_tenant ON vec USING (tenant = current_setting('holdfast.tenant', true))
  WITH CHECK (tenant = current_setting('holdfast.tenant', true));
GRANT SELECT, INSERT, UPDATE, DELETE ON vec TO holdfast_app, holdfast_gc;
