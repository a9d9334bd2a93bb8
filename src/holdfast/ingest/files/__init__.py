"""The project's Markdown files as memories, kept in step with the files.

`index` says which files count and brings memory in line with them, `document` reads one into entries, `watch`
notices changes, for a command or in the background of a server.
"""
