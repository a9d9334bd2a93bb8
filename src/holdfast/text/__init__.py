"""Text as words and sentences: one splitter, one tokenizer, one stop list, the names of files and errors.

Judging what a text means is the business of `capture`; cleaning it that of `capture/text`.
"""
