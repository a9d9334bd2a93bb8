"""Team memory through git, without a server: what is confirmed, one reviewable file each, in a folder of its own.

`note` is one such file and the folder, `incoming` how they are read and what is known of them here, `sharing` the
two directions together.
"""
