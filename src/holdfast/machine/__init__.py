"""This machine: paths, the project of a directory, switches, failures. Light: shared with hooks."""
