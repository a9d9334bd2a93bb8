"""Exports, ours and those of other tools, as entries. One module a tool; `import_entries` tells which it is.

A reader turns what was written elsewhere into drafts: words, dates, tags, files. It decides nothing about trust or
status; those are given to imports as a whole, by whoever hands the entries to the service.
"""
