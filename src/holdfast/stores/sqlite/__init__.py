"""The embedded store: one SQLite file, written through APSW.

`files` makes and guards the file, `connection` opens it, `migrate` keeps its schema, `queries` holds its SQL,
`store` puts the facets together.
"""
