"""Slash commands, the same in every agent: one text in, one text out. `dispatch` is the way in.

The files in `agents/*/commands/` make them commands of each agent. What must not live here: anything that knows
which agent or interface is asking.
"""
