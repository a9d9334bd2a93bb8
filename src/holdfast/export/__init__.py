"""The way out (`formats`): memories as JSON, JSONL, CSV or Markdown, and the section of a file that agents read.

Reading it back is the business of `ingest`.
"""
