-- The schema itself, once its roles are committed, and committed itself before anything is in it.

CREATE SCHEMA IF NOT EXISTS holdfast AUTHORIZATION holdfast_owner;
SET LOCAL ROLE holdfast_owner;
GRANT USAGE ON SCHEMA holdfast TO holdfast_app, holdfast_gc;
