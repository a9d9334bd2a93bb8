-- Run after the schema, by the owner of the tables, where the database has the extension `citus` and a table of ours is
-- not spread yet.
-- Every table is spread over the workers by its tenant, and the tables of a tenant lie together, so that each of our
-- statements stays on one node. What a table held before is copied; then the coordinator lets go of its own copy, in
-- which what is forgotten from now on would stay.

SET LOCAL citus.multi_shard_modify_mode TO 'sequential';

DO $$
DECLARE
  name text;
BEGIN
  IF NOT (SELECT rolbypassrls FROM pg_roles WHERE rolname = 'holdfast_owner') THEN
    RAISE EXCEPTION 'holdfast_owner has no BYPASSRLS, without which rows stay behind when tables are spread'
      USING ERRCODE = 'insufficient_privilege', HINT = 'As a superuser of every node: ALTER ROLE holdfast_owner BYPASSRLS';
  END IF;
  FOREACH name IN ARRAY ARRAY['place', 'meta', 'session', 'memory', 'memory_term', 'turn', 'turn_term', 'tenant_stat',
    'topic', 'vec', 'unembedded', 'finding', 'evidence', 'thread', 'thread_memory', 'conflict', 'proposal', 'tombstone', 'audit', 'access',
    'spooled', 'alias', 'receipt']
  LOOP
    IF NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = format('holdfast.%s', name)::regclass) THEN
      PERFORM create_distributed_table(format('holdfast.%s', name), 'tenant',
        colocate_with => CASE WHEN name = 'place' THEN 'none' ELSE 'holdfast.place' END);
      PERFORM truncate_local_data_after_distributing_table(format('holdfast.%s', name)::regclass);
    END IF;
  END LOOP;
  -- Filters and the log call these on the workers.
  PERFORM create_distributed_function('holdfast.folded(text)');
  PERFORM create_distributed_function('holdfast.touches(text[], text)');
  PERFORM create_distributed_function('holdfast.audit_seal(text, bigint, bigint[], bigint[], text[])');
  PERFORM create_distributed_function('holdfast.audit_trim(text, bigint)');
END $$;
