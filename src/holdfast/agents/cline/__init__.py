"""Cline: what is installed into it (`install`)."""
