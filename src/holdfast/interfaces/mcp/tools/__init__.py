"""The tools, a file for each group: `look` finds and reads, `keep` writes, `tend` counts and prunes."""
