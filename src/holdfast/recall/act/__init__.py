"""Rules at the act: which rule of a person a tool call touches, and what a guard says to it.

`touch` reads from a rule's text what it names; `compile` writes the rules of a project into one small file;
`match` reads that file in a hook and scores a call; `shell` and `guards` compare command lines with patterns.
Must not live here: stores, clients and their payloads. All but `compile` is light: an agent waits before every
tool call.
"""
