"""The store of a team: PostgreSQL with pgvector, row-level security around every tenant.

Needs the extra `postgres` (psycopg, psycopg-pool, pgvector); `storage.open` imports it only for an address of a
server.
"""
