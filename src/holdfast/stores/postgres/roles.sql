-- What has to be there before the schema, made by whoever sets a database up: the extension and three roles.
-- Roles belong to the whole server, so that another database may have made them, even at the same moment.

CREATE EXTENSION IF NOT EXISTS vector;

DO $$
DECLARE
  wanted text;
BEGIN
  FOREACH wanted IN ARRAY ARRAY['holdfast_owner', 'holdfast_app', 'holdfast_gc'] LOOP
    BEGIN
      IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
        EXECUTE format('CREATE ROLE %I NOLOGIN NOINHERIT', wanted);
      END IF;
    EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
    END;
    IF NOT pg_has_role(current_user, wanted, 'MEMBER') THEN
      EXECUTE format('GRANT %I TO %I', wanted, current_user);
    END IF;
  END LOOP;
  -- Many rows at once pass through a temporary table.
  EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO holdfast_app, holdfast_gc', current_database());
END $$;

CREATE SCHEMA IF NOT EXISTS holdfast AUTHORIZATION holdfast_owner;
GRANT USAGE ON SCHEMA holdfast TO holdfast_app, holdfast_gc;
