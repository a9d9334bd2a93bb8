"""The roles that a login acts as (`roles.sql` makes them)."""

OWNER, APP, GC = "holdfast_owner", "holdfast_app", "holdfast_gc"
