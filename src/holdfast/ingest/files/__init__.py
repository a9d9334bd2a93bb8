"""The project's Markdown files as memories, kept in step with the files.

`listing` says which files count, `document` reads one into entries, `index` brings memory in line with them,
`watch` notices changes, `auto` does all of it in the background of a server.
"""
