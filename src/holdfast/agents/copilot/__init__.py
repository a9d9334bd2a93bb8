"""Copilot CLI: its hooks (`hook`, light), what is installed (`install`), what it writes down itself (`transcript`)."""
