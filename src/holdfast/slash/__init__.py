"""Slash commands, the same in every agent: one text in, one text out. `typed` is the way in.

The files in `commands/` make them commands of each agent. What must not live here: anything that knows which agent
or interface is asking.
"""
