-- Applied after the numbered migrations where the database has the extension `citus`: every table is spread over the
-- workers by its tenant, and the tables of a tenant lie together, so that each of our statements stays on one node.

SELECT create_distributed_table('holdfast.place', 'tenant', colocate_with => 'none');
SELECT create_distributed_table(format('holdfast.%s', name)::regclass, 'tenant', colocate_with => 'holdfast.place')
FROM unnest(ARRAY['meta', 'session', 'memory', 'memory_term', 'turn', 'turn_term', 'tenant_stat', 'topic', 'vec',
  'unembedded', 'finding', 'evidence', 'conflict', 'proposal', 'tombstone', 'audit', 'access', 'spooled', 'alias',
  'receipt']) AS name;
