"""The command line: `main` finds the command, `commands/` holds one file for each group of them.

`output` prints for people and for programs, `base` gives every command its common options and its service.
"""
