"""The roles that a login acts as (`roles.sql` makes them)."""

OWNER = "holdfast_owner"
"""Has the tables, and changes the schema."""

APP = "holdfast_app"
"""Reads and writes the rows of one tenant at a time."""

GC = "holdfast_gc"
"""Looks after the stores of all tenants, one at a time."""
