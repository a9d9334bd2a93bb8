"""The MCP server: memory as tools, prompts and resources of an agent.

`front` is the process: light, it owns standard input and output and answers what a client asks first. `server`
builds the server of the official SDK from `tools`, `prompts` and `resources`, and feeds it.
"""
