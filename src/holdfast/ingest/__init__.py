"""What else it learns from: other tools' exports, the project's git history, its Markdown files, past transcripts.

Each source is read into entries or turns, and handed to the service: everything takes the usual way in, cleaned,
compared, and held back where it was forgotten. What is read here was written by anybody, so it is data throughout:
bounded, never executed, never believed more than an import is.

`import_entries` reads exports: `bundle` opens files, `own`, `other_tools` and `notes` read them, with `records`
for JSON and `markdown` for sections. `history` reads what `git` says, `transcripts` the sessions that `locate`
finds, and `files` the Markdown files that `watch` watches.
"""
