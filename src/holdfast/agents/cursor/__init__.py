"""Cursor: its hooks (`hook`, light), what is installed into it (`install`)."""
