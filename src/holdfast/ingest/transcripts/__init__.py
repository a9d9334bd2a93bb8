"""Past sessions, as coding agents wrote them down themselves.

One module for each agent says where its transcripts lie and reads one into the moments that its hooks would have
told of. `past` is what they have in common, `lines` reads JSON lines, `finding` puts the agents together,
`unheard` tells what of a session is not known yet, `seen` remembers which files were read, and `ingesting` brings
it all into the store.
"""
