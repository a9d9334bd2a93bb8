"""What agents say, heard by hooks or read in transcripts: the same words give the same entry. Light.

`moments` is the vocabulary, `fields` reads other people's JSON, `additions` and `echo` tell what nobody said, and
`entry` makes of a moment what is kept.
"""
