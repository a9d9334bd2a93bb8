"""Installing into coding agents: hooks, the MCP server and slash commands, in files that belong to somebody else.

`agents` says what goes where for each agent; `jsonc`, `toml` and `whole` change one kind of file each, as text, so
that nothing of anybody else's moves; `ledger` remembers how a file was, and `plan` puts it together.
"""
