"""The server: memory over HTTP, by REST and by the Model Context Protocol, for those who show a token.

`operations` declares every operation once; routes, the OpenAPI document, the metrics and the Python client are
made of these declarations. Must not live here: what a verb does (the service), and which backend there is
(`storage`).
"""
