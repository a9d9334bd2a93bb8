"""From the turns of a session to findings, and from findings to memories."""
