"""Team memory through git, without a server: what is confirmed, one reviewable file each, in a folder of its own.

`note` is one such file, `folder` where they lie, `known` what is known of them here, `incoming` how they are read,
`sharing` the two directions together.
"""
