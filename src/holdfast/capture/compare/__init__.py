"""What two texts have to do with each other: opposed, revised, nearly the same, or only on one topic.

`statement` reads one text; `conflict`, `revision` and `same` compare two. Nothing here knows a store.
"""
