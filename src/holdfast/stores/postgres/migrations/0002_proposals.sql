-- What agents asked for and only a person can grant.

CREATE TABLE proposal (
  tenant     text NOT NULL CHECK (tenant <> ''),
  place      bigint NOT NULL,
  seq        bigint NOT NULL,
  id         uuid NOT NULL,
  tail       text GENERATED ALWAYS AS (right(id::text, 8)) STORED,
  verb       text NOT NULL,
  memory     uuid NOT NULL,
  other      uuid,
  arguments  json NOT NULL,
  actor      text NOT NULL,
  agent      text,
  at         bigint NOT NULL,
  why        text NOT NULL,
  settled_at bigint,
  outcome    text,
  PRIMARY KEY (tenant, id)
);
CREATE UNIQUE INDEX proposal_seq ON proposal (tenant, place, seq);
CREATE INDEX proposal_memory ON proposal (tenant, memory);
CREATE INDEX proposal_other ON proposal (tenant, other) WHERE other IS NOT NULL;
CREATE INDEX proposal_tail ON proposal (tenant, place, tail);
CREATE INDEX proposal_waiting ON proposal (tenant, place, seq) WHERE outcome IS NULL;

ALTER TABLE proposal ENABLE ROW LEVEL SECURITY;
ALTER TABLE proposal FORCE ROW LEVEL SECURITY;
CREATE POLICY of_tenant ON proposal USING (tenant = current_setting('holdfast.tenant', true))
  WITH CHECK (tenant = current_setting('holdfast.tenant', true));
GRANT SELECT, INSERT, UPDATE, DELETE ON proposal TO holdfast_app, holdfast_gc;

-- On a cluster whose tables are spread already, this one joins them; on a new one `citus.sql` sees to it.
DO $$
BEGIN
  IF EXISTS (SELECT FROM migration WHERE number = 9000) THEN
    PERFORM create_distributed_table('holdfast.proposal', 'tenant', colocate_with => 'holdfast.place');
  END IF;
END $$;
