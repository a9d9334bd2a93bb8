"""Looking after a store as a whole: whose it is, its backups, and whether it is sound.

What must not be here: SQL, and anything that knows an interface. What is done to the file itself is behind
`ports.StoreFile`.
"""
