"""This machine, for light processes: paths, the project of a directory, switches, failures. Light: shared with hooks."""
