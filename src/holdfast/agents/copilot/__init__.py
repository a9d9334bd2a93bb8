"""Copilot CLI: its hooks (`hook`, light), what is installed into it (`install`), what it writes down of its sessions (`transcript`)."""
