"""Windsurf: what is installed into it (`install`)."""
