"""The way out: memories as JSON, JSONL, CSV or Markdown, and as the section of a file that an agent reads.

`fields` is the one shape that all of them share; each other module writes it down in one way. Reading it back is
the business of `ingest`.
"""
