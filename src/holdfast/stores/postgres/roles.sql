-- What has to be there before the schema, made by whoever sets a database up: the extension and three roles.
-- Roles belong to the whole server, so that another database may have made them, even at the same moment. Who may make
-- roles but is no superuser has to grant them to itself before it can act as one (PostgreSQL 16 and newer).

CREATE EXTENSION IF NOT EXISTS vector;

DO $$
DECLARE
  wanted text;
  acting text := CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET' ELSE 'MEMBER' END;
  granted text := CASE WHEN acting = 'SET' THEN 'WITH SET TRUE, INHERIT TRUE' ELSE '' END;
  types oid := (SELECT extnamespace FROM pg_extension WHERE extname = 'vector');
BEGIN
  FOREACH wanted IN ARRAY ARRAY['holdfast_owner', 'holdfast_app', 'holdfast_gc'] LOOP
    BEGIN
      IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
        EXECUTE format('CREATE ROLE %I NOLOGIN NOINHERIT', wanted);
      END IF;
    EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
    END;
    IF NOT pg_has_role(current_user, wanted, acting) THEN
      EXECUTE format('GRANT %I TO %I %s', wanted, current_user, granted);
    END IF;
    IF NOT has_schema_privilege(wanted, types, 'USAGE') THEN
      EXECUTE format('GRANT USAGE ON SCHEMA %s TO %I', types::regnamespace, wanted);
    END IF;
  END LOOP;
  -- Many rows at once pass through a temporary table.
  EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO holdfast_app, holdfast_gc', current_database());
END $$;

CREATE SCHEMA IF NOT EXISTS holdfast AUTHORIZATION holdfast_owner;
SET LOCAL ROLE holdfast_owner;
GRANT USAGE ON SCHEMA holdfast TO holdfast_app, holdfast_gc;
