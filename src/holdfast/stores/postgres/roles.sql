-- What has to be there before the schema, made by whoever sets a database up: the extension and three roles.
-- Roles belong to the whole server, so that another database may have made them, even at the same moment. Who may make
-- roles but is no superuser has to grant them to itself before it can act as one (PostgreSQL 16 and newer). On a cluster
-- the nodes connect to each other as whoever acts, so that these roles may log in there; nobody has a password for them.
-- This is a transaction of its own: nodes reach each other over other connections, which see what is committed.

CREATE EXTENSION IF NOT EXISTS vector;

DO $$
DECLARE
  wanted text;
  acting text := CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET' ELSE 'MEMBER' END;
  is_cluster boolean := EXISTS (SELECT FROM pg_extension WHERE extname = 'citus');
  types oid := (SELECT extnamespace FROM pg_extension WHERE extname = 'vector');
BEGIN
  FOREACH wanted IN ARRAY ARRAY['holdfast_owner', 'holdfast_app', 'holdfast_gc'] LOOP
    BEGIN
      IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
        EXECUTE format('CREATE ROLE %I NOLOGIN NOINHERIT', wanted);
      END IF;
    EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
    END;
    IF is_cluster AND EXISTS (SELECT FROM pg_roles WHERE rolname = wanted AND NOT rolcanlogin) THEN
      EXECUTE format('ALTER ROLE %I LOGIN', wanted);
    END IF;
    IF NOT pg_has_role(current_user, wanted, acting) THEN
      EXECUTE format('GRANT %I TO %I', wanted, current_user);
    END IF;
    IF NOT has_schema_privilege(wanted, types, 'USAGE') THEN
      EXECUTE format('GRANT USAGE ON SCHEMA %s TO %I', types::regnamespace, wanted);
    END IF;
  END LOOP;
  -- Shards are copied by logical replication, in which row-level security would hide every row from their owner.
  IF is_cluster AND EXISTS (SELECT FROM pg_roles WHERE rolname = 'holdfast_owner' AND NOT rolbypassrls) THEN
    ALTER ROLE holdfast_owner BYPASSRLS;
  END IF;
END $$;
