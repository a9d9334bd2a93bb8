"""`holdfast-hook CLIENT EVENT`: what a coding agent's hooks run, with the event's payload on standard input.

`entry` is the process; `agents.claude.hook`, and the like of every other agent, knows what it sends and takes;
`agents.injected` tells what a person said from what a client or holdfast itself put around it. What is said goes
to the spool, what is known goes to standard output; the background worker (`storage`) moves the spool into the
store later.

Everything but `compiled` is light: plain functions, tuples and constants, because the agent waits.
"""
