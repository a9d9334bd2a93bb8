"""The way out: memories as JSON, JSONL, CSV or Markdown, and as the section of a file that an agent reads.

Reading it back is the business of `ingest`.
"""
