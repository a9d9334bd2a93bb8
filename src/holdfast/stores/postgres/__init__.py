"""The store of a team: PostgreSQL with pgvector, row-level security around every tenant.

Needs the extra `postgres` (psycopg, psycopg-pool, pgvector); `compose.open` imports it only for an address of a
server.
"""
