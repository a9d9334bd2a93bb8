"""Claude Code: its hooks (`hook`, light), what is installed (`install`), its own records (`transcript`)."""
